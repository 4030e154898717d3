import { decodeCharset } from '../charset/charset.ts';
import { decodeWords } from './words.ts';

export interface HeaderValue {
  /** Lower case, without parameters. */
  readonly value: string;
  readonly params: ReadonlyMap<string, string>;
}

const MAX_PARAMS = 100;
/** Of a header that is not there, as most mail has no Content-Disposition. */
const NOTHING: HeaderValue = { value: '', params: new Map() };

/** Reads `text/plain; charset="utf-8"; name*0*=utf-8''a%20; name*1=b` (RFC 2045 and 2231), first mention wins. */
export function readParams(header: string): HeaderValue {
  if (header === '') return NOTHING;
  const pieces = splitAtSemicolons(header.slice(0, 16_384));
  const plain = new Map<string, string>();
  const pieced = new Map<string, Map<number, { text: string; encoded: boolean }>>();
  for (const piece of pieces.slice(1, MAX_PARAMS)) {
    const equals = piece.indexOf('=');
    if (equals < 1) continue;
    const key = piece.slice(0, equals).trim().toLowerCase();
    const text = unquote(piece.slice(equals + 1).trim());
    const star = key.indexOf('*');
    if (star < 0) {
      if (!plain.has(key)) plain.set(key, text);
      continue;
    }
    const name = key.slice(0, star);
    const number = Number.parseInt(key.slice(star + 1), 10);
    const parts = pieced.get(name) ?? new Map<number, { text: string; encoded: boolean }>();
    const index = Number.isNaN(number) ? 0 : number;
    if (!parts.has(index)) parts.set(index, { text, encoded: key.endsWith('*') });
    pieced.set(name, parts);
  }
  const params = new Map([...plain].map(([key, text]) => [key, decodeWords(text)]));
  for (const [name, parts] of pieced) params.set(name, joinPieces(parts));
  return {
    value: (pieces[0] ?? '')
      .replace(/\([^()]*\)/g, '')
      .trim()
      .toLowerCase(),
    params,
  };
}

function joinPieces(parts: ReadonlyMap<number, { text: string; encoded: boolean }>): string {
  const sorted = [...parts].sort(([left], [right]) => left - right).map(([, part]) => part);
  const first = sorted[0];
  if (!first) return '';
  const prefix = first.encoded ? /^([^']*)'[^']*'/.exec(first.text) : null;
  const bytes = sorted.map((part, index) => {
    const text = index === 0 && prefix ? part.text.slice(prefix[0].length) : part.text;
    return part.encoded ? percentBytes(text) : Buffer.from(text);
  });
  return decodeCharset(Buffer.concat(bytes), prefix?.[1] || 'utf-8').text;
}

function percentBytes(text: string): Buffer {
  const latin = text.replace(/%([0-9a-f]{2})/gi, (_whole, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return /[\u0100-\uffff]/.test(latin) ? Buffer.from(text) : Buffer.from(latin, 'latin1');
}

/** Splits at semicolons outside quoted strings. One pass: nothing here may cost more than its length. */
function splitAtSemicolons(header: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  let quoted = false;
  for (let index = 0; index < header.length; index += 1) {
    const character = header[index];
    if (character === '\\' && quoted) index += 1;
    else if (character === '"') quoted = !quoted;
    else if (character === ';' && !quoted) {
      pieces.push(header.slice(start, index));
      start = index + 1;
    }
  }
  pieces.push(header.slice(start));
  return pieces;
}

function unquote(text: string): string {
  if (!text.startsWith('"')) return text.split(/[\s(]/, 1)[0] ?? '';
  let out = '';
  for (let index = 1; index < text.length && text[index] !== '"'; index += 1) {
    if (text[index] === '\\' && index + 1 < text.length) index += 1;
    out += text[index];
  }
  return out;
}
