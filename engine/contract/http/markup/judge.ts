import type { ToolSpec } from '../../provider.ts';
import { type DialectName, indexOf, type Mark } from './dialects.ts';
import type { WrittenCall } from './written-call.ts';

export interface MarkReading {
  readonly dialects: readonly DialectName[];
  readonly tools: readonly Pick<ToolSpec, 'name' | 'inputSchema'>[];
}

/** Why nothing of a text is an answer: it begins or ends within thinking or a call, or cannot be told from them. */
export type BrokenBy = 'reasoning' | 'call' | 'unclear';

/** What becomes of one mark, and where the text goes on behind it. */
export type MarkVerdict =
  /** It is talked about. */
  | { readonly is: 'mention'; readonly to: number }
  | { readonly is: 'cut'; readonly to: number }
  /** All before it is thinking. */
  | { readonly is: 'begun_inside'; readonly to: number }
  | { readonly is: 'calls'; readonly to: number; readonly calls: readonly WrittenCall[] }
  | { readonly is: 'broken'; readonly by: BrokenBy };

/** A mark where it stands in its text. */
export interface Spot {
  readonly text: string;
  readonly mark: Mark;
  /** Where the text begins as far as it is still looked at. */
  readonly begin: number;
  readonly at: number;
  /** Behind the mark. */
  readonly to: number;
  readonly place: Before;
  readonly next: After;
}

export const mentionTo = (to: number): MarkVerdict => ({ is: 'mention', to });
export const brokenBy = (by: BrokenBy): MarkVerdict => ({ is: 'broken', by });
export const isSpoken = (next: After): boolean => next === 'spaced' || next === 'point';
export const isFirst = (place: Before): boolean => place === 'start' || place === 'line';

/** Whether a tag belongs to a document that the text is about. */
export const isInDocument = ({ text, mark, begin, at }: Spot, to: number): boolean =>
  mark.open.startsWith('<') && isEnclosed(text, { begin, from: at, to });

export function judgeReasoning(spot: Spot): MarkVerdict {
  const { text, mark, at, to, place } = spot;
  const close = mark.close ?? '';
  const end = closeOf(text, close, to);
  if (end < 0) return judgeUnended(spot);
  const past = end + close.length;
  if (isQuoted(text, at, past) || isInDocument(spot, past)) return mentionTo(past);
  const pair = { content: text.slice(to, end), past, before: before(text, end, to), after: after(text, past) };
  if (isFirst(place)) return judgeFirst(spot, pair);
  return pair.content.includes('\n') ? judgeLines(spot, pair) : judgeWithinLine(spot, pair);
}

/** What stands between two marks, and how the second of them stands. */
interface Pair {
  readonly content: string;
  readonly past: number;
  readonly before: Before;
  readonly after: After;
}

function judgeUnended({ place, next, to }: Spot): MarkVerdict {
  if (isFirst(place)) return next === 'point' && place === 'line' ? mentionTo(to) : brokenBy('reasoning');
  if (isSpoken(next)) return mentionTo(to);
  if (place === 'sentence') return brokenBy(next === 'tight' ? 'reasoning' : 'unclear');
  return next === 'line' ? mentionTo(to) : brokenBy('unclear');
}

/** At the start of the text or of a line: the usual place. */
function judgeFirst({ place, next, to }: Spot, pair: Pair): MarkVerdict {
  const { content, past } = pair;
  const cut: MarkVerdict = { is: 'cut', to: past };
  const isStart = place === 'start';
  if (isStart && content.trim() === '') return cut;
  if (isStart && !/[\p{L}\p{N}]/u.test(content)) return mentionTo(past);
  const unclear = isStart ? brokenBy('unclear') : mentionTo(to);
  if (isSpoken(next) && !content.includes('\n')) return unclear;
  if (isSpoken(next) && !isStart) return pair.after === 'line' ? cut : brokenBy('unclear');
  return goesOnBehind(pair) ? unclear : cut;
}

/** `<think>…</think>` before more of the same sentence. */
const goesOnBehind = ({ content, after: next }: Pair): boolean =>
  isPlaceholder(content) && next === 'spaced' && !/[.!?…]\s*$/.test(content);

function judgeLines({ place, next, to }: Spot, pair: Pair): MarkVerdict {
  if (isSpoken(next)) return mentionTo(to);
  const isBlock = next === 'line' && (pair.before === 'line' || pair.before === 'sentence');
  if (isBlock || place === 'sentence') return { is: 'cut', to: pair.past };
  // Each of the two stands within a sentence of its own.
  return place === 'spaced' && pair.before === 'spaced' && next === 'line' ? mentionTo(to) : brokenBy('unclear');
}

function judgeWithinLine({ text, at, place, next, to }: Spot, pair: Pair): MarkVerdict {
  if (isPlaceholder(pair.content)) return mentionTo(pair.past);
  if (next !== 'tight') return mentionTo(to);
  const isApart = place === 'sentence' && pair.after !== 'point' && text[at - 1] !== ' ';
  return isApart ? { is: 'cut', to: pair.past } : brokenBy('unclear');
}

const MOST_CLOSES = 200;

/** Where thinking ends: its own mark, but for one that it names in code or quotes. */
function closeOf(text: string, close: string, from: number): number {
  let at = indexOf(text, close, from);
  for (let tries = 0; at >= 0 && tries < MOST_CLOSES; tries++) {
    const past = at + close.length;
    const isCode = text[at - 1] === '`' && text[past] === '`';
    if (!isCode && !isQuoted(text, at, past)) return at;
    at = indexOf(text, close, at + 1);
  }
  return -1;
}

/** The end of thinking that nothing has opened: a template has, or another server has taken the opening mark off. */
export function judgeClose(spot: Spot): MarkVerdict {
  const { text, at, to, place, next } = spot;
  if (isInDocument(spot, to)) return mentionTo(to);
  const inside: MarkVerdict = { is: 'begun_inside', to };
  if (place === 'spaced') {
    return next === 'tight' && /[A-Z]/.test(text[to] ?? '') ? brokenBy('unclear') : mentionTo(to);
  }
  if (!isSpoken(next)) return inside;
  if (place !== 'sentence') return brokenBy('unclear');
  if (next === 'point') return mentionTo(to);
  return text[at - 1] === ' ' ? brokenBy('unclear') : inside;
}

/** Results that a model has made up, with no call before them. */
export function judgeResult(spot: Spot): MarkVerdict {
  const { text, mark, to, place, next } = spot;
  const past = endOfResult(spot);
  if (!isFirst(place) || isSpoken(next)) return mentionTo(to);
  const isEmpty = past < text.length && isPlaceholder(text.slice(to, past - (mark.close ?? '').length));
  return isEmpty || isInDocument(spot, past) ? mentionTo(past) : brokenBy('call');
}

export function endOfResult({ text, mark, to }: Spot): number {
  const end = mark.close === null ? -1 : indexOf(text, mark.close, to);
  return end < 0 ? text.length : end + (mark.close ?? '').length;
}

/** How a mark stands to what is before it. */
export type Before = 'start' | 'line' | 'sentence' | 'tight' | 'spaced';
/** How it stands to what comes after it. */
type After = 'line' | 'tight' | 'spaced' | 'point';

/** `begin`: where the text begins as far as it is still looked at. */
export function before(text: string, at: number, begin: number): Before {
  let place = at - 1;
  while (place >= begin && (text[place] === ' ' || text[place] === '\t')) place--;
  if (place < begin) return 'start';
  const character = text[place] ?? '';
  const isSpaced = place < at - 1;
  if (character === '\n') return text.slice(begin, place).trim() === '' ? 'start' : 'line';
  if (SENTENCE_ENDS.has(character)) return 'sentence';
  if (!isSpaced && OPENERS.has(character)) return 'spaced';
  return isSpaced ? 'spaced' : 'tight';
}

export function after(text: string, at: number): After {
  let place = at;
  while (text[place] === ' ' || text[place] === '\t') place++;
  const character = text[place];
  if (character === undefined || character === '\n' || character === '\r') return 'line';
  if (place > at) return 'spaced';
  return POINTS.has(character) ? 'point' : 'tight';
}

const SENTENCE_ENDS: ReadonlySet<string> = new Set(['.', '!', '?', '…', '。', '！', '？', ':', '>']);
const OPENERS: ReadonlySet<string> = new Set([
  '(',
  '[',
  '{',
  '/',
  '|',
  '*',
  '_',
  '-',
  '–',
  '—',
  '=',
  '+',
  ',',
  ';',
  '\\',
]);
const POINTS: ReadonlySet<string> = new Set([
  '.',
  ',',
  ';',
  ':',
  '!',
  '?',
  ')',
  ']',
  '}',
  '*',
  '_',
  '|',
  '/',
  '-',
  '–',
  '—',
  '。',
  '、',
]);

const QUOTES = `"'“”„‟‘’«»‹›「」『』＂`;
const isQuote = (character: string | undefined): boolean => character !== undefined && QUOTES.includes(character);

/** Between two quotation marks; one alone belongs to something else. */
export const isQuoted = (text: string, from: number, to: number): boolean =>
  from > 0 && isQuote(text[from - 1]) && isQuote(text[to]);

/** What stands for something, and is nothing that a model thought: no word, or hardly one. */
export const isPlaceholder = (content: string): boolean =>
  !content.includes('\n') && content.trim().split(/\s+/).length <= 2 && content.length <= 60;

/** Names of tags that stand around a whole answer and mean nothing. */
const AROUND_ANSWERS: ReadonlySet<string> = new Set([
  'answer',
  'response',
  'final_answer',
  'final',
  'output',
  'assistant',
]);
const MAX_OPEN = 200;

/**
 * Whether a tag stands within another element, opened before and closed after it: then it belongs to a document that the
 * text is about.
 */
function isEnclosed(
  text: string,
  span: { readonly begin: number; readonly from: number; readonly to: number },
): boolean {
  const open: string[] = [];
  for (let at = text.indexOf('<', span.begin); at >= 0 && at < span.from; at = text.indexOf('<', at + 1)) {
    const [, slash, name, rest] = /^<(\/?)([A-Za-z][\w:.-]{0,60})([^<>]{0,200})>/.exec(text.slice(at, at + 280)) ?? [];
    if (name === undefined || rest?.endsWith('/')) continue;
    if (slash === '') open.push(name);
    else {
      const place = open.lastIndexOf(name);
      if (place >= 0) open.length = place;
    }
    if (open.length > MAX_OPEN) return false;
  }
  return open.some((name) => !AROUND_ANSWERS.has(name.toLowerCase()) && text.includes(`</${name}>`, span.to));
}
