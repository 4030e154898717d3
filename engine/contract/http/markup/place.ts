/** How a mark stands to what is before it. */
export type Before = 'start' | 'line' | 'sentence' | 'tight' | 'spaced';
/** How it stands to what comes after it. */
export type After = 'line' | 'tight' | 'spaced' | 'point';

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
export function isEnclosed(
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
