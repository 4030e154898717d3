import type { Json } from '#contract';
import { cleanJson, cleanText, type Findings, noFindings } from '../../lib/clean-text.ts';
import { LONGEST_SECRET } from '../../lib/secrets/secrets.ts';

/** Disclosed with what is shown: where something is missing and how much there is of it. */
export type Cut =
  | { readonly at: string; readonly shown_chars: number; readonly total_chars: number; readonly total_lines: number }
  | { readonly at: string; readonly shown_rows: number; readonly total_rows: number }
  | { readonly at: string; readonly shown_fields: number; readonly total_fields: number };

interface Shrunk {
  readonly value: Json;
  readonly cuts: readonly Cut[];
}

export const MAX_LINES = 2000;
const MAX_ROWS = 200;
const MAX_KEY = 200;
/** Deeper than this a value is shown as its JSON text. */
const MAX_DEPTH = 6;
const MAX_CUTS = 8;

interface Walk {
  readonly found: Findings;
  readonly cuts: Cut[];
}
interface Place {
  readonly at: string;
  readonly depth: number;
  readonly room: number;
}

/**
 * The first part of a value in its own shape, cleaned, about as large as `room`. Small fields come whole, before
 * large ones take what is left: a page's address and its "more" must not be lost behind its text.
 */
export function shrink(value: Json, room: number, found: Findings): Shrunk {
  const cuts: Cut[] = [];
  const shown = walk({ found, cuts }, value, { at: '', depth: 0, room });
  return { value: shown, cuts: cuts.slice(0, MAX_CUTS) };
}

function walk(state: Walk, value: Json, place: Place): Json {
  if (typeof value === 'string') return shrinkText(state, value, place);
  if (typeof value !== 'object' || value === null) return value;
  if (place.depth >= MAX_DEPTH) return shrinkText(state, JSON.stringify(value), place);
  return isList(value) ? shrinkRows(state, value, place) : shrinkFields(state, value, place);
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

function shrinkText({ found, cuts }: Walk, text: string, { at, room }: Place): string {
  // Cleaned with what follows, so that a secret across the cut is not shown by half.
  const window = cleanText(text.slice(0, Math.max(0, room) + LONGEST_SECRET), found);
  const shown = window.slice(0, endOfPart(window, 0, room - 2, MAX_LINES));
  if (shown.length < window.length || text.length > Math.max(0, room) + LONGEST_SECRET) {
    cuts.push({ at: named(at), shown_chars: shown.length, total_chars: text.length, total_lines: countLines(text) });
  }
  return shown;
}

function shrinkRows(state: Walk, rows: readonly Json[], { at, depth, room }: Place): Json {
  const shown: Json[] = [];
  let left = room - 2;
  for (const row of rows.slice(0, MAX_ROWS)) {
    const whole = wholeWithin(state, row, left);
    if (whole) {
      shown.push(whole.value);
      left -= whole.cost + 1;
    } else {
      if (shown.length === 0) shown.push(walk(state, row, { at: `${at}[0]`, depth: depth + 1, room: left }));
      break;
    }
  }
  if (shown.length < rows.length) {
    state.cuts.push({ at: named(at), shown_rows: shown.length, total_rows: rows.length });
  }
  return shown;
}

function shrinkFields(state: Walk, value: { readonly [key: string]: Json }, { at, depth, room }: Place): Json {
  const all = Object.entries(value);
  const fields = namesThatFit(all, room / 2);
  let left = room - 2 - fields.reduce((sum, [key]) => sum + costOf(key) + 6, 0);
  const smallFirst = fields
    .map(([key, inner]) => ({ key, inner, size: sizeUpTo(inner, room) }))
    .sort((a, b) => (a.size === b.size ? 0 : a.size - b.size));
  const shown = new Map<string, Json>();
  for (const [index, { key, inner }] of smallFirst.entries()) {
    const share = Math.floor(left / (smallFirst.length - index));
    const whole = wholeWithin(state, inner, share);
    const next =
      whole?.value ?? walk(state, inner, { at: at === '' ? key : `${at}.${key}`, depth: depth + 1, room: share });
    shown.set(key, next);
    left -= whole?.cost ?? costOf(JSON.stringify(next));
  }
  if (fields.length < all.length) {
    state.cuts.push({ at: named(at), shown_fields: fields.length, total_fields: all.length });
  }
  return Object.fromEntries(fields.map(([key]) => [cleanText(key, state.found), shown.get(key) ?? null]));
}

/** A value that needs no cut. */
function wholeWithin({ found }: Walk, value: Json, room: number): { value: Json; cost: number } | null {
  if (sizeUpTo(value, room) > room) return null;
  const clean = cleanJson(value, found);
  const json = JSON.stringify(clean);
  const cost = costOf(json);
  return cost <= room && countLines(json, '\\n') <= MAX_LINES ? { value: clean, cost } : null;
}

function namesThatFit(fields: readonly [string, Json][], room: number): readonly [string, Json][] {
  let left = room;
  return fields.slice(0, MAX_ROWS).filter(([key]) => {
    left -= costOf(key) + 6;
    return key.length <= MAX_KEY && left >= 0;
  });
}

/** The whole value has no name of its own. */
const named = (at: string): string => (at === '' ? 'result' : at.slice(0, 120));

/** Scripts of more than one byte per character cost a model more tokens per character. */
const BYTES_PER_CHARACTER = 2.4;

/** What a JSON text takes of a model's context, in characters of ordinary text. */
export const costOf = (json: string): number =>
  Math.max(json.length, Math.ceil(Buffer.byteLength(json) / BYTES_PER_CHARACTER));

/** The length of a value's JSON, or Infinity once it is over `limit`: whatever is too large is not walked to its end. */
function sizeUpTo(value: Json, limit: number): number {
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
function endOfPart(text: string, from: number, room: number, lines: number): number {
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

/** With what stands around it, well below what one result may take: a page is never cut again. */
const PAGE = 12_000;

/**
 * A whole result as text, in pages that together are exactly it: a text as it stands, all else as JSON. Cleaned
 * before it is divided, so that nothing can be put together across two pages.
 */
export interface Pages {
  readonly pages: readonly string[];
  readonly chars: number;
}

export function pagesOf(result: Json): Pages {
  const clean = cleanJson(result, noFindings());
  const text = typeof clean === 'string' ? clean : JSON.stringify(clean);
  const pages: string[] = [];
  for (let from = 0; from < text.length || pages.length === 0; ) {
    const end = endOfPart(text, from, PAGE, MAX_LINES - 10);
    pages.push(text.slice(from, end));
    from = end;
  }
  return { pages, chars: text.length };
}
