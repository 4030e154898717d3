import SQLite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { personaMigrations } from '../../../engine/storage/schema/persona.ts';
import { connect } from '../../../engine/storage/sqlite/database/connection.ts';
import type { PersonaTables } from '../../../engine/storage/sqlite/persona/schema/tables.ts';
import { weekOf } from '../../../engine/storage/sqlite/persona/week.ts';

interface Ended {
  readonly mail: string;
  readonly sender: string;
  readonly outcome: string;
}

/** The week of a persona with these runs of mails. */
function weekWith(runs: readonly Ended[]) {
  const database = new SQLite(':memory:');
  for (const sql of personaMigrations) database.exec(sql);
  // The rest of a run is of no account here.
  database.pragma('foreign_keys = off');
  const columns = database.prepare<[], { name: string; notnull: number; dflt_value: string | null }>(
    'select name, "notnull", dflt_value from pragma_table_info(\'runs\')',
  );
  const needed = columns.all().filter(({ notnull, dflt_value: given }) => notnull === 1 && given === null);
  for (const [at, { mail, sender, outcome }] of runs.entries()) {
    const row: Record<string, unknown> = Object.fromEntries(
      needed.map(({ name }) => [name, name === 'seq' ? at : '0']),
    );
    Object.assign(row, {
      id: `r-${at}`,
      kind: 'message',
      message_id: mail,
      sender,
      outcome,
      status: 'done',
      ended_at: 5,
    });
    const names = Object.keys(row);
    database
      .prepare(`insert into runs (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`)
      .run(...Object.values(row));
  }
  return weekOf(connect<PersonaTables>(database).db, 0, 10);
}

it('counts a mail once, whatever was done for it later, and those who were answered', async () => {
  const found = await weekWith([
    { mail: 'm-1', sender: 'mia@example.com', outcome: 'final' },
    { mail: 'm-1', sender: 'mia@example.com', outcome: 'final' },
    { mail: 'm-2', sender: 'bob@example.com', outcome: 'silent:nothing' },
    { mail: 'm-3', sender: 'bob@example.com', outcome: 'partial' },
  ]);
  expect(found).toMatchObject({ answered: 1, people: 1, incomplete: 1 });
});

it('calls a mail incomplete until a later try has answered it', async () => {
  const found = await weekWith([
    { mail: 'm-1', sender: 'mia@example.com', outcome: 'failed' },
    { mail: 'm-1', sender: 'mia@example.com', outcome: 'final' },
  ]);
  expect(found).toMatchObject({ answered: 1, incomplete: 0 });
});
