import { matchesGlob } from '../../lib/glob.ts';
import { domainOf } from '../mime/address.ts';
import type { HeaderLine } from '../mime/headers.ts';
import type { Identity } from '../mime/types.ts';
import { isLmtp, isTakenWithLogin, protocolIn, receivedBy } from './received-line.ts';

/** Before a server in `trusted_received` that is believed about the logins it took mail with. */
const LOGIN = 'esmtpsa:';

/** Servers of `trusted_received`: those that only pass mail on, and those that are believed about logins. */
interface TrustedServers {
  readonly hops: readonly string[];
  readonly loginServers: readonly string[];
}

/** Pure. */
export const trustedServers = (trustedReceived: readonly string[]): TrustedServers => ({
  hops: trustedReceived.filter((entry) => !entry.toLowerCase().startsWith(LOGIN)),
  loginServers: trustedReceived
    .filter((entry) => entry.toLowerCase().startsWith(LOGIN))
    .map((entry) => entry.slice(LOGIN.length).toLowerCase()),
});

export const loginEntry = (host: string): string => `${LOGIN}${host}`;

/** That a server took a mail from somebody who had logged in (RFC 3848). */
export interface LoginLine {
  readonly host: string;
  /** Who logged in; null where the line does not say. */
  readonly user: string | null;
}

/**
 * The login with which a mail was handed in, by the first Received line that no hop wrote. Lines below that came with
 * the mail, so a second line of the same server proves nothing: one that is believed about logins and took the mail over
 * SMTP without one had it from anybody, whatever stands below; so had each border. Null: it was not handed in with a login. Pure.
 */
export function loginLine(
  headers: readonly HeaderLine[],
  { hops, loginServers }: TrustedServers,
  borders: readonly string[],
): LoginLine | null {
  const outer = new Set([...loginServers, ...borders.map((border) => border.toLowerCase())]);
  for (const { name, value } of headers) {
    if (name !== 'received') continue;
    const host = receivedBy(value);
    if (host === null) return null;
    if (isTakenWithLogin(value)) return { host, user: userIn(value) };
    if (outer.has(host) && !isLmtp(protocolIn(value))) return null;
    if (!hops.some((pattern) => matchesGlob(host, pattern))) return null;
  }
  return null;
}

/** As Postfix writes it with `smtpd_sasl_authenticated_header`: right before `by`, where no greeting stands. */
function userIn(value: string): string | null {
  const [, user] = /\(Authenticated sender: ([^\s()]{1,254})\)\s{1,20}by\s/i.exec(value.slice(0, 4000)) ?? [];
  return user?.toLowerCase() ?? null;
}

/**
 * Whether the login proves that the address wrote the mail. One that is named proves itself alone. A line that names
 * none proves addresses of the mailbox's own domain: whoever lists the server vouches that it lets nobody send as
 * another. Pure.
 */
export function isProvenByLogin(
  { host, user }: LoginLine,
  letter: { readonly address: string; readonly account: string | null },
  loginServers: readonly string[],
): boolean {
  if (!loginServers.includes(host)) return false;
  const domain = letter.account?.includes('@') ? domainOf(letter.account.toLowerCase()) : null;
  if (user?.includes('@')) return user === letter.address;
  if (domain === null || domainOf(letter.address) !== domain) return false;
  return user === null || `${user}@${domain}` === letter.address;
}

/** Whoever the server let in vouches for the whole of what he handed over. */
export const byLogin = (address: string, { host, user }: LoginLine): Identity => ({
  address,
  authenticated: true,
  method: 'submission',
  ground: 'login',
  covers: null,
  signatures: [],
  detail:
    user === null
      ? `handed to ${host} with a login; whose it was ${host} does not say, so anybody with one could have written it`
      : `handed to ${host} with a login`,
  temporary: false,
});

/** Read again where the cure is told. */
export const LOGIN_SEEN = ' took it with a login';

/** For whoever asks why a mail was not proven. */
export const loginHint = ({ host }: LoginLine): string => `; ${host}${LOGIN_SEEN}`;
