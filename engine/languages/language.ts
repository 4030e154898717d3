import { createRequire } from 'node:module';
import { atFirstUse } from '../lib/kept-value.ts';
import { isDisputed, isLikely, languageByCommonWords } from './common-words.ts';
import { LANGUAGES } from './sentences.ts';

const require = createRequire(import.meta.url);
const tinyld = atFirstUse((): typeof import('tinyld/light') => require('tinyld/light'));

export { LANGUAGES };
export type Language = (typeof LANGUAGES)[number];

/** Enough to tell a language by; the time that detection takes grows with the text. */
export const MAX_CHARS = 600;
/** A greeting or a file name looks like any of several languages; a sentence does not. */
const MIN_LETTERS = 20;
/** Only Spanish opens a question or an exclamation with a sign; a short one is enough, where its words do not deny it. */
const OPENED = /(?:^|\s)[¿¡]\p{L}/u;
const MIN_LETTERS_OPENED = 8;
/** How far ahead of the second language the first has to be. */
const MARGIN = 1.4;

const isLanguage = (name: string | undefined): name is Language => LANGUAGES.some((one) => one === name);

/**
 * The language of a conversation, for the words that the gateway adds to it; it decides nothing else. The first of the
 * texts that is long enough and clearly in one of the languages decides; the fallback where none is.
 */
export function languageOf(texts: readonly string[], fallback: Language = 'en'): Language {
  for (const text of texts) {
    const language = clearLanguage(text);
    if (language !== null) return language;
  }
  return fallback;
}

/** Addresses and links are in no language. */
const LINKS = /\S{1,64}@\S{1,255}|https?:\/\/\S{1,500}/g;
/** Ids, code and data are in no language either: a hash looked Dutch. Words are not told apart by blanks in East Asia. */
const DATA =
  /[^\s\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]*[\d_{}[\]\\=<>][^\s\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]*/gu;
const EAST_ASIAN = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u;

/** One mail is looked at from several places, and to detect its language costs more than all else that is done there. */
const MAX_KNOWN = 128;
const known = new Map<string, Language | null>();

/** The language of a text; null where it is too short to tell, or not clearly in one of ours. */
export function clearLanguage(text: string): Language | null {
  // A copy: a slice would keep the whole of a long text in memory.
  const start = text.length > MAX_CHARS ? Buffer.from(text.slice(0, MAX_CHARS), 'utf16le').toString('utf16le') : text;
  const before = known.get(start);
  if (before !== undefined) return before;
  const [oldest] = known.keys();
  if (known.size >= MAX_KNOWN && oldest !== undefined) known.delete(oldest);
  const language = detect(start);
  known.set(start, language);
  return language;
}

function detect(start: string): Language | null {
  const prose = start.replace(LINKS, ' ').replace(DATA, ' ').trim();
  const letters = prose.match(/\p{L}/gu)?.length ?? 0;
  if (letters >= MIN_LETTERS_OPENED && OPENED.test(prose) && !isDisputed(prose, 'es')) return 'es';
  if (letters < (EAST_ASIAN.test(prose) ? 4 : MIN_LETTERS)) return null;
  // Enough for a text of some sentences; judging its letters would say the same and take fifty times as long.
  const byWords = languageByCommonWords(prose);
  if (byWords !== null) return byWords;
  const [first, second] = tinyld().detectAll(prose, { only: [...LANGUAGES] });
  if (!first || !isLanguage(first.lang)) return null;
  if (first.accuracy < MARGIN * (second?.accuracy ?? 0) && !isLikely(prose, first.lang)) return null;
  return isDisputed(prose, first.lang) ? null : first.lang;
}
