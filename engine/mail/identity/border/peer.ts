import { isIP } from 'node:net';
import { matchesGlob } from '../../../lib/glob.ts';
import { isPrivateIp } from '../../../lib/ip-address.ts';
import { type HeaderLine, headerValues } from '../../mime/headers.ts';
import { isTakenWithLogin, receivedBy } from '../received-line.ts';
import type { Peer } from '../sender-check.ts';
import type { Border } from './authentication-results.ts';

/**
 * The connection that a border took the mail from: by its own Received line, whatever stands below that, or where none bears its
 * name by the first line that tells of a connection from outside. Only the lines of its own servers are looked at, and the one
 * below them. Null where such a line names several addresses, as where a greeting brings another. `inside`: one of them took
 * the mail with a login, and no line of the mail tells of a connection from outside. `domain`: whose server it is to be. Pure.
 */
export function peerOf(
  headers: readonly HeaderLine[],
  { authservId, trustedReceived }: Border,
  domain: string,
): Peer | 'inside' | null {
  const lines = headerValues(headers, 'received');
  const isInside = !lines.flatMap((line) => addressesIn(line)).some(isPublic);
  const isOwn = (host: string) => host === authservId.toLowerCase();
  const found: string[] = [];
  for (const line of lines) {
    const host = receivedBy(line);
    const [ip, ...others] = addressesIn(line);
    if (host === null || others.length > 0) return null;
    const isOurs = isOwn(host) || trustedReceived.some((glob) => matchesGlob(host, glob));
    if (isOurs && isInside && isTakenWithLogin(line)) return 'inside';
    if (isOwn(host)) return from(ip, domain);
    found.push(...(ip === undefined ? [] : [ip]));
    if (!isOurs) break;
  }
  return from(
    found.find((ip) => isInside || isPublic(ip)),
    domain,
  );
}

const from = (ip: string | undefined, domain: string): Peer | null =>
  ip === undefined ? null : { ip, helo: '', mailFrom: `postmaster@${domain}` };

/** What the line names before `by`; a line with several `by` is looked at as a whole. */
function addressesIn(line: string): readonly string[] {
  const parts = line.split(/\sby\s/i);
  const from = parts.length === 2 ? (parts[0] ?? '') : line;
  const words = from.slice(0, MAX_CHARS).split(/[\s()[\];,=]+/);
  return [...new Set(words.map((word) => word.replace(/^ipv6:/i, '').toLowerCase()).filter((word) => isIP(word) > 0))];
}

const MAX_CHARS = 4000;

const isPublic = (ip: string): boolean => !isPrivateIp(ip);
