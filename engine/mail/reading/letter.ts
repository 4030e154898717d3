import { firstHeader, headerFault } from '../mime/headers.ts';
import { type MimePart, readStructure, type StructureLimits } from '../mime/structure.ts';
import type { ParsedMail, Supposed } from '../mime/types.ts';
import { bodyOf, plainVersion } from './body.ts';
import { decodeLeaf } from './leaf.ts';
import { mailOf, readHead } from './parsed-mail.ts';

const MAX_BYTES = 16 * 1024;
/** Some lines are compared with those around them, and headers with many expressions. */
const MAX_LINES = 400;
const LF = 0x0a;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

const TYPE = /^text\/plain(?:;[ \t]*(?:charset="?(?:us-ascii|utf-8)"?|format="?flowed"?|delsp="?(?:yes|no)"?))*$/i;
/** A control character or a byte order mark: for the full reader. */
const UNUSUAL = /(?![\n\t])\p{Cc}|\ufeff/u;
/** The full reader takes a header for another one where its value follows the colon at once. */
const HEADER_LINE = /^(?:[!-9;-~]+: |[ \t]|\r?$)/;
const BARE_CR = /\r(?!\n)/;

/**
 * Reads a small mail of one plain text; null for any other, which a worker thread reads. The result is that of
 * `readMail`. In the caller's thread, so whatever is done here takes time in proportion to the mail, and the bounds
 * keep the worst mail at a few milliseconds: to hand a letter to another thread and back costs several times its reading.
 */
export function readLetter(raw: Uint8Array, limits: StructureLimits, supposed?: Supposed): ParsedMail | null {
  if (raw.byteLength > MAX_BYTES) return null;
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  if (linesOf(bytes) > MAX_LINES) return null;
  const structure = readStructure(bytes, limits);
  if (!structure.ok || structure.block.lines.length === 0 || headerFault(structure.block) !== null) return null;
  if (structure.block.lines.some(({ raw: written }) => written) || bytes.includes(BYTE_ORDER_MARK)) return null;
  if (!isPlainText(structure.root) || !isWrittenPlainly(bytes.toString('latin1'), structure.root.bodyStart))
    return null;
  const { text, exact } = decodeLeaf(bytes, structure.root);
  if (!exact || UNUSUAL.test(text) || (structure.root.charset?.toLowerCase() !== 'utf-8' && /\P{ASCII}/u.test(text)))
    return null;
  const head = readHead(bytes, structure, { supposed });
  const body = bodyOf([plainVersion(text)], head.context);
  return mailOf(head, body, { attachments: [], limitations: body.limitations });
}

function linesOf(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) lines += 1;
  return lines;
}

const isWrittenPlainly = (mail: string, bodyStart: number): boolean =>
  !BARE_CR.test(mail) &&
  mail
    .slice(0, bodyStart)
    .split('\n')
    .every((line) => HEADER_LINE.test(line));

function isPlainText({ headers, encoding }: MimePart): boolean {
  const type = firstHeader(headers, 'content-type') ?? 'text/plain';
  const written = (firstHeader(headers, 'content-transfer-encoding') ?? '').toLowerCase();
  return (
    TYPE.test(type) &&
    written === encoding &&
    ['', '7bit', '8bit', 'quoted-printable'].includes(encoding) &&
    firstHeader(headers, 'content-disposition') === null
  );
}
