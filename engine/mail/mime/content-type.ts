import { charsetOf, decodeCharset } from '../charset/charset.ts';
import type { HeaderLine } from './headers.ts';
import { decodeWords } from './words.ts';

interface ContentType extends HeaderValue {
  /** Whether it is written so that every reader finds the same in it. */
  readonly isPlain: boolean;
}

const WELL_FORMED = /^[^\s()<>@,;:\\"/[\]?=]+\/[^\s()<>@,;:\\"/[\]?=]+$/;
/** Type and subtype with whatever a program has put between and behind them. */
const LOOSE = /^["']?\s{0,9}([a-z]{2,20})\s{0,9}[/\\]\s{0,9}([a-z0-9][\w.+-]{0,80})["']?\s{0,99}(.*)$/is;
/** Where a parameter begins that no semicolon stands before. */
const NEXT_PARAMETER = /(?<![\s,;:])[\s,;:]{1,20}(?=[a-z][a-z-]{1,20}\*?[0-9]{0,3}\*?\s{0,9}=)/gi;
/** A charset without its `=`. */
const BARE_CHARSET = /(^|;)\s{0,9}charset\s{0,9}[:\s]\s{0,9}(?=["']?[\w-])/gi;
const MAX_HEADER = 16_384;

/**
 * A Content-Type as it is meant: what cannot be read is text (RFC 2045 section 5.2), and what lacks its semicolon still
 * names its charset and its boundary.
 */
export function readContentType(header: string): ContentType {
  const read = readParams(header);
  if (WELL_FORMED.test(read.value)) {
    const charset = read.params.has('charset') ? null : charsetIn(header);
    return charset === null
      ? { ...read, isPlain: true }
      : { ...read, params: withCharset(read, charset), isPlain: false };
  }
  const written = header
    .slice(0, MAX_HEADER)
    .replace(/\([^()]*\)/g, ' ')
    .trim();
  const [, type = '', subtype = '', rest = ''] = LOOSE.exec(written) ?? [];
  const params = paramsIn(type === '' ? written : rest);
  const value = type === '' ? meant(written) : `${type}/${subtype}`.toLowerCase();
  return { value, params, isPlain: false };
}

function charsetIn(header: string): string | null {
  BARE_CHARSET.lastIndex = 0;
  const semicolon = header.indexOf(';');
  const rest = semicolon < 0 ? '' : header.slice(semicolon, 1000);
  return BARE_CHARSET.test(rest) ? (paramsIn(rest).get('charset') ?? null) : null;
}

const withCharset = ({ params }: HeaderValue, charset: string) => new Map([...params, ['charset', charset] as const]);

const paramsIn = (text: string): ReadonlyMap<string, string> =>
  readParams(`x/x;${text.replace(NEXT_PARAMETER, ';').replace(BARE_CHARSET, '$1charset=')}`).params;

/** Of a type without its subtype. */
function meant(written: string): string {
  if (/^["']?multipart\b/i.test(written)) return 'multipart/mixed';
  return /^["']?(?:text\W{1,3})?html\b/i.test(written) ? 'text/html' : 'text/plain';
}

/** Whether it names nothing that a text could be, such as `foo` or `pdf`: a file may hide there. */
export const saysNothing = (header: string): boolean => {
  const { isPlain, value } = readContentType(header);
  return !isPlain && value === 'text/plain' && !/^\W{0,9}(?:text|plain|charset)/i.test(header);
};

/** How much of a body is looked through for a boundary, and how many headers of a part are compared. */
const [MAX_LOOKED, MAX_COMPARED] = [65_536, 4];

interface PartType extends ContentType {
  /** The header that it was read from. */
  readonly header: string;
}

/**
 * Of several Content-Types of one part the one which its body bears out: a multipart whose boundary stands there, else the
 * first that is no multipart and is well written, else the first.
 */
export function partTypeOf(lines: readonly HeaderLine[], raw: Buffer, bodyStart: number): PartType | null {
  const found = lines.filter(({ name }) => name === 'content-type').slice(0, MAX_COMPARED);
  if (found.length === 0) return null;
  const types = found.map((line): PartType => ({ ...readContentType(line.value), header: line.value }));
  const [first] = types;
  if (types.length === 1) return first ?? null;
  const body = `\n${raw.toString('latin1', bodyStart, bodyStart + MAX_LOOKED)}`;
  const isMultipart = ({ value }: PartType) => value.startsWith('multipart/');
  const chosen =
    types.find((type) => isMultipart(type) && isBounded(body, type.params.get('boundary') ?? '')) ??
    types.find(({ value }) => value === 'text/html' && MARKUP.test(body)) ??
    types.find((type) => type.isPlain && !isMultipart(type)) ??
    types.find((type) => !isMultipart(type)) ??
    first;
  return chosen ? { ...chosen, isPlain: false, params: withBestCharset(chosen, types) } : null;
}

const MARKUP = /^\s{0,200}<(?:!doctype|html|head|body|meta|div|p|table)[\s>]/i;

/** A charset that another one of them names is better than none, and than one that nobody knows. */
function withBestCharset(chosen: PartType, types: readonly PartType[]): ReadonlyMap<string, string> {
  const known = [chosen, ...types].map(({ params }) => params.get('charset') ?? '').find((label) => charsetOf(label));
  return known === undefined || chosen.value.startsWith('multipart/') ? chosen.params : withCharset(chosen, known);
}

const isBounded = (body: string, boundary: string): boolean => boundary !== '' && body.includes(`\n--${boundary}`);

/** The header line by which any other reader finds the same; without line breaks, as headers are when they were read. */
export const statedType = (type: string, params: ReadonlyMap<string, string>): string =>
  [`Content-Type: ${type}`, ...[...params].map(([name, value]) => `${name}="${value.replace(/["\\]/g, '\\$&')}"`)]
    .join('; ')
    .replace(/[\r\n]/g, ' ');

interface HeaderValue {
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
