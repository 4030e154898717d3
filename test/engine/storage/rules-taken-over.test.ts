import SQLite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { personaMigrations } from '../../../engine/storage/schema/persona.ts';

const OWNER = 'olga@example.com';
const MIA = 'mia@member.example';

/** The step that brings rules, and those before it. */
const at = personaMigrations.findIndex((sql) => sql.includes('create table rules'));

/** What the build before kept, taken over. */
function takenOver(fill: (database: SQLite.Database) => void): SQLite.Database {
  const database = new SQLite(':memory:');
  for (const sql of personaMigrations.slice(0, at)) database.exec(sql);
  fill(database);
  database.exec(personaMigrations[at] ?? '');
  return database;
}

interface Fact {
  readonly id: string;
  readonly text: string;
  readonly subject: string;
  readonly said_by: string;
  readonly source_tier?: string;
  readonly kind?: string;
  readonly status?: string;
  readonly visibility?: string;
  readonly superseded_by?: string;
  readonly expires_at?: number;
}

const keep = (database: SQLite.Database, fact: Fact): void => {
  const row = {
    kind: 'instruction',
    source_tier: 'owner',
    status: 'kept',
    visibility: 'owner',
    superseded_by: null,
    expires_at: null,
    ...fact,
  };
  database
    .prepare(
      `insert into facts (id, subject, kind, text, quote, source_tier, said_by, valid_from, recorded_at, refreshed_at,
         superseded_by, expires_at, visibility, status, hash, phrase)
       values (@id, @subject, @kind, @text, @text, @source_tier, @said_by, 7, 7, 7, @superseded_by, @expires_at,
         @visibility, @status, @id, @id)`,
    )
    .run(row);
};

const rulesOf = (database: SQLite.Database) =>
  database
    .prepare(
      'select text, effect, tools_json, scope, scope_of, said_by, said_tier, origin, made_at from rules order by seq',
    )
    .all();

it('a wish that was a fact is a rule for whom it was for, and nothing else becomes one', () => {
  const database = takenOver((old) => {
    keep(old, { id: 'f1', text: 'Sign with Ahoy.', subject: 'persona', said_by: OWNER, visibility: 'persona' });
    keep(old, { id: 'f2', text: 'Short, please.', subject: OWNER, said_by: OWNER });
    keep(old, {
      id: 'f3',
      text: 'Formal, please.',
      subject: MIA,
      said_by: MIA,
      source_tier: 'member',
      visibility: 'subject',
    });
    keep(old, { id: 'f4', text: 'Replaced.', subject: OWNER, said_by: OWNER, superseded_by: 'f2' });
    keep(old, {
      id: 'f5',
      text: 'A candidate.',
      subject: MIA,
      said_by: MIA,
      source_tier: 'member',
      status: 'candidate',
    });
    keep(old, { id: 'f6', text: 'Likes tea.', subject: MIA, said_by: MIA, kind: 'preference' });
    keep(old, { id: 'f7', text: 'Only owners were shown it.', subject: MIA, said_by: OWNER });
    keep(old, { id: 'f8', text: 'Over.', subject: OWNER, said_by: OWNER, expires_at: 8 });
  });
  const common = { effect: 'words', tools_json: '[]', origin: 'fact', made_at: 7 };
  expect(rulesOf(database)).toEqual([
    { text: 'Sign with Ahoy.', scope: 'persona', scope_of: null, said_by: OWNER, said_tier: 'owner', ...common },
    { text: 'Short, please.', scope: 'person', scope_of: OWNER, said_by: OWNER, said_tier: 'owner', ...common },
    { text: 'Formal, please.', scope: 'person', scope_of: MIA, said_by: MIA, said_tier: 'member', ...common },
  ]);
  const facts = database.prepare('select id, kind, superseded_by from facts order by id').all();
  expect(facts).toEqual([
    // On record, and shown to nobody as a fact.
    { id: 'f1', kind: 'instruction', superseded_by: 'r1' },
    { id: 'f2', kind: 'instruction', superseded_by: 'r2' },
    { id: 'f3', kind: 'instruction', superseded_by: 'r3' },
    { id: 'f4', kind: 'instruction', superseded_by: 'f2' },
    { id: 'f5', kind: 'preference', superseded_by: null },
    { id: 'f6', kind: 'preference', superseded_by: null },
    { id: 'f7', kind: 'preference', superseded_by: null },
    { id: 'f8', kind: 'preference', superseded_by: null },
  ]);
  // What everybody was told by `active.md` is told by a rule, and is to leave that file.
  expect(database.prepare('select changes from active_memory').pluck().all()).toEqual([1]);
  expect(database.prepare("select count(*) from jobs where kind = 'active_memory'").pluck().get()).toBe(1);
});

const playbook = (
  old: SQLite.Database,
  number: number,
  content: object,
  more: { kind?: string; origin?: string } = {},
) =>
  old
    .prepare(
      `insert into playbook_versions (id, kind, number, playbook_json, origin, tainted, created_at)
       values (?, ?, ?, ?, ?, 0, 9)`,
    )
    .run(
      `${more.kind ?? 'answer'} ${number}`,
      more.kind ?? 'answer',
      number,
      JSON.stringify({ advice: '', steps: [], narrow: { deny: [] }, ...content }),
      more.origin ?? 'owner',
    );

it('what an owner has agreed to in a playbook holds: its words, and what it never does', () => {
  const deny = [
    { rule: 'no-files', tool: 'write_file', reason: 'Never save files.' },
    { rule: 'no-mail', tool: 'send_email', when: [{ of: 'mail.subject', is: 'containing', value: 'x' }] },
  ];
  const database = takenOver((old) => {
    playbook(old, 1, {}, { origin: 'empty' });
    playbook(old, 2, { advice: 'Never save files.', narrow: { deny } });
    playbook(old, 1, { advice: 'Learned.' }, { kind: 'triage', origin: 'refined' });
    playbook(old, 1, { advice: 'Pinned.' }, { kind: 'draft' });
    playbook(old, 2, { advice: 'Newer, and not in force.' }, { kind: 'draft' });
    old.exec("insert into playbook_pins (kind, version_id, pinned_at) values ('draft', 'draft 1', 9)");
  });
  const rules = rulesOf(database) as { text: string; effect: string; tools_json: string; scope: string }[];
  expect(rules.map(({ text, effect, tools_json }) => [text, effect, tools_json])).toEqual([
    ['Never save files.', 'words', '[]'],
    ['Pinned.', 'words', '[]'],
    ['Never save files.', 'deny', '["write_file"]'],
  ]);
  expect(database.prepare('select count(*) from playbook_versions').pluck().get()).toBe(5);
});

it('a workspace in which nothing was said has no rule and nothing to write', () => {
  const database = takenOver(() => {});
  expect(rulesOf(database)).toEqual([]);
  expect(database.prepare('select count(*) from jobs').pluck().get()).toBe(0);
});
