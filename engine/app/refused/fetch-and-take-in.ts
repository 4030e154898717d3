import type { AskedTakingIn, TakenInAgain } from '../../actions/mail/retry-mail.ts';
import { isRefusal, type Refusal, refusal } from '../../actions/refusal.ts';
import { fetchAgain } from '../../gateway/imap/client/fetch-again.ts';
import type { IncomingMail } from '../../intake/incoming.ts';
import type { SeenMail } from '../../storage/types/gateway.ts';
import type { Workspace } from '../../workspace.ts';

/** A mail that only its mailbox has is fetched from there and taken in, as its watcher would. `isIt`: whether it is the one. */
export async function fetchAndTakeIn(
  workspace: Workspace,
  place: SeenMail,
  asked: AskedTakingIn & { readonly by?: string },
  isIt: (raw: Uint8Array) => boolean = () => true,
): Promise<TakenInAgain | Refusal> {
  const incoming = await fetchedAgain(workspace, place);
  if (isRefusal(incoming)) return incoming;
  if (!isIt(incoming.raw)) return refusal('not_found', 'what lies there now is another mail');
  const { receiveBeside } = await import('../taking-in.ts');
  return receiveBeside(workspace, askedFor(incoming, asked));
}

/**
 * The mail as an owner asks for it: the limit that it met at that persona does not stop it there again, and `by`, an address or
 * `cli`, stands in that persona's log. Pure.
 */
export const askedFor = (
  incoming: IncomingMail,
  { stoppedBy, persona, by }: AskedTakingIn & { readonly by?: string },
): IncomingMail => ({
  ...incoming,
  ...(stoppedBy === null || persona === null ? {} : { fate: { again: [stoppedBy], asked: persona } }),
  ...(by === undefined ? {} : { askedBy: { by, persona } }),
});

type Seen = Pick<SeenMail, 'message_id' | 'mailbox' | 'uidvalidity' | 'uid'>;

/** A mail that only its mailbox has, as its watcher would hand it in; why not, where it cannot be had. */
async function fetchedAgain({ live, logins, clock }: Workspace, seen: Seen): Promise<IncomingMail | Refusal> {
  const { mailbox: id, uidvalidity: uidValidity, uid } = seen;
  const { mailboxes, limits } = live.current().gateway;
  const mailbox = mailboxes.find((one) => one.id === id);
  if (!mailbox?.imap || uidValidity === null || uid === null) {
    return refusal('not_found', 'neither its source was kept, nor is there a mailbox to fetch it from');
  }
  const isNamed = !seen.message_id.endsWith('.invalid>');
  const found = await fetchAgain(
    mailbox.imap,
    { uidValidity, uid, messageId: isNamed ? seen.message_id : null },
    { login: logins.of(mailbox, 'imap'), maxMessageBytes: limits.max_message_bytes, now: clock.now() },
  );
  if (found.kind === 'too_large') return refusal('message_too_large', `${found.why}; see limits.max_message_bytes`);
  if (found.kind === 'is_not') return refusal('not_found', found.why);
  if (found.kind !== 'is') return refusal('unavailable', `${found.why}; it can be fetched again later`);
  return {
    raw: found.raw,
    arrival: { door: 'imap', authservId: mailbox.imap.authserv_id },
    envelope: { returnPath: null, recipients: null },
    place: { mailbox: mailbox.id, uidvalidity: found.uidValidity, uid: found.uid },
    account: mailbox.imap.user,
    arrivedAt: found.internalDate,
  };
}
