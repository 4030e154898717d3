import type { Json, ModelInfo, ModelMessage, ToolResult } from '#contract';
import { cleanJson, cleanText, type Findings, noFindings } from '../../lib/clean-text.ts';
import { iso } from '../../lib/clock.ts';
import { sha256 } from '../../lib/ids.ts';
import { jsonObject, parseJson } from '../../lib/json.ts';
import { LONGEST_SECRET } from '../../lib/secrets/secrets.ts';
import type { CallError } from '../../policy/call.ts';
import type { Observation } from '../../record/codec/fields.ts';
import { dataUntil, factsByFields, isOldSince, type ResultFacts } from '../../record/result-facts.ts';
import type { Blobs } from '../../storage/blobs.ts';
import type { Executed } from './executed.ts';

/** About 6,000 tokens: what one result may take of a model's context. The whole is kept as an artifact. */
const MAX_COST = 20_000;
/** For what stands around a result: its source, what is missing, what was done to it. */
const ENVELOPE = 3000;
/** Rows over 32 KB go to artifacts of their own, where nobody can look for what is in them. */
const MAX_ROW_CHARS = 30_000;
/** Shorter results are not worth a reference: it would be as long as they are. */
export const MIN_REFERRED = 500;

export const HOW_TO_READ_ON = 'resolve_ref with this ref reads the whole, page by page';

/**
 * Turns a result into what the model sees: cleaned, limited with the loss disclosed, with its source and the time
 * when it was so; the whole is kept by hash. Deterministic but for `at`: the content is stored, never made again.
 */
export function observe(
  call: { id: string; name: string },
  outcome: Executed | { ok: false; error: CallError },
  artifacts: Blobs,
  at: number,
  /** How old and how whole its data are is told beside it; in runs of older versions it was not. */
  tellsData = false,
): Observation {
  const base = { call_id: call.id, tool: call.name };
  const found = noFindings();
  if (!outcome.ok) {
    const content = JSON.stringify({ ok: false, error: cleanJson({ ...outcome.error } as Json, found) });
    return { ...base, ok: false, code: outcome.error.code, content, artifact: null, ref: null };
  }
  const { result, facts } = outcome;
  const whole = JSON.stringify(result);
  const declared = facts ? { facts } : {};
  const known = facts ?? factsByFields(result);
  const around = {
    ...{ source: { ...sourceOf(call.name, known), ...(tellsData ? lookAt(known) : {}) }, observed_at: seconds(at) },
    ...(tellsData ? ageOf(known, at) : {}),
  };
  const content = wholeOrNull(result, whole, around);
  // Without an artifact, the event's row is where the whole is found again.
  if (content !== null && fitsRow(content)) {
    const ref = content.length > MIN_REFERRED ? sha256(content) : null;
    return { ...base, ok: true, code: null, content, artifact: null, ref, ...declared };
  }
  const artifact = artifacts.put(Buffer.from(whole));
  const shown = content === null ? partOf(result, whole, around, artifact) : withRef(content, artifact);
  return { ...base, ok: true, code: null, content: shown, artifact, ref: artifact, ...declared };
}

/** Escaped, a text is at most twice as long. */
const fitsRow = (content: string): boolean =>
  2 * content.length <= MAX_ROW_CHARS || JSON.stringify(content).length <= MAX_ROW_CHARS;

interface Around {
  readonly source: Json;
  readonly observed_at: string;
  /** Of when its data are, where the result says so, and how far that is behind. */
  readonly data_until?: string;
  readonly lag_s?: number;
  /** They are older than they stay fresh. */
  readonly old?: true;
}

const seconds = (at: number): string => `${iso(at).slice(0, 19)}Z`;

function ageOf(facts: ResultFacts, at: number): Pick<Around, 'data_until' | 'lag_s' | 'old'> {
  const until = dataUntil(facts);
  if (until === null || until > at) return {};
  const old = isOldSince(facts, until, at) ? { old: true as const } : {};
  return { data_until: seconds(until), lag_s: Math.floor(at / 1000) - Math.floor(until / 1000), ...old };
}

/** Null when the result is too large to be shown whole. */
function wholeOrNull(result: Json, whole: string, around: Around): string | null {
  if (whole.length > 3 * MAX_COST) return null;
  const { old, ...told } = around;
  const found = noFindings();
  const content = JSON.stringify({ ok: true, result: cleanJson(result, found), ...notes(found, old), ...told });
  if (costOf(content) > MAX_COST) return null;
  return countLines(content, '\\n') > MAX_LINES ? null : content;
}

function partOf(result: Json, whole: string, { old, ...told }: Around, ref: string): string {
  const found = noFindings();
  const { value, cuts } = shrink(result, MAX_COST - ENVELOPE, found);
  return JSON.stringify({
    ok: true,
    result: value,
    ...cutNotes(cuts, whole),
    ...notes(found, old),
    ...told,
    ref,
    more: HOW_TO_READ_ON,
  });
}

const withRef = (content: string, ref: string): string => `${content.slice(0, -1)},"ref":"${ref}"}`;

/** Lines count in each text alone: several texts of many lines may all have been shown whole. */
const cutNotes = (cuts: readonly Cut[], whole: string) =>
  cuts.length === 0 ? {} : { truncated: true, total_bytes: Buffer.byteLength(whole), cut: cuts };

const OLD = 'its data are old: say of when they are, or look again for newer ones';

function notes(found: Findings, old: true | undefined): { warnings?: Json; limitations?: Json } {
  const { warnings } = found;
  const limitations = new Set([...found.limitations, ...(old ? [OLD] : [])]);
  return {
    ...(warnings.size > 0 ? { warnings: [...warnings] } : {}),
    ...(limitations.size > 0 ? { limitations: [...limitations] } : {}),
  };
}

const MAX_SOURCE = 300;

/** Where it comes from, as far as that is known. */
function sourceOf(tool: string, { source }: ResultFacts): { readonly [key: string]: Json } {
  const named = Object.entries(source ?? {}).map(
    ([name, value]) => [name, cleanJson(value.slice(0, MAX_SOURCE), noFindings())] as const,
  );
  return { tool, ...Object.fromEntries(named) };
}

/** How it was looked at there, as far as that is known. */
function lookAt({ cached, sampled, window }: ResultFacts): { readonly [key: string]: Json } {
  const part = (text: string | null) => text?.slice(0, MAX_SOURCE) ?? null;
  return {
    ...(cached === undefined ? {} : { cached }),
    ...(sampled === undefined ? {} : { sampled }),
    ...(window === undefined
      ? {}
      : { window: cleanJson({ from: part(window.from), to: part(window.to) }, noFindings()) }),
  };
}

/** Share of the model's context that a run's observations may fill, beside history (as much) and all else. */
const SHARE = 0.4;
const CHARACTERS_PER_TOKEN = 3.5;
/** After the vendor has refused the request as too long, so much is left of that share. */
const RESCUE = 0.25;
/** A shorter result is hardly longer than what would stand for it. */
const MIN_COMPACTED = 1000;

/** What all observations of a run together may cost, in characters. */
export const roomFor = (info: Pick<ModelInfo, 'context_tokens' | 'max_output_tokens'>): number =>
  Math.max(0, Math.floor((info.context_tokens - info.max_output_tokens) * SHARE * CHARACTERS_PER_TOKEN));

interface Fitted {
  readonly messages: readonly ModelMessage[];
  /** Results that are not shown as they were observed. */
  readonly compacted: number;
}

/**
 * The run's own messages with their observations fitted into the room there is: one that repeats an earlier one
 * word for word is a reference to it, and over the budget the largest become a reference and a summary. Pure, and
 * each result once compacted stays so while more are added: the prompt's cache is lost once, not at every step.
 */
export function fitObservations(
  messages: readonly ModelMessage[],
  options: { readonly room: number; readonly rescue: boolean },
): Fitted {
  const shown = messages.flatMap((message) => (message.role === 'tool' ? message.results : []));
  if (!shown.some(isCompactable)) return { messages, compacted: 0 };
  const room = options.rescue ? options.room * RESCUE : options.room;
  const stubs = stubsOfRepeats(shown);
  const costs = new Map(shown.map((result) => [result, costOf(stubs.get(result) ?? result.content)]));
  let total = [...costs.values()].reduce((sum, cost) => sum + cost, 0);
  // A page was asked for to be read: compacted like the rest, it could be asked for again for ever.
  const large = shown
    .filter((result) => isCompactable(result) && !stubs.has(result) && (options.rescue || result.name !== PAGES))
    .sort((a, b) => b.content.length - a.content.length);
  for (const result of large) {
    if (total <= room) break;
    const stub = stubOf(result.content, {});
    stubs.set(result, stub);
    total += costOf(stub) - (costs.get(result) ?? 0);
  }
  if (stubs.size === 0) return { messages, compacted: 0 };
  const fitted = messages.map((message) =>
    message.role === 'tool' && message.results.some((result) => stubs.has(result))
      ? {
          ...message,
          results: message.results.map((result) => ({ ...result, content: stubs.get(result) ?? result.content })),
        }
      : message,
  );
  return { messages: fitted, compacted: stubs.size };
}

const isCompactable = ({ isError, content }: ToolResult): boolean => !isError && content.length > MIN_COMPACTED;

/** The time of observation is all that may differ, and always takes as many characters. */
const OBSERVED_AT = /"observed_at":"[\dT:Z-]+"/;

function stubsOfRepeats(shown: readonly ToolResult[]): Map<ToolResult, string> {
  const results = shown.filter((result) => isCompactable(result) && result.name !== PAGES);
  const stubs = new Map<ToolResult, string>();
  for (const alike of Map.groupBy(results, ({ name, content }) => `${content.length} ${name}`).values()) {
    if (alike.length > 1) addRepeats(alike, stubs);
  }
  return stubs;
}

function addRepeats(alike: readonly ToolResult[], stubs: Map<ToolResult, string>): void {
  const first = new Map<string, string>();
  for (const result of alike) {
    const key = result.content.replace(OBSERVED_AT, '');
    const sameAs = first.get(key);
    if (sameAs === undefined) first.set(key, result.callId);
    else stubs.set(result, stubOf(result.content, { same_as: sameAs }));
  }
}

/** The tool whose results are pages of others. */
const PAGES = 'resolve_ref';

const SUMMARY = 500;
const OPENS = 'resolve_ref opens it';

/** A reference and a summary in place of a result that was observed, in the same run. */
function stubOf(content: string, note: { readonly same_as?: string }): string {
  const seen = parseJson(jsonObject, content);
  const { value, cuts } = shrink(seen.result ?? null, SUMMARY, noFindings());
  const { source = null, observed_at = null, warnings, total_bytes } = seen;
  return JSON.stringify({
    ok: true,
    result: value,
    ...note,
    truncated: true,
    total_bytes: total_bytes ?? Buffer.byteLength(content),
    cut: cuts.slice(0, 1),
    ...(warnings === undefined ? {} : { warnings }),
    source,
    observed_at,
    ref: refOf(seen, content),
    more: HOW_TO_READ_ON,
  });
}

/** Digits of a reference in what is kept with a thread, where it stands in each later request; no two of a thread have as many in common. */
const KEPT_DIGITS = 16;

/**
 * What later mails of the thread are shown of a result. A short one stands there; of any other its call says what it was, and
 * its reference opens it again: a part of it was taken for all that there is, and cost as much as a call.
 */
export function traceOf({ content, isError }: { readonly content: string; readonly isError: boolean }): string {
  if (content.length <= MIN_REFERRED) return content;
  if (isError) return content.slice(0, MIN_REFERRED).toWellFormed();
  const seen = parseJson(jsonObject, content);
  const { observed_at = null } = seen;
  const ref = refOf(seen, content);
  const kept = typeof ref === 'string' ? ref.slice(0, KEPT_DIGITS) : ref;
  return JSON.stringify({ ok: true, characters: content.length, observed_at, ref: kept, more: OPENS });
}

/** A result that says where the whole is has a reference; any other of some length is found by its own hash. */
function refOf({ ref, source }: { readonly [key: string]: Json }, content: string): Json {
  if (ref !== undefined) return ref;
  return pageRef(source) ?? sha256(content);
}

function pageRef(source: Json | undefined): string | null {
  if (typeof source !== 'object' || source === null || Reflect.get(source, 'tool') !== PAGES) return null;
  const ref: unknown = Reflect.get(source, 'ref');
  return typeof ref === 'string' ? ref : null;
}

/** Disclosed with what is shown: where something is missing and how much there is of it. */
type Cut =
  | { readonly at: string; readonly shown_chars: number; readonly total_chars: number; readonly total_lines: number }
  | { readonly at: string; readonly shown_rows: number; readonly total_rows: number }
  | { readonly at: string; readonly shown_fields: number; readonly total_fields: number };

interface Shrunk {
  readonly value: Json;
  readonly cuts: readonly Cut[];
}

const MAX_LINES = 2000;
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
function shrink(value: Json, room: number, found: Findings): Shrunk {
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
const costOf = (json: string): number =>
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
function countLines(text: string, end: '\n' | '\\n' = '\n'): number {
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
