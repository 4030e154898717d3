import { type Bounce, parseBounce } from '../../mail/bounce.ts';
import { undeliveredNotices } from '../../record/jobs/notice-job.ts';
import type { WriterDeps } from '../deps.ts';
import type { MailFacts } from '../facts.ts';

/**
 * A bounce names a mail of ours: those of its recipients who may have got it are marked, an unknown delivery becomes a
 * known one, and the owner is told. It never starts a run and is never shown to a model as somebody's words. Its bytes
 * are kept only if it says something new; any other mail changes nothing.
 */
export async function applyBounce(
  { stores, announce, filesOf }: WriterDeps,
  { persona, mail, raw, now }: MailFacts,
  code: string,
): Promise<void> {
  const bounce = parseBounce(mail);
  const claim = bounce && claimOf(bounce);
  // A persona that never had mail has sent none that could come back.
  if (!claim || !stores.exists(persona.id)) return;
  const failed = claim.failed.slice(0, 20).map(({ address, status }) => ({ address, status, why: 'refused' as const }));
  const kept = { raw_sha256: mail.rawSha256, code, message_id: mail.messageId, bytes: raw.byteLength, at: now };
  await stores.use(persona.id, async (store) => {
    if (!(await store.isNewBounce(claim))) return;
    await filesOf(persona.id).keepMail(raw, mail.rawSha256);
    const notices = (outboxId: string) => undeliveredNotices(outboxId, failed, now);
    await announce(persona.id, now, () => store.recordBounce({ ...claim, kept, now, notices }));
  });
}

/** What a bounce claims of one mail of ours; null when it claims nothing that would change anything. */
function claimOf({ originalMessageId, recipients }: Bounce) {
  const failed = recipients.filter(({ action }) => action === 'failed');
  if (originalMessageId === null || failed.length === 0) return null;
  return {
    messageId: originalMessageId,
    failed: failed.map(({ address, status }) => ({ address, status, smtp: `bounced ${status ?? ''}`.trim() })),
  };
}
