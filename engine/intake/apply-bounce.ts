import type { Bounce } from '../mail/bounce.ts';
import { undeliveredNotices } from '../record/notice-job.ts';
import type { Store } from '../storage/ports/store.ts';
import type { KeptMail } from '../storage/types/mail.ts';

/** What a bounce claims of one mail of ours; null when it claims nothing that would change anything. */
export function claimOf({ originalMessageId, recipients }: Bounce) {
  const failed = recipients.filter(({ action }) => action === 'failed');
  if (originalMessageId === null || failed.length === 0) return null;
  return {
    messageId: originalMessageId,
    failed: failed.map(({ address, status }) => ({ address, status, smtp: `bounced ${status ?? ''}`.trim() })),
  };
}

/**
 * A bounce names a mail of ours: those of its recipients who may have got it are marked, an unknown delivery becomes a
 * known one, and the owner is told. It never starts a run and is never shown to a model as somebody's words.
 */
export async function applyBounce(
  store: Store,
  claim: NonNullable<ReturnType<typeof claimOf>>,
  kept: KeptMail,
  now: number,
): Promise<void> {
  const failed = claim.failed.slice(0, 20).map(({ address, status }) => ({ address, status, why: 'refused' as const }));
  await store.recordBounce({
    ...claim,
    kept,
    now,
    notices: (outboxId) => undeliveredNotices(outboxId, failed, now),
  });
}
