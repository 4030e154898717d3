import type { Extent } from '../../storage/search/snippet.ts';

/** So many words in a row are the same text and no turn of speech. */
const RUN = 8;
/** So many of a run stay beside what is new, so that one sees what it belongs to. */
const JOINT = 3;
/** As much of a text as is compared. */
const MAX_READ = 20_000;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;

interface Word {
  readonly word: string;
  readonly from: number;
  readonly to: number;
}

/** What a model is shown by now, by its runs of words. */
export class SaidAlready {
  readonly #runs = new Set<string>();

  add(text: string): void {
    const words = wordsIn(text.slice(0, MAX_READ));
    for (let at = 0; at + RUN <= words.length; at += 1) this.#runs.add(runAt(words, at));
  }

  /** The piece without what was said at its beginning and at its end; null where nothing new is in it. */
  newIn(text: string, piece: Extent): Extent | null {
    const words = wholeWords(text, piece);
    const isSaid = words.map(() => false);
    for (let at = 0; at + RUN <= words.length; at += 1)
      if (this.#runs.has(runAt(words, at))) isSaid.fill(true, at, at + RUN);
    const [first, last] = [isSaid.indexOf(false), isSaid.lastIndexOf(false)];
    if (first === -1) return words.length === 0 ? piece : null;
    return {
      from: first <= JOINT ? piece.from : (words[first - JOINT]?.from ?? piece.from),
      to: last + JOINT >= words.length - 1 ? piece.to : (words[last + JOINT]?.to ?? piece.to),
    };
  }
}

const runAt = (words: readonly Word[], at: number): string =>
  words
    .slice(at, at + RUN)
    .map(({ word }) => word)
    .join(' ');

const wordsIn = (text: string, from = 0): Word[] =>
  Array.from(text.matchAll(WORD), ({ 0: word, index }) => ({
    word: word.toLowerCase(),
    from: from + index,
    to: from + index + word.length,
  }));

/** A piece may begin or end within a word. */
function wholeWords(text: string, { from, to }: Extent): readonly Word[] {
  const words = wordsIn(text.slice(from, to), from);
  const isLetter = (at: number): boolean => /[\p{L}\p{M}\p{N}]/u.test(text[at] ?? '');
  const isOpen = (one: Word | undefined): boolean =>
    one !== undefined && ((one.from === from && isLetter(from - 1)) || (one.to === to && isLetter(to)));
  return words.filter((one) => !isOpen(one));
}
