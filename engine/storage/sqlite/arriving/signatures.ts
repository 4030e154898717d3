import type { ArrivalQuery } from '../../ports/mail.ts';
import type { StoredMessage, UsedSignatures } from '../../types/mail.ts';
import { compiledQuery } from '../database/compiled-query.ts';
import type { Reader, Trx } from '../persona/schema/tables.ts';

/** Enough that they go faster than they come, few enough that no mail waits for them. */
const FORGET_AT_ONCE = 20;

const usedBy = compiledQuery<{ signatures: readonly string[] }>()((db: Reader, $) =>
  db
    .selectFrom('used_signatures')
    .leftJoin('messages', 'messages.id', 'used_signatures.message')
    .select(['messages.id', 'messages.thread_id', 'messages.run_id', 'used_signatures.silent'])
    .where('used_signatures.sha256', 'in', $.signatures)
    .limit(20),
);

type Signed = Pick<ArrivalQuery, 'signatures' | 'bySignature'>;

/**
 * Whether one of them proved a mail before. What made that one silent, somebody on the way may have put there, and to it
 * alone: a mail whose sender is proven by more than them is heard nevertheless.
 */
export async function knowsSignature(db: Reader, { signatures, bySignature = false }: Signed): Promise<boolean> {
  if (signatures.length === 0) return false;
  return (await usedBy(db, { signatures })).rows.some(({ silent }) => bySignature || silent === 0);
}

interface UseOfSignature {
  /** The message that one of them proved before. */
  readonly message: Pick<StoredMessage, 'id' | 'thread_id' | 'run_id'> | undefined;
  /** Nothing but they proves the mail, and one of them proved another that became no message. */
  readonly isSpent: boolean;
}

export async function useOfSignature(db: Reader, { signatures, bySignature = false }: Signed): Promise<UseOfSignature> {
  if (signatures.length === 0) return { message: undefined, isSpent: false };
  const { rows } = await usedBy(db, { signatures });
  const [message] = rows.flatMap(({ id, thread_id, run_id }) => (id && thread_id ? [{ id, thread_id, run_id }] : []));
  return { message, isSpent: bySignature && rows.some(({ id }) => id === null) };
}

/** `by`: the message that the mail became; `silent`: it is never answered. */
export async function useSignatures(
  trx: Trx,
  used: UsedSignatures,
  by: { readonly message?: string | null; readonly isSilent?: boolean } = {},
): Promise<void> {
  const { signatures, messageId, forgottenBefore, now } = used;
  if (signatures.length === 0) return;
  const { message = null, isSilent = false } = by;
  const silent = isSilent ? 1 : 0;
  await trx
    .insertInto('used_signatures')
    .values(signatures.map((sha256) => ({ sha256, message_id: messageId, message, at: now, silent })))
    .onConflict((conflict) =>
      // Of a mail that was silent, and is heard since it came with more proof, the latter counts.
      conflict
        .column('sha256')
        .doUpdateSet({ message, message_id: messageId, silent })
        .where('used_signatures.silent', '>', silent),
    )
    .execute();
  const old = trx
    .selectFrom('used_signatures')
    .select('sha256')
    .where('at', '<', forgottenBefore)
    .orderBy('at')
    .limit(FORGET_AT_ONCE);
  await trx.deleteFrom('used_signatures').where('sha256', 'in', old).execute();
}
