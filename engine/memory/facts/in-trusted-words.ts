import { folded } from '../../storage/search/fold.ts';
import type { Fact } from '../../storage/types/facts.ts';

/** A text is as long as a fact may be. */
const MOST_CHARACTERS = 300;
const DIGIT = /\p{N}/u;
const CAPITAL = /^\p{Lu}/u;
const OF_WORDS = /[\p{L}\p{M}\p{N}]/u;

/**
 * What is kept of a run that has read others' words: any word that the model chose may be theirs. So a text counts where it
 * is the quote itself with dates and names in it that the mail or the replaced row has, or the replaced row with figures of
 * the quote in it; all else is the quote, behind the row that it takes the place of, so that no date of that is lost, unless the quote
 * is a part of what that row quotes.
 */
export function inTrustedWords(
  { text, quote }: { readonly text: string; readonly quote: string },
  { written, old }: { readonly written: string; readonly old: Pick<Fact, 'text' | 'quote'> | null },
): string {
  const known = [written, ...(old === null ? [] : [old.text, old.quote])];
  if (old !== null && isRowWithFigures(text, { row: old.text, quote })) return text;
  if (isQuoteWithMore(text, { quote, known })) return text;
  if (old === null || isLessOf(old, quote)) return quote;
  // A sign and no words: whoever is told of it reads another language.
  const both = `${old.text} → ${quote.trim()}`;
  return both.length <= MOST_CHARACTERS ? both : quote;
}

/** The row is a quotation, and this is a part of it: what the row says besides was not to be kept. */
const isLessOf = ({ text, quote: before }: Pick<Fact, 'text' | 'quote'>, quote: string): boolean =>
  wordsOf(text).join(' ') === wordsOf(before).join(' ') &&
  ` ${wordsOf(before).join(' ')} `.includes(` ${wordsOf(quote).join(' ')} `);

/** The row word for word, but for words with digits: each of these stands in the row or in the quote. */
function isRowWithFigures(text: string, { row, quote }: { readonly row: string; readonly quote: string }): boolean {
  const [said, before, now] = [wordsOf(text), wordsOf(row), new Set(wordsOf(quote).map(plain))];
  return (
    said.length === before.length &&
    said.every((word, at) => {
      const old = before[at] ?? '';
      return plain(word) === plain(old) || (DIGIT.test(word) && DIGIT.test(old) && now.has(plain(word)));
    })
  );
}

/** The words of the quote, all of them and in their order; what stands between or around them stands word for word in one text that is known. */
function isQuoteWithMore(
  text: string,
  { quote, known }: { readonly quote: string; readonly known: readonly string[] },
): boolean {
  const [said, own] = [wordsOf(text), wordsOf(quote).map(plain)];
  const rows = known.map((one) => ` ${wordsOf(one).map(plain).join(' ')} `);
  const isKnown = (more: readonly string[]) =>
    more.length === 0 ||
    // A date or a name: not a word that makes its opposite of a sentence.
    (more.some((word) => DIGIT.test(word) || CAPITAL.test(word)) &&
      rows.some((row) => row.includes(` ${more.map(plain).join(' ')} `)));
  let more: string[] = [];
  let next = 0;
  for (const word of said) {
    if (next < own.length && plain(word) === own[next]) {
      if (!isKnown(more)) return false;
      more = [];
      next += 1;
    } else more.push(word);
  }
  return own.length > 0 && next === own.length && isKnown(more);
}

const wordsOf = (text: string): readonly string[] =>
  text
    .split(/\s+/)
    .map(bare)
    .filter((word) => word !== '');

/** Without what stands around it. No expression: a long row of signs would be looked at from each of them. */
function bare(word: string): string {
  const letters = [...word];
  const from = letters.findIndex((one) => OF_WORDS.test(one));
  return from < 0 ? '' : letters.slice(from, letters.findLastIndex((one) => OF_WORDS.test(one)) + 1).join('');
}

const plain = (word: string): string => folded(word);
