import type { Bounce } from '../mail/bounce.ts';
import type { Store } from '../storage/store.ts';

/**
 * A bounce names a mail of ours: its failed recipients are marked, an unknown delivery becomes a known one, and
 * the owner is told once. It never starts a run and is never shown to a model as somebody's words.
 */
export async function applyBounce(store: Store, bounce: Bounce, now: number): Promise<void> {
  if (bounce.originalMessageId === null) return;
  const failed = bounce.recipients.filter(({ action }) => action === 'failed');
  if (failed.length === 0) return;
  const lines = failed.map(({ address, status }) => `${address}: ${status ?? 'failed'}`);
  await store.recordBounce({
    messageId: bounce.originalMessageId,
    failed: failed.map(({ address, status }) => ({ address, smtp: `bounced ${status ?? ''}`.trim() })),
    now,
    notice: (outboxId) => ({
      id: `notice:undelivered:${outboxId}`,
      kind: 'notice',
      due_at: now,
      payload: {
        subject: 'A mail came back',
        text: [
          'A mail that was sent came back as undeliverable.',
          '',
          `Message-ID: ${bounce.originalMessageId}`,
          ...lines,
        ].join('\n'),
      },
    }),
  });
}
