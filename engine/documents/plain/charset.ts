import { decodeCharset } from '../../mail/mime/charset.ts';

const BYTE_ORDER_MARKS: readonly (readonly [mark: readonly number[], charset: string])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];
const LOOKED_AT = 4096;

/**
 * Bytes as text: by their byte order mark, as UTF-8 where they are valid UTF-8, by the declared charset, by the zeros of
 * UTF-16 without a mark, else as Windows-1252. Null for what is no text. Line ends become LF.
 */
export function decodeText(bytes: Uint8Array, declared: string | null): string | null {
  const text = decoded(bytes, declared);
  return text === null || isBinary(text) ? null : text.replace(/\r\n?/g, '\n');
}

function decoded(bytes: Uint8Array, declared: string | null): string | null {
  const marked = BYTE_ORDER_MARKS.find(([mark]) => mark.every((byte, index) => bytes[index] === byte));
  if (marked) return new TextDecoder(marked[1]).decode(bytes);
  const wide = zeros(bytes);
  if (wide) return new TextDecoder(wide).decode(bytes);
  const utf8 = new TextDecoder().decode(bytes);
  // A letter of another charset is hardly ever valid UTF-8, whatever the mail calls it.
  if (!utf8.includes('\ufffd') && !(declared && /2022|utf-?7|hz-/i.test(declared))) return utf8;
  return decodeCharset(bytes, declared ?? 'windows-1252').text;
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
