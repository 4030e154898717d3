import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { type HeaderBlock, headerValues, readHeaders } from './headers.ts';
import type { ParsedMail } from './types.ts';

const RECURSION_HEADER = 'X-Epistle-Recursion';
const KEY = RECURSION_HEADER.toLowerCase();

/** All that a mail of ours has of these is sealed; servers on the way add others. */
const SEALED = new Set([
  'from',
  'to',
  'cc',
  'reply-to',
  'subject',
  'date',
  'message-id',
  'in-reply-to',
  'references',
  'mime-version',
  'content-type',
  'content-transfer-encoding',
  'auto-submitted',
]);

export interface Hops {
  /** How many further hops the mail allows. */
  readonly depth: number;
  readonly secret: string;
}

/**
 * A mail of ours with its signed hop count on top. The seal is over the words, too: whoever got the mail must not be
 * able to send other words on in a persona's name.
 */
export function sealMail(raw: Uint8Array, { depth, secret }: Hops): Uint8Array {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const seal = sealOf(depth, digestOf(bytes, readHeaders(bytes)), secret);
  return Buffer.concat([Buffer.from(`${RECURSION_HEADER}: ${depth}; s=${seal}\r\n`), bytes]);
}

/** How many further hops our own mail allows; null without the header or without our seal. */
export function verifyRecursion(mail: Pick<ParsedMail, 'headers' | 'provable'>, secret: string): number | null {
  const { fault, seal } = mail.provable;
  const values = headerValues(mail.headers, KEY);
  const match = /^(\d{1,3}); s=([0-9a-f]{32})$/.exec(values.length === 1 ? (values[0] ?? '') : '');
  if (!match?.[1] || !match[2] || seal === null || fault !== null) return null;
  const depth = Number(match[1]);
  return timingSafeEqual(Buffer.from(sealOf(depth, seal, secret)), Buffer.from(match[2])) ? depth : null;
}

/** What the seal of a mail is made over; null for a mail that does not claim to have one. */
export function sealedDigest(raw: Buffer, block: HeaderBlock): string | null {
  return block.lines.some(({ name }) => name === KEY) ? digestOf(raw, block) : null;
}

const PIECE = 32_768;

/** Header lines may be folded anew on the way, and line ends and blanks at the end of a line may change. */
function digestOf(raw: Buffer, block: HeaderBlock): string {
  const isSealed = (name: string) => SEALED.has(name) || (name.startsWith('x-epistle-') && name !== KEY);
  const headers = block.lines
    .filter(({ name }) => isSealed(name))
    .map(({ name, value }) => `${name}:${value.replace(/\s+/g, ' ')}\n`);
  const hash = createHash('sha256').update(headers.join(''));
  // In larger pieces: to hand over each line by itself takes longer than to hash it.
  let piece = '';
  for (const line of raw.toString('latin1', block.bodyStart).trimEnd().split('\n')) {
    piece += `\n${line.trimEnd()}`;
    if (piece.length < PIECE) continue;
    hash.update(piece, 'latin1');
    piece = '';
  }
  return hash.update(piece, 'latin1').digest('hex');
}

const sealOf = (depth: number, digest: string, secret: string): string =>
  createHmac('sha256', secret)
    .update(JSON.stringify(['epistle-recursion', depth, digest]))
    .digest('hex')
    .slice(0, 32);

/** The Date header that a mail of that moment gets. */
export const dateHeaderOf = (ms: number): string => new Date(ms).toUTCString().replace('GMT', '+0000');
