import { EngineError } from '#contract';
import { mailboxSchema } from '../../../config/mailbox-schema.ts';
import type { MailboxConfig } from '../../../config/types.ts';
import type { Fault } from '../../../mailbox/faults/fault.ts';
import { exchangesOf, systemLookups } from '../../../mailbox/finding/lookups.ts';
import { type Login, passwordLogin } from '../../../mailbox/login/login.ts';
import { type ProbedMailbox, probe } from '../../../queries/gateway/probe.ts';
import { tryAddress } from '../../trial/address.ts';
import type { LearnedServer, NamedBorder } from '../../trial/learn.ts';
import { isSafe, type TestedBorder, type Trial, tryBorder, tryMailbox } from '../../trial/trial.ts';
import type { Traveller } from '../../trial/trip.ts';
import { type MailboxConnection as Known, secretNameOf } from './answers.ts';

const LOGIN_MS = 15_000;
const TRIAL_MS = 90_000;

type Connection = Omit<Known, 'filesSent'>;

/** What each side logs in with. */
export type LoginOf = (side: 'imap' | 'smtp') => Login;

/** The mailbox as it is about to be written. Throws `usage` where it could not be. */
export function configOf({ id, imap, smtp, user, caFile, oauth, present }: Connection): MailboxConfig {
  const login = { user, tls_ca_file: caFile, ...(oauth ? { auth: 'oauth' } : {}) };
  const secret = { secret_env: secretNameOf({ id }) };
  const sides = {
    imap: { ...(present?.imap ?? secret), ...imap, ...login },
    smtp: { ...(present?.smtp ?? secret), ...smtp, ...login },
  };
  const logIn = oauth ? { oauth: { ...present?.oauth, ...oauth } } : {};
  const read = mailboxSchema.safeParse({ ...present, id, ...sides, ...logIn });
  if (read.success) return read.data;
  const wrong = read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new EngineError('usage', `this mailbox cannot be: ${wrong.join('; ')}`);
}

/** The secrets of both sides, by the names of their variables. */
export const withSecrets =
  (connection: Connection, secretOf: (name: string) => string | undefined): LoginOf =>
  (side) => {
    const { [side]: config } = configOf(connection);
    if (!config) throw oneSided();
    return passwordLogin(config, secretOf);
  };

/** Logs in on both sides and leaves again. */
export const checkLogin = (connection: Connection, loginOf: LoginOf): Promise<ProbedMailbox> =>
  probe(configOf(connection), { loginOf, helo: 'localhost', ms: LOGIN_MS, keepsDrafts: false });

interface Try {
  readonly loginOf: LoginOf;
  readonly trusted: readonly string[];
  newId(): string;
}

/** A mail from the mailbox to itself. */
export const checkRoundTrip = (connection: Connection, how: Try): Promise<Trial> =>
  tryMailbox(travellerOf(connection, how), how.newId);

/** Mails that are made to deceive a border which a mail of this person shows; in words, why that could not be tried. */
export async function checkBorder(
  connection: Connection,
  { border, person, ...how }: Try & { readonly border: NamedBorder; readonly person: string },
): Promise<TestedBorder | string> {
  const tested = await tryBorder(travellerOf(connection, how), border, { person, newId: how.newId });
  return 'forged' in tested ? tested : `It could not be tried: ${tested.fault.cause}.`;
}

/** The servers that take mail for the mailbox's domain from outside. */
export const exchangesOfMailbox = ({ mailbox }: Pick<Connection, 'mailbox'>): Promise<readonly string[]> =>
  exchangesOf(systemLookups(), mailbox.slice(mailbox.lastIndexOf('@') + 1));

/** A mail from the mailbox to an address that it is to receive; null: it arrived. */
export const checkAddress = (connection: Connection, address: string, how: Try): Promise<Fault | null> =>
  tryAddress({ ...travellerOf(connection, how), address }, connection.mailbox, how.newId);

function travellerOf(connection: Connection, { loginOf, trusted }: Try): Traveller {
  const { imap, smtp, ...mailbox } = configOf(connection);
  if (!imap || !smtp) throw oneSided();
  return {
    mailbox: { ...mailbox, imap, smtp },
    address: connection.mailbox,
    loginOf,
    trusted,
    ms: TRIAL_MS,
    exchangesOf: (domain: string) => exchangesOf(systemLookups(), domain),
    helo: connection.mailbox.slice(connection.mailbox.lastIndexOf('@') + 1),
  };
}

/** The border that a trial taught; nothing where it proves none of our own mail, or would let a forged verdict in. */
export const borderOf = (trial: Trial): LearnedServer =>
  trial.ok && isSafe(trial) ? trial.border : { authservId: null, trustedReceived: [] };

/** The first thing that is wrong, in words, and at which of the two servers. */
export function firstFault({ imap, smtp }: ProbedMailbox): FoundFault | null {
  const [side, bad] = imap?.ok === false ? (['imap', imap] as const) : (['smtp', smtp] as const);
  if (!bad || bad.ok) return null;
  return { side, code: bad.code ?? 'unknown', cause: bad.message, cure: bad.cure ?? '' };
}

export interface FoundFault extends Fault {
  readonly side: 'imap' | 'smtp';
}

type Code = Fault['code'];

/** The address, the port or the TLS of the server is wrong, or there is no server. */
const OF_SERVER: ReadonlySet<Code> = new Set([
  ...(['name_not_found', 'refused', 'unreachable', 'ipv6_only', 'timed_out', 'silent', 'hung_up'] as const),
  ...(['proxy_line_expected', 'tls_not_spoken', 'tls_spoken_at_once', 'starttls_missing', 'starttls_refused'] as const),
  ...(['imap_on_smtp_port', 'smtp_on_imap_port', 'pop3_port', 'http_port', 'other_service'] as const),
  ...(['certificate_other_name', 'certificate_expired', 'certificate_invalid', 'tls_too_old', 'tls_failed'] as const),
  ...(['auth_not_offered', 'login_in_clear_refused', 'client_certificate_wanted'] as const),
]);
const OF_AUTHORITY: ReadonlySet<Code> = new Set([
  ...(['certificate_self_signed', 'certificate_unknown_ca', 'certificate_not_of_ca_file'] as const),
  ...(['ca_file_missing', 'ca_file_unusable'] as const),
]);

/** Pure. Which answer of a person a fault calls into question. */
export const doubtedBy = ({ code }: Fault): 'server' | 'authority' | 'secret' =>
  OF_SERVER.has(code) ? 'server' : OF_AUTHORITY.has(code) ? 'authority' : 'secret';

/** Pure. What cures it where nothing is written yet: the next prompt, or a flag. The files of a cure are not there. */
export function cureHere(fault: FoundFault, isAsked: boolean): string {
  const { side, code, cure } = fault;
  const doubted = doubtedBy(fault);
  if (doubted === 'server') return isAsked ? 'give the server once more' : `name another server with --${side}`;
  if (doubted === 'authority')
    return isAsked
      ? 'whoever runs the server has the file of that authority (PEM)'
      : 'get the file of that authority from whoever runs the server (PEM), and name it with --ca-file';
  if (isAsked && (code === 'wrong_password' || code === 'secret_missing')) return 'type it once more';
  return cure;
}

const oneSided = (): TypeError => new TypeError('a mailbox of setup has both sides');
