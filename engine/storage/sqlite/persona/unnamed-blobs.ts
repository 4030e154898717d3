import { type Kysely, sql } from 'kysely';
import type { PersonaTables } from './schema/tables.ts';

interface Naming {
  readonly key: readonly string[];
  /** Columns that may hold a hash; all columns when absent. */
  readonly columns?: readonly string[];
}

type Row = Readonly<Record<string, unknown>>;

/** Every table, so that a new one does not compile before somebody has said whether it names files. */
const TABLES: Readonly<Record<keyof PersonaTables, Naming | null>> = {
  messages: { key: ['seq'], columns: ['seq', 'raw_sha256', 'rendered_json'] },
  kept_mail: { key: ['raw_sha256'] },
  attachments: { key: ['id'] },
  documents: { key: ['sha256', 'part', 'hint'] },
  drafts: { key: ['outbox_id'] },
  runs: { key: ['seq'] },
  run_events: { key: ['run_id', 'seq'] },
  thread_tool_events: { key: ['id'] },
  approvals: { key: ['id'] },
  suspensions: { key: ['id'] },
  undo_items: { key: ['id'] },
  removed_files: { key: ['run_id', 'path'] },
  tasks: { key: ['task'] },
  task_times: { key: ['task', 'due_at'] },
  jobs: { key: ['id'] },
  audit_log: { key: ['id'] },
  made_files: { key: ['path'] },
  approval_notices: null,
  approval_answers: null,
  threads: null,
  thread_participants: null,
  outbox: null,
  outbox_recipients: null,
  budget_days: null,
  tool_uses: null,
  owner_mails: null,
  own_words_uses: null,
  gathered_notices: null,
  incidents: null,
  used_signatures: null,
  message_viewers: null,
  raw_mail: null,
  counted_letters: null,
  named_mails: null,
  other_ids: null,
  mail_index: null,
  message_words: null,
  invitations: null,
  invitation_answers: null,
  facts: null,
  rules: null,
  fact_words: null,
  forgotten_messages: null,
  corrected_answers: null,
  // Hashes there are of the texts beside them.
  shown_texts: null,
  active_memory: null,
  thread_memory_states: null,
  thread_memory_viewers: null,
  thread_closings: null,
  thread_closing_viewers: null,
  closing_words: null,
  free_pages: null,
  // Hashes there are of the owner's files.
  knowledge_files: null,
  knowledge_sections: null,
  playbook_versions: null,
  playbook_pins: null,
  playbook_outcomes: null,
  playbook_feedback: null,
  playbook_scenarios: null,
  playbook_refinements: null,
};

/** Runs of hex digits. Asked for 64 at once, the expression would look at each character 64 times. */
const HEX = /[0-9a-f]{16,}/g;
/** An event's payload that is a file as a whole; what it names stands in there. */
const WHOLE = /^\{"artifact":"([0-9a-f]{64})"\}$/;
const PAGE = 50;

/**
 * Which of these hashes no row of the persona names. Reads page after page until all are found, so it may take long, and
 * calls `breathe` in between; `contentOf` gives the file of an event that was too large for its row.
 */
export async function unnamedBlobs(
  db: Kysely<PersonaTables>,
  candidates: readonly string[],
  { contentOf, breathe }: { contentOf(sha256: string): Promise<string>; breathe(): Promise<void> },
): Promise<ReadonlySet<string>> {
  const left = new Set(candidates);
  const wholes: string[] = [];
  const strike = (text: string) => {
    for (const [hex] of text.matchAll(HEX))
      for (let at = 0; at + 64 <= hex.length; at += 64) left.delete(hex.slice(at, at + 64));
  };
  for await (const text of textsOf(db, breathe)) {
    strike(text);
    if (left.size === 0) return left;
    const whole = WHOLE.exec(text)?.[1];
    if (whole !== undefined) wholes.push(whole);
  }
  for (const whole of wholes) {
    strike(await contentOf(whole));
    await breathe();
  }
  return left;
}

/** All texts in which a hash may stand. */
async function* textsOf(db: Kysely<PersonaTables>, breathe: () => Promise<void>): AsyncGenerator<string> {
  for (const [table, naming] of Object.entries(TABLES)) {
    let page = naming === null ? [] : await pageOf(db, table, naming, undefined);
    while (naming !== null && page.length > 0) {
      for (const row of page) yield* Object.values(row).filter((value) => typeof value === 'string');
      await breathe();
      page = page.length < PAGE ? [] : await pageOf(db, table, naming, page.at(-1));
    }
  }
}

async function pageOf(
  db: Kysely<PersonaTables>,
  table: string,
  { key, columns }: Naming,
  after: Row | undefined,
): Promise<readonly Row[]> {
  const keys = sql.join(key.map((name) => sql.ref(name)));
  const wanted = columns ? sql.join(columns.map((name) => sql.ref(name))) : sql`*`;
  const past = after ? sql`where (${keys}) > (${sql.join(key.map((name) => after[name]))})` : sql``;
  const query = sql<Row>`select ${wanted} from ${sql.table(table)} ${past} order by ${keys} limit ${PAGE}`;
  return (await query.execute(db)).rows;
}
