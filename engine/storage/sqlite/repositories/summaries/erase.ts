import { sql } from 'kysely';
import { eachNumber, eachText, leaveOnly } from '../../../dialect.ts';
import type { Reader, Trx } from '../../persona/schema/tables.ts';
import { securely } from '../facts/securely.ts';

const TABLES = [
  ...(['thread_memory_states', 'thread_memory_viewers', 'shown_texts'] as const),
  ...(['thread_closings', 'thread_closing_viewers', 'closing_words', 'playbook_scenarios'] as const),
] as const;

/**
 * Takes the summaries of threads out, and what was said when they were over, with what runs were shown of them and of all threads together,
 * and the examples that playbooks are judged by, and writes the tables anew: their pages held copies of rows that were moved, which no deletion reaches. True: there was something.
 */
export async function eraseSummaries(trx: Trx, threads: readonly string[]): Promise<boolean> {
  let hasErased = false;
  const gone = JSON.stringify(['', ...threads]);
  await securely(trx, async () => {
    for (const table of TABLES) {
      const { rows } = await sql<{ count: number }>`
        select count(*) as count from ${sql.table(table)}
        where thread_id in (select value from ${eachText(gone, 'one')})`.execute(trx);
      if (rows[0]?.count === 0) continue;
      const stays = sql<boolean>`thread_id not in (select value from ${eachText(gone, 'one')})`;
      for (const statement of leaveOnly(table, stays)) await statement.execute(trx);
      hasErased = true;
    }
  });
  return hasErased;
}

/** Threads whose summaries may say what these mails, or whoever this is, have said. */
export async function threadsToldOf(
  db: Reader,
  of: { readonly messages: readonly number[] } | { readonly person: string },
): Promise<readonly string[]> {
  const { rows } = await ('messages' in of
    ? sql<{ id: string }>`select distinct m.thread_id as id from ${eachNumber(JSON.stringify(of.messages), 'one')}
        join messages m on m.seq = one.value`
    : sql<{ id: string }>`
        select thread_id as id from message_viewers where address = ${of.person.toLowerCase()}
        union select thread_id from messages where lower(from_address) = ${of.person.toLowerCase()}`
  ).execute(db);
  return rows.map(({ id }) => id);
}
