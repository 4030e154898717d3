import { isIP } from 'node:net';

/** Where the door stands, as it is configured and bound. */
export interface DoorPlace {
  /** As it listens. */
  readonly host: string;
  /** The port that it got. */
  readonly port: number;
  /** Its address from outside; null: it has none but its own. */
  readonly publicUrl: string | null;
}

/** What of a request tells from where it comes. Header names in lower case; a header that is absent is undefined. */
export interface Asked {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** Under which of its names the door was asked. */
interface CalledAs {
  /** Scheme, name and port, as a browser writes them into Origin. */
  readonly origin: string;
  readonly isHttps: boolean;
}

const LOOPBACK = /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Pure. Null where a request names a host that is none of ours. Anybody can have a name of their own lead to this machine, and then
 * ask from the browser of whoever sits at it (rebinding): so only names that nobody else can have are answered.
 */
export function calledAs({ host, port, publicUrl }: DoorPlace, named: string | undefined): CalledAs | null {
  if (named === undefined || !/^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.test(named)) return null;
  const called = URL.parse(`http://${named}`);
  if (called === null) return null;
  const outside = publicUrl === null ? null : new URL(publicUrl);
  // A proxy may pass on the name with the port of the public address, or without the one that its scheme means.
  if (outside !== null && named.toLowerCase() === outside.host)
    return { origin: outside.origin, isHttps: outside.protocol === 'https:' };
  const isOurs =
    LOOPBACK.test(called.hostname) || (!isEverywhere(host) && bare(called.hostname) === host.toLowerCase());
  return isOurs && Number(called.port || 80) === port ? { origin: called.origin, isHttps: false } : null;
}

/**
 * Pure. Where a link leads that is mailed to somebody: never to what a request says, which whoever asks may choose, and not to
 * another name of this machine either, at which somebody else may listen. Null where a code could be read on its way.
 */
export function mailedOrigin({ host, port, publicUrl }: DoorPlace): string | null {
  if (publicUrl !== null) {
    const { protocol, hostname, pathname, origin } = new URL(publicUrl);
    return pathname === '/' && (protocol === 'https:' || LOOPBACK.test(hostname)) ? origin : null;
  }
  const name = isEverywhere(host) ? (host === '::' ? '::1' : '127.0.0.1') : host.toLowerCase();
  const called = URL.parse(`http://${name.includes(':') ? `[${name}]` : name}:${port}`);
  return called !== null && LOOPBACK.test(called.hostname) ? called.origin : null;
}

/** Where a browser makes passkeys and asks for them, and nowhere else. */
export interface PasskeyPlace {
  /** As the browser writes it into what a passkey signs. */
  readonly origin: string;
  /** The host that a passkey belongs to (RP ID). */
  readonly rpId: string;
}

/**
 * Pure. Null where browsers have none: they want https and a name, and take `localhost` alone without it (Web Authentication, 5.1.3).
 * The name is that of `public_url`, never what a request says.
 */
export function passkeyPlace({ publicUrl }: Pick<DoorPlace, 'publicUrl'>): PasskeyPlace | null {
  if (publicUrl === null) return null;
  const { protocol, hostname, pathname, origin } = new URL(publicUrl);
  const isSafe = protocol === 'https:' ? isIP(bare(hostname)) === 0 : hostname === 'localhost';
  return isSafe && pathname === '/' ? { origin, rpId: hostname } : null;
}

const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');

/** Pure. Whether it listens on all addresses of the machine: then it is no name. */
export const isEverywhere = (host: string): boolean => host === '0.0.0.0' || host === '::';

/** Why a request is not to be answered, whoever asks. */
export type DoorRefusal = 'foreign_host' | 'foreign_origin' | 'foreign_site' | 'no_upgrade' | 'wrong_type';

/**
 * Pure. What changes something has to come from a page of ours: a browser says so in Origin and in Sec-Fetch-Site, and a page of
 * somebody else can leave neither away nor change it. A page of another port of this machine gets the cookie along (a site
 * has no port), and is told from ours by the same two.
 */
export function refusedOf({ method, headers }: Asked, called: CalledAs | null): DoorRefusal | null {
  if (called === null) return 'foreign_host';
  if (headers.upgrade !== undefined) return 'no_upgrade';
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  if (origin !== undefined && origin !== called.origin) return 'foreign_origin';
  if (method === 'GET' || method === 'HEAD') {
    // Somebody may follow a link to us from anywhere; nothing else of another page gets an answer.
    const isOwn = site === undefined || site === 'same-origin' || site === 'none';
    const isFollowed = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
    return isOwn || isFollowed ? null : 'foreign_site';
  }
  if (site !== undefined && site !== 'same-origin') return 'foreign_site';
  if (origin === undefined && site === undefined) return 'foreign_origin';
  return /^application\/x-www-form-urlencoded(?:;|$)/i.test(headers['content-type'] ?? '') ? null : 'wrong_type';
}

/** Of the cookie. A name that a browser takes over https alone, and that no other host can have set, where there is https. */
export const cookieName = ({ port }: Pick<DoorPlace, 'port'>, { isHttps }: CalledAs): string =>
  isHttps ? '__Host-epistle' : `epistle_${port}`;

/** Of the cookie by which a browser is known again that asked for a mail to be let in. */
export const askedName = (cookie: string): string => `${cookie}_asked`;

/** Of the cookie by which a browser is known again that asked to be let in by a passkey. */
export const passkeyName = (cookie: string): string => `${cookie}_passkey`;

/** Of the cookie by which a browser is known again that comes back from another provider. */
export const oidcName = (cookie: string): string => `${cookie}_oidc`;

/** Pure. The value of a cookie; null also where it is there twice, of which one may be somebody else's. */
export function cookieIn(header: string | undefined, name: string): string | null {
  const found = (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${name}=`));
  return found.length === 1 ? (found[0]?.slice(name.length + 1) ?? null) : null;
}

/** `Lax`: it comes along when somebody is led here from another site, which proves nothing by itself. */
export function cookieFor(
  name: string,
  value: string,
  { isHttps }: CalledAs,
  maxAgeS: number,
  sameSite: 'Strict' | 'Lax' = 'Strict',
): string {
  const secure = isHttps ? '; Secure' : '';
  return `${name}=${value}; Path=/; HttpOnly; SameSite=${sameSite}; Max-Age=${maxAgeS}${secure}`;
}
