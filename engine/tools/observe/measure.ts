import type { Json } from '#contract';

/** Scripts of more than one byte per character cost a model more tokens per character. */
const BYTES_PER_CHARACTER = 2.4;

/** What a JSON text takes of a model's context, in characters of ordinary text. */
export const costOf = (json: string): number =>
  Math.max(json.length, Math.ceil(Buffer.byteLength(json) / BYTES_PER_CHARACTER));

/** The length of a value's JSON, or Infinity once it is over `limit`: whatever is too large is not walked to its end. */
export function sizeUpTo(value: Json, limit: number): number {
  if (typeof value === 'string') return value.length > limit ? Number.POSITIVE_INFINITY : value.length + 2;
  if (typeof value !== 'object' || value === null) return String(value).length;
  let size = 2;
  for (const key in value) {
    if (size > limit) return Number.POSITIVE_INFINITY;
    const inner: Json | undefined = Reflect.get(value, key);
    size += (Array.isArray(value) ? 1 : key.length + 4) + sizeUpTo(inner ?? null, limit - size);
  }
  return size > limit ? Number.POSITIVE_INFINITY : size;
}

/** Where a part of `text` that begins at `from` has to end, to be no dearer than `room` and no longer than `lines`. */
export function endOfPart(text: string, from: number, room: number, lines: number): number {
  let end = Math.min(text.length, from + Math.max(0, Math.floor(room)));
  for (;;) {
    const part = text.slice(from, end);
    const cost = costOf(JSON.stringify(part)) - 2;
    if (cost <= room || part.length === 0) break;
    end = from + Math.min(part.length - 1, Math.floor((part.length * room) / cost));
  }
  end = from + endOfLine(text.slice(from, end), lines);
  // Half of a character is none.
  return end < text.length && end > from && /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end;
}

function endOfLine(part: string, lines: number): number {
  let at = -1;
  for (let line = 0; line < lines; line += 1) {
    at = part.indexOf('\n', at + 1);
    if (at === -1) return part.length;
  }
  return at + 1;
}

/** In a JSON text a line ends with two characters. */
export function countLines(text: string, end: '\n' | '\\n' = '\n'): number {
  let lines = 1;
  for (let at = text.indexOf(end); at !== -1; at = text.indexOf(end, at + 1)) lines += 1;
  return lines;
}
