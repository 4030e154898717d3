import { isIP } from 'node:net';
import { matchesGlob } from '../../../lib/glob.ts';
import { isPrivateIp } from '../../../lib/ip-address.ts';
import { domainOf } from '../../mime/address.ts';
import { type HeaderLine, headerValues } from '../../mime/headers.ts';
import type { Identity } from '../../mime/types.ts';
import { type MailToJudge, unproven } from '../judge-sender.ts';
import { isTakenWithLogin, receivedBy } from '../received-line.ts';
import type { ServerOfMail } from '../sender-check.ts';
import {
  BORDER_SAYS,
  NO_BORDER,
  NO_VERDICT,
  readVerdict,
  type Stamped,
  type TrustedServer,
} from './authentication-results.ts';
import { judgeStamp, policyOf } from './judge-stamp.ts';
import { isBorderName, UNNAMED } from './results-header.ts';

/** What the gateway's own check has to say yes to as well: the bytes, or what the border's yes rests on. */
export interface ToCheck {
  /** Where that is the sender's own server: the connection that it took the mail from; null where its line does not tell. */
  readonly peer: ServerOfMail | null;
  /**
   * The border tells of no DMARC and has said yes to the domain's own signature. A neighbour who signs an old mail once more must
   * not make it new.
   */
  readonly byItself: boolean;
}

/** What a border's word is worth. */
export interface ByBorder {
  readonly identity: Identity;
  /** Null: its word is all there is. */
  readonly toCheck: ToCheck | null;
}

/**
 * Borders that write a mail anew behind their check, so that its signatures do not hold any more where it lies: Microsoft
 * encodes it anew, Proton decrypts it. How these two write what a sender chose is known.
 */
const REWRITES: ReadonlySet<string> = new Set([UNNAMED, 'mail.protonmail.ch']);

/** Whether the border proves who wrote the mail. Pure. */
export function byBorder({ headers, mailFrom }: Stamped, border: TrustedServer, letter: MailToJudge): ByBorder {
  const { authservId } = border;
  const nobody = (detail: string) => ({ identity: unproven(letter.address, detail), toCheck: null });
  if (!isBorderName(authservId)) return nobody(`${JSON.stringify(authservId)}${NO_BORDER}`);
  const verdict = readVerdict(headers, border, { mailFrom });
  if (verdict.kind === 'silent') return nobody(`${NO_VERDICT}${authservId}`);
  // One that was heard and proves nobody is named: then it is not its name that is set wrong.
  if (verdict.kind !== 'said') return nobody(`${authservId}${BORDER_SAYS}${verdict.detail}`);
  const peer = peerOf(headers, border, domainOf(letter.address));
  const isChecked = !REWRITES.has(authservId.toLowerCase()) && peer !== 'inside';
  const identity = judgeStamp(verdict, { headers, mailFrom }, letter, isChecked);
  if (!identity.authenticated) return nobody(`${authservId}${BORDER_SAYS}${identity.detail}`);
  if (!isChecked) return { identity, toCheck: null };
  // An old mail that is handed in by a server of the domain is none of its own: only where that is what the border says.
  const byItself = policyOf(verdict.dmarc, letter.address) !== 'pass';
  return { identity, toCheck: { peer: identity.covers === null ? peer : null, byItself } };
}

/**
 * The connection that a border took the mail from: by its own Received line, whatever stands below that, or where none bears its
 * name by the first line that tells of a connection from outside. Only the lines of its own servers are looked at, and the one
 * below them. Null where such a line names several addresses, as where a greeting brings another. `inside`: one of them took
 * the mail with a login, and no line of the mail tells of a connection from outside. `domain`: whose server it is to be. Pure.
 */
export function peerOf(
  headers: readonly HeaderLine[],
  { authservId, trustedReceived }: TrustedServer,
  domain: string,
): ServerOfMail | 'inside' | null {
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

const from = (ip: string | undefined, domain: string): ServerOfMail | null =>
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
