import { EngineError } from '#contract';
import { mailboxSchema } from '../../../config/mailbox-schema.ts';
import type { MailboxConfig } from '../../../config/types.ts';
import type { Fault } from '../../../mailbox/faults/fault.ts';
import { exchangesOf, systemLookups } from '../../../mailbox/finding/lookups.ts';
import { type Login, passwordLogin } from '../../../mailbox/login/login.ts';
import { tryAddress } from '../../../mailbox/trial/address.ts';
import type { Border } from '../../../mailbox/trial/learn.ts';
import { isSafe, type Trial, tryMailbox } from '../../../mailbox/trial/trial.ts';
import type { Traveller } from '../../../mailbox/trial/trip.ts';
import { type ProbedMailbox, probe } from '../../../queries/gateway/probe.ts';
import { type Connection as Known, secretNameOf } from './answers.ts';

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
    if (!config) throw new TypeError('a mailbox of setup has both sides');
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

/** A mail from the mailbox to an address that it is to receive; null: it arrived. */
export const checkAddress = (connection: Connection, address: string, how: Try): Promise<Fault | null> =>
  tryAddress({ ...travellerOf(connection, how), address }, connection.mailbox, how.newId);

function travellerOf(connection: Connection, { loginOf, trusted }: Try): Traveller {
  const { imap, smtp, ...mailbox } = configOf(connection);
  if (!imap || !smtp) throw new TypeError('a mailbox of setup has both sides');
  return {
    ...{ mailbox: { ...mailbox, imap, smtp }, address: connection.mailbox, loginOf, trusted, ms: TRIAL_MS },
    exchangesOf: (domain: string) => exchangesOf(systemLookups(), domain),
    helo: connection.mailbox.slice(connection.mailbox.lastIndexOf('@') + 1),
  };
}

/** The border that a trial taught; nothing where it proves none of our own mail, or would let a forged verdict in. */
export const borderOf = (trial: Trial): Border =>
  trial.ok && isSafe(trial) ? trial.border : { authservId: null, trustedReceived: [] };

/** The first thing that is wrong, in words. */
export function firstFault({ imap, smtp }: ProbedMailbox): Pick<Fault, 'cause' | 'cure'> | null {
  const bad = [imap, smtp].find((one) => one?.ok === false);
  return bad ? { cause: bad.message, cure: bad.cure ?? '' } : null;
}
