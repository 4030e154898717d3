import { type Arrived, admittedTier } from './accept.ts';
import { addDeadLetter } from './dead-letter.ts';
import type { ReceiveDeps } from './intake.ts';
import type { ResultWithDetail } from './results.ts';

/** Why a mail could not be read whole. */
export interface Unreadable {
  readonly ok: false;
  readonly code: 'unparsable' | 'mime_limit' | 'too_many_attachments' | 'message_too_large';
  readonly message: string;
}

/**
 * Nothing of it can be believed but its head, so nobody is answered. Of those who may write here the source is kept and
 * the owner is told; for everybody else it is one more mail that is refused.
 */
export async function keepUnreadable(
  deps: ReceiveDeps,
  letter: Omit<Arrived, 'replyTo' | 'recursion' | 'waiting'>,
  { code, message }: Unreadable,
): Promise<Pick<ResultWithDetail, 'decision' | 'code' | 'tier' | 'detail'>> {
  const { persona, raw, mail, identity } = letter;
  const settled = await admittedTier(deps, letter);
  const detail = `${message}; ${identity.detail}`;
  if (settled.verdict === 'refuse') return { decision: 'refused', code: settled.code, tier: null, detail };
  const { tier } = settled;
  // Let in by a default or unproven: whom nobody named gets an answer to what can be read, and nothing kept.
  if (tier === 'unauthenticated') return { decision: 'refused', code: 'auth_failed', tier: null, detail };
  if (tier === 'stranger') return { decision: 'refused', code: 'sender_not_allowed', tier: null, detail };
  await addDeadLetter(deps, {
    key: mail.rawSha256,
    messageId: mail.messageId,
    from: identity.address,
    subject: mail.subject,
    raw,
    persona,
    stage: code === 'message_too_large' ? 'fetch' : 'parse',
    code,
    message,
  });
  return { decision: 'dead_letter', code, tier, detail: message };
}
