import { sql } from 'kysely';
import type { Reader, Trx } from '../../persona/schema/tables.ts';

/** What is deleted by `work` is overwritten with zeros. SQLite looks at the switch when it frees something, not when it commits. */
export async function securely(trx: Trx, work: () => Promise<void>): Promise<void> {
  await sql`pragma secure_delete = on`.execute(trx);
  try {
    await work();
  } finally {
    await sql`pragma secure_delete = off`.execute(trx);
  }
}

/** What was erased still stands in the log until the log is emptied. */
export async function emptyLogOf(db: Reader): Promise<void> {
  await sql`pragma wal_checkpoint(truncate)`.execute(db);
}
