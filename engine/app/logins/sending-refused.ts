import type { MailboxConfig } from '../../config/types.ts';
import type { MailOutcome } from '../../delivery/smtp-transport.ts';
import type { RefusedOften } from '../../gateway/imap/types.ts';
import { faultOf } from '../../mailbox/faults/fault-of.ts';
import { sideOf } from '../../mailbox/faults/side.ts';

/** A server that takes a login again after less has mended itself. */
const OFTEN_MS = 10 * 60_000;

/** What is known of the logins by which mail leaves through one mailbox. */
interface Refusals {
  readonly since: number;
  readonly isTold: boolean;
}

/**
 * Pure. What is known after an attempt; `tell`: the login has been refused for so long that it is no accident. Undefined:
 * it is taken. A server that was not reached, or put the mail off, has said nothing about the login.
 */
function afterAttempt(
  before: Refusals | undefined,
  kind: MailOutcome['kind'],
  now: number,
): { readonly refusals: Refusals | undefined; readonly tell: boolean } {
  if (kind === 'retry' || kind === 'held') return { refusals: before, tell: false };
  if (kind !== 'auth') return { refusals: undefined, tell: false };
  const { since, isTold } = before ?? { since: now, isTold: false };
  const tell = !isTold && now - since >= OFTEN_MS;
  return { refusals: { since, isTold: isTold || tell }, tell };
}

/** Hears of each attempt to send, and tells once when the server of a mailbox goes on refusing its login. */
export function watchSending(deps: {
  readonly now: () => number;
  mailboxes(): readonly MailboxConfig[];
  tell(mailbox: MailboxConfig, refused: RefusedOften): void;
}): (id: string, outcome: Pick<MailOutcome, 'kind' | 'smtp'>) => void {
  const known = new Map<string, Refusals>();
  return (id, { kind, smtp: text }) => {
    const { refusals, tell } = afterAttempt(known.get(id), kind, deps.now());
    if (refusals) known.set(id, refusals);
    else known.delete(id);
    const mailbox = deps.mailboxes().find((one) => one.id === id);
    if (!tell || !refusals || !mailbox?.smtp) return;
    const said = { stage: 'login', code: null, text } as const;
    const { cause, cure } = faultOf({ side: sideOf('smtp', mailbox.smtp), seen: null, said });
    deps.tell(mailbox, { since: refusals.since, error: `${cause}; ${cure}` });
  };
}
