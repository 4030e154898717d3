import { decodeText as decodePart } from '../../mail/charset/charset.ts';

const BYTE_ORDER_MARKS: readonly (readonly [mark: readonly number[], charset: string])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];
const LOOKED_AT = 4096;

/**
 * Bytes as text: by their byte order mark, by the zeros of UTF-16 without a mark, else as a part of a mail is. Null for
 * what is no text. Line ends become LF; lines of calendars and contacts are unfolded (RFC 5545 section 3.1, RFC 6350
 * section 3.2), since a fold may stand within a character.
 */
export function decodeText(bytes: Uint8Array, declared: string | null): string | null {
  const text = decoded(bytes, declared);
  return text === null || isBinary(text) ? null : text.replace(/\r\n?/g, '\n');
}

function decoded(bytes: Uint8Array, declared: string | null): string | null {
  const marked = BYTE_ORDER_MARKS.find(([mark]) => mark.every((byte, index) => bytes[index] === byte));
  if (marked && marked[1] !== 'utf-8') return new TextDecoder(marked[1]).decode(bytes);
  const wide = zeros(bytes);
  if (wide) return new TextDecoder(wide).decode(bytes);
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = all.toString('latin1', 0, 200);
  const own = FOLDED.test(head) ? unfolded(all) : all;
  return decodePart(own, { label: declared, isMarkup: MARKUP.test(head) }).text;
}

const FOLDED = /^(?:\xef\xbb\xbf)?\s{0,100}BEGIN:(?:VCALENDAR|VCARD)/i;
const MARKUP = /^\s{0,100}<[!?a-z]/i;
const [LF, CR, TAB, BLANK] = [0x0a, 0x0d, 0x09, 0x20];

/** Its lines as they were before they were folded. */
function unfolded(bytes: Buffer): Buffer {
  const out = Buffer.alloc(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    const next = bytes[at + 1];
    if (byte === LF && (next === BLANK || next === TAB)) {
      if (out[length - 1] === CR) length -= 1;
      at += 1;
      continue;
    }
    out[length] = byte;
    length += 1;
  }
  return out.subarray(0, length);
}

/** Every other byte of the letters of most scripts' blanks and digits is zero in UTF-16. */
function zeros(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const head = bytes.subarray(0, LOOKED_AT - (LOOKED_AT % 2));
  const counts = [0, 0];
  for (const [index, byte] of head.entries()) if (byte === 0) counts[index % 2] = (counts[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = counts;
  const pairs = head.length / 2;
  if (odd > 0.3 * pairs && even < 0.02 * pairs) return 'utf-16le';
  return even > 0.3 * pairs && odd < 0.02 * pairs ? 'utf-16be' : null;
}

/** Characters that no text has: more than a few of them in the beginning. */
function isBinary(text: string): boolean {
  const head = text.slice(0, LOOKED_AT);
  const controls = head.match(/(?![\t\n\v\f\r\u0080-\u009f])\p{Cc}|\ufffd/gu)?.length ?? 0;
  return controls > 0.01 * head.length;
}
