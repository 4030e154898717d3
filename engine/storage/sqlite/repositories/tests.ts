import { earliestId } from '../../../lib/ids.ts';
import type { NewTest } from '../../ports/runs.ts';
import { TEST_MAIL } from '../../types/approvals.ts';
import { ownEvent } from '../../types/runs.ts';
import { keepOwnerMail } from '../arriving/arriving.ts';
import type { Reader, Trx } from '../persona/schema/tables.ts';
import { audit } from './approvals.ts';
import { insertMessage, insertRun, insertThread } from './arrivals.ts';
import { appendEvents } from './runs.ts';

/** A mail that somebody tries out: its run, in a thread that nobody else finds anything of. False: they have tried too often. */
export async function keepTest(trx: Trx, { begins, told, most }: NewTest): Promise<boolean> {
  const { at: now, actor: by } = told;
  if (most !== null && (await countTests(trx, { by, since: most.since })) >= most.count) return false;
  await audit(trx, [told]);
  if (begins === null) return true;
  const { thread, message, run, ownerMail } = begins;
  await insertThread(trx, { ...thread, kind: 'test', private_since: now, message_count: 1, now });
  // It has no viewers: with nobody's eyes but an owner's is any of it ever seen.
  await insertMessage(trx, message, { isCounted: true });
  if (ownerMail) await keepOwnerMail(trx, message.id, ownerMail);
  await insertRun(trx, { ...run, kind: 'test' });
  await appendEvents(trx, run.id, 0, [ownEvent('run_queued', { tier: run.tier })], now);
  return true;
}

/** How many mails somebody has tried out since then. */
export async function countTests(
  db: Reader,
  { by, since }: { readonly by: string; readonly since: number },
): Promise<number> {
  const { count } = await db
    .selectFrom('audit_log')
    .select((row) => row.fn.countAll<number>().as('count'))
    // Ids sort by time: no more is read than was told since.
    .where('id', '>=', earliestId(since))
    .where('event', '=', TEST_MAIL)
    .where('actor', '=', by)
    .executeTakeFirstOrThrow();
  return count;
}
