import {
  BORDER_SAYS,
  NO_BORDER,
  NO_VERDICT,
  OWN_CHECK,
  UNBELIEVED,
} from '../../mail/identity/border/authentication-results.ts';
import { UNNAMED } from '../../mail/identity/border/results-header.ts';
import { LOGIN_SEEN, loginEntry } from '../../mail/identity/login-line.ts';
import type { SeenMail } from '../../storage/types/gateway.ts';

/** What to do about a refusal, or a wait, by its code; for its reader. */
export const CURES: Readonly<Record<string, string>> = {
  unknown_recipient: 'no persona has this address; see `epistle persona list`',
  sender_not_allowed:
    'allow the sender in the persona’s access.allow (`epistle senders allow ADDRESS`), or write as an owner',
  sender_denied: 'a deny rule of the persona or of security.json matches the sender',
  auth_failed: 'nothing proves who wrote it; use --as-submission, or send it from a domain with DKIM',
  persona_paused: 'it waits; `epistle persona resume` takes it up',
  persona_stopped: 'it waits; an owner’s RESUME takes it up',
  budget: 'it waits for the next day, or until `budget` in persona.json is raised',
  provider_unavailable: 'it waits and is tried again by itself; see `epistle status`',
  not_handed_over:
    'its mailbox could not hand it over; it is asked for again by itself, or by `epistle deadletters requeue` once it is a dead letter',
  resync_held: 'it waits for its owner; `epistle mailbox resync` says what becomes of it',
  marked_deleted: 'somebody has thrown it away in the mailbox',
  provider_setup: 'it waits until a key, an account or the name of a model is mended; see `epistle status`',
  request_failed: 'it waits and is tried again by itself: the model answers other mail, and failed at this one',
  slowed_down: 'it waits for a quarter of an hour, since its sender writes at once after each answer',
  taken_by_person: 'a person answers in this conversation; `epistle threads give` has the persona answer in it again',
  loop_limit:
    'too many mails went back and forth; `epistle mail retry` answers this one all the same, and the limits are `loop_guard` in configs/security.json',
  hop_limit:
    'it went between personas as often as `recursion_depth` in configs/inference.json lets it, or through too many servers; `epistle mail retry` answers it all the same',
  message_too_large: 'see limits.max_message_bytes in configs/gateway.json',
};

type Refused = Pick<SeenMail, 'code' | 'persona_id' | 'from_address' | 'mailbox' | 'detail'>;

/** The same of a mail that came from outside, with the names of its files; null where nothing has to be done. Pure. */
export function cureOf({ code, persona_id: persona, from_address: from, mailbox, detail }: Refused): string | null {
  const file = `personas/${persona}/persona.json`;
  switch (code) {
    case 'sender_not_allowed':
      // No address in a command to be copied: whoever wrote it chose its characters.
      return `add ${JSON.stringify(from ?? '')} to access.allow in ${file}; \`epistle senders allow ADDRESS\` does that, and answers this mail`;
    case 'auth_failed':
      return cureOfUnproven(mailbox, detail);
    case 'before_first_connect':
      return 'it came before the gateway first read the mailbox; `epistle mail retry` takes it in';
    case 'unknown_recipient':
      return 'no persona has this address; give it to one as address or in aliases of its persona.json';
    case 'persona_error':
      return `mend its files; \`epistle persona validate ${persona}\` says how`;
    case 'from_missing':
    case 'from_ambiguous':
      return 'its From header names nobody, or more than one; whoever sends it has to mend that';
    case 'too_many_attachments':
      return 'see limits.max_attachments in configs/gateway.json';
    case 'sender_rate_limited':
      return `mail of a proven sender waits for its turn, and \`epistle mail retry\` answers one that was too much even for that; for more of it in an hour, raise budget.runs_per_sender_per_hour in ${file}`;
    default:
      return (code === null ? undefined : CURES[code]) ?? null;
  }
}

/** What finds out and writes by itself what the next sentences say to write by hand. */
export const learns = (mailbox: string): string =>
  `\`epistle mailbox test ${mailbox} --send\` learns and writes what proves senders`;

/** The mailbox whose settings may be why nothing proves the mail, and are learned by a mail to itself; null: they are not why. Pure. */
export function learnableOf({ code, mailbox, detail }: Pick<Refused, 'code' | 'mailbox' | 'detail'>): string | null {
  if (code !== 'auth_failed' || detail?.includes(NO_BORDER)) return null;
  const isVerdict = detail?.includes(BORDER_SAYS) ?? false;
  return detail?.includes(LOGIN_SEEN) || (!isVerdict && mayBeOfSettings(detail)) ? mailbox : null;
}

function cureOfUnproven(mailbox: string | null, detail: string | null): string {
  if (detail?.includes(NO_BORDER)) return cureOfName(mailbox);
  if (mailbox !== null && detail?.includes(LOGIN_SEEN)) return cureOfLogin(detail);
  if (mailbox !== null && detail?.includes(BORDER_SAYS)) return cureOfBorder(detail);
  if (mailbox === null || !mayBeOfSettings(detail))
    return 'nothing proves who wrote it; its sender needs DKIM or SPF that fits the From address';
  if (detail?.startsWith(NO_VERDICT + UNNAMED))
    return `nothing proves who wrote it; ${learns(mailbox)}; by hand, the servers of mailbox ${mailbox} that pass mail on above its first Authentication-Results have to be named in gateway_auth.trusted_received in configs/security.json`;
  return `nothing proves who wrote it; ${learns(mailbox)}; by hand, imap.authserv_id of mailbox ${mailbox} in configs/gateway.json has to be the name with which Authentication-Results of its mail begin, and servers that write Received lines above those have to be named in gateway_auth.trusted_received in configs/security.json`;
}

/** Of a setting that a trial of before wrote for a border without a name. */
function cureOfName(mailbox: string | null): string {
  const key =
    mailbox === null ? 'smtp_listener.trusted_relays[].authserv_id' : `imap.authserv_id of mailbox ${mailbox}`;
  return `${key} in configs/gateway.json is no name, so nobody is proven: take it out, and signatures (DKIM) are checked here, or set it to "${UNNAMED}" where the border writes no name before its verdicts`;
}

/** No verdict was found, or none is looked for: the gateway's own check of the bytes proved nobody. */
const mayBeOfSettings = (detail: string | null): boolean =>
  detail === null || detail.startsWith(NO_VERDICT) || detail.startsWith('dmarc=');

/** Of a verdict that was read: the settings are right, and another name in them would let in whoever forges it. */
function cureOfBorder(detail: string): string {
  const border = detail.slice(0, detail.indexOf(BORDER_SAYS));
  if (detail.startsWith(UNBELIEVED, border.length + BORDER_SAYS.length))
    return `whoever sent it may have written a part of what ${border} says of it, so that proves nobody; where it is forged, nothing has to be done, and a sender who is honest writes from an address without quotes and brackets`;
  if (detail.includes(OWN_CHECK))
    return `${border} vouches for it, and the gateway’s own check does not: the mail was changed behind ${border}, is too large to be checked, or was made to be read in two ways; a sender who is honest writes by a server that SPF of the From domain names, or by one behind which nothing changes the mail`;
  return `${border} does not vouch for its From address: its sender needs a DKIM signature of the From domain, or SPF of that very domain; where it is forged, nothing has to be done`;
}

/** The server stands before the words by which a detail tells of it. */
function cureOfLogin(detail: string): string {
  const host = detail.slice(0, detail.indexOf(LOGIN_SEEN)).split(' ').at(-1) ?? '';
  return `if ${host} lets nobody who logs in there send as somebody else, add ${JSON.stringify(loginEntry(host))} to gateway_auth.trusted_received in configs/security.json; \`epistle mailbox test --send\` sees whether it does`;
}
