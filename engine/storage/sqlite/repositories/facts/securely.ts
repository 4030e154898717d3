import { emptyLog, overwriteDeleted } from '../../../dialect.ts';
import type { Reader, Trx } from '../../persona/schema/tables.ts';

/** What is deleted by `work` is overwritten with zeros. SQLite looks at the switch when it frees something, not when it commits. */
export async function securely(trx: Trx, work: () => Promise<void>): Promise<void> {
  await overwriteDeleted(true).execute(trx);
  try {
    await work();
  } finally {
    await overwriteDeleted(false).execute(trx);
  }
}

/** What was erased still stands in the log until the log is emptied. */
export async function emptyLogOf(db: Reader): Promise<void> {
  await emptyLog.execute(db);
}
