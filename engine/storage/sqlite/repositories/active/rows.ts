import { type Kysely, sql } from 'kysely';
import { indexedBy, least } from '../../../dialect.ts';
import type { ActiveState, ActiveStore, ActiveWritten } from '../../../ports/memory/active.ts';
import type { Fact } from '../../../types/facts.ts';
import { ACTIVE_JOB } from '../../../types/jobs.ts';
import type { Transact } from '../../database/transactions.ts';
import type { PersonaTables, Row, Trx } from '../../persona/schema/tables.ts';
import { endJob } from '../jobs.ts';

const DEBOUNCE_MS = 2000;

/** What everybody may be told is not what it was: `active.md` is written anew, soon, and once for many changes. */
export async function markActive(trx: Trx, now: number): Promise<void> {
  await sql`insert into active_memory (id, changes) values (1, 1)
    on conflict (id) do update set changes = active_memory.changes + 1`.execute(trx);
  const dueAt = now === 0 ? 0 : now + DEBOUNCE_MS;
  await sql`insert into jobs (id, kind, payload_json, due_at) values (${ACTIVE_JOB}, ${ACTIVE_JOB}, '{}', ${dueAt})
    on conflict (id) do update set due_at = ${least(sql`jobs.due_at`, sql`excluded.due_at`)}`.execute(trx);
}

async function activeWritten(trx: Trx, { changes, room, error, overAt, now }: ActiveWritten): Promise<void> {
  const row = await trx
    .updateTable('active_memory')
    .set({ written: changes, room, error })
    .where('written', '<=', changes)
    .returning('changes')
    .executeTakeFirst();
  const due = row && row.changes > changes ? now : overAt;
  if (due === null) await endJob(trx, ACTIVE_JOB);
  else {
    const later = { due_at: due, leased_by: null, leased_until: null };
    await trx.updateTable('jobs').set(later).where('id', '=', ACTIVE_JOB).execute();
  }
}

/** The part of the Store that has to do with `active.md`. */
export const activeOperations = (db: Kysely<PersonaTables>, transact: Transact<PersonaTables>): ActiveStore => ({
  async activeState(): Promise<ActiveState | undefined> {
    const row = await db.selectFrom('active_memory').selectAll().executeTakeFirst();
    return row && { changes: row.changes, written: row.written, room: row.room, error: row.error };
  },
  async factsForEverybody(now: number): Promise<readonly Fact[]> {
    const { rows } = await sql<Row<'facts'>>`
      select * from facts ${indexedBy('facts_for_all')} where visibility = 'persona' and status = 'kept'
        and superseded_by is null and (expires_at is null or expires_at > ${now}) order by seq desc`.execute(db);
    return rows.map(({ seq: _, ...fact }) => fact);
  },
  activeWritten: (written: ActiveWritten) => transact((trx) => activeWritten(trx, written)),
});
