import type { PersonaEntry, SecurityConfig } from '../../config/types.ts';
import { standingOf } from '../../mail/access.ts';
import { isStillOpen } from '../../mail/approval/senders/still-open.ts';
import type { SenderQuestion, SenderVerdict } from '../../storage/types/gateway.ts';

/** What is to be done about one sender of whom an owner has answered, or why nothing is. */
export type Judged =
  | {
      readonly do: 'allow' | 'block' /** The rule is to be written; it may be there already. */;
      readonly writes: boolean;
    }
  | { readonly do: 'once' }
  | { readonly do: 'nothing'; readonly why: Untouched };

export type Untouched = 'settled' | 'expired' | 'needsProof' | 'isOwner' | 'denied' | 'notYours' | 'isPattern';

/**
 * Only an owner of that persona decides, once (after `once`, once more), and in time. An answer gives leave to write and never proof: of a mail that
 * nobody is proven to have written nothing is taken in by it. An owner is blocked by no mail, or a forged one could have
 * them blocked; and a rule that refuses counts before what a mail says. Pure.
 */
export function judgeAnswer(
  question: SenderQuestion,
  verdict: SenderVerdict,
  { answerId, by, answeredAt, entry, access }: Given,
): Judged {
  const { sender, code } = question;
  const isOwn = question.answer_id === answerId;
  if (entry?.state !== 'ready' || standingOf(by, entry.persona, access) !== 'owner') return nothing('notYours');
  if (!isOwn && !isStillOpen(question, verdict)) return nothing('settled');
  if (!isOwn && question.until <= answeredAt) return nothing('expired');
  // As a rule it would fit others.
  if (sender.includes('*')) return nothing('isPattern');
  const standing = standingOf(sender, entry.persona, access);
  if (verdict === 'block')
    return standing === 'owner' ? nothing('isOwner') : { do: 'block', writes: standing !== 'denied' };
  if (code === 'auth_failed') return nothing('needsProof');
  if (standing === 'denied') return nothing('denied');
  return verdict === 'once' ? { do: 'once' } : { do: 'allow', writes: standing === null };
}

const nothing = (why: Untouched): Judged => ({ do: 'nothing', why });

interface Given {
  readonly answerId: string;
  readonly by: string;
  readonly answeredAt: number;
  /** The persona that refused the mail. */
  readonly entry: PersonaEntry | undefined;
  readonly access: Pick<SecurityConfig['gateway_access'], 'allow' | 'deny'>;
}
