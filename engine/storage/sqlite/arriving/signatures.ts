import type { StoredMessage, UsedSignatures } from '../../types/mail.ts';
import { compiledQuery } from '../database/compiled-query.ts';
import type { Reader, Trx } from '../persona/schema/tables.ts';

/** Enough that they go faster than they come, few enough that no mail waits for them. */
const FORGET_AT_ONCE = 20;

const usedBy = compiledQuery<{ signatures: readonly string[] }>()((db: Reader, $) =>
  db
    .selectFrom('used_signatures')
    .leftJoin('messages', 'messages.id', 'used_signatures.message')
    .select(['messages.id', 'messages.thread_id', 'messages.run_id'])
    .where('used_signatures.sha256', 'in', $.signatures)
    .limit(1),
);

/** Whether one of them proved a mail before. */
export async function knowsSignature(db: Reader, signatures: readonly string[]): Promise<boolean> {
  return signatures.length > 0 && (await usedBy(db, { signatures })).rows.length > 0;
}

/** The message that one of them proved before. */
export async function messageOfSignature(
  db: Reader,
  signatures: readonly string[],
): Promise<Pick<StoredMessage, 'id' | 'thread_id' | 'run_id'> | undefined> {
  if (signatures.length === 0) return undefined;
  const [row] = (await usedBy(db, { signatures })).rows;
  return row?.id && row.thread_id ? { id: row.id, thread_id: row.thread_id, run_id: row.run_id } : undefined;
}

export async function useSignatures(trx: Trx, used: UsedSignatures, message: string | null): Promise<void> {
  const { signatures, messageId, forgottenBefore, now } = used;
  if (signatures.length === 0) return;
  await trx
    .insertInto('used_signatures')
    .values(signatures.map((sha256) => ({ sha256, message_id: messageId, message, at: now })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const old = trx
    .selectFrom('used_signatures')
    .select('sha256')
    .where('at', '<', forgottenBefore)
    .orderBy('at')
    .limit(FORGET_AT_ONCE);
  await trx.deleteFrom('used_signatures').where('sha256', 'in', old).execute();
}
