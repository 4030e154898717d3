import type { Identity, Supposed } from '../mime/types.ts';

/** Null where the whole of the mail is proven, or nothing. */
export const supposedOf = ({ authenticated, covers }: Pick<Identity, 'authenticated' | 'covers'>): Supposed | null =>
  !authenticated || covers === null
    ? null
    : {
        isReply: !(covers.includes('in-reply-to') && covers.includes('references')),
        isForward: !covers.includes('subject'),
        isPlainFirst: !covers.includes('content-type'),
      };

const [TAB, LF, CR, SPACE] = [0x09, 0x0a, 0x0d, 0x20];

/**
 * The bytes as most signers sign them (RFC 6376 section 3.4.4): of blanks in a row one, and none at the end of a line.
 * Whoever has the mail can put others there.
 */
export function asSigned(raw: Uint8Array): Uint8Array {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const start = bodyStart(bytes);
  const out = Buffer.allocUnsafe(bytes.length);
  let to = bytes.copy(out, 0, 0, start);
  let isBlank = false;
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === SPACE || byte === TAB) {
      isBlank = true;
      continue;
    }
    const isEnd = byte === LF || (byte === CR && bytes[at + 1] === LF);
    if (isBlank && !isEnd) out[to++] = SPACE;
    isBlank = false;
    out[to++] = byte;
  }
  return out.subarray(0, to);
}

/** Behind the first empty line. */
function bodyStart(bytes: Buffer): number {
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    const next = bytes[at + 1] === CR ? at + 2 : at + 1;
    if (bytes[next] === LF) return next + 1;
  }
  return bytes.length;
}
