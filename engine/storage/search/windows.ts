import { folded, inNeighbours } from './fold.ts';
import { anyOf, beginningWith, exactly, type Term } from './terms.ts';

// How much a mail fits what is asked, together with the mails beside it: the answer to a question names nothing of what
// was asked for, and stands right after it.

/** What stands before counts half as much as the mail itself, what follows it a tenth, its subject a quarter. */
const OF_BEFORE = 0.5;
const OF_AFTER = 0.1;
const OF_SUBJECT = 0.25;
/** What was asked in the mail before is what this one is about; whoever asks tells half of it. */
const OF_ASKED_BEFORE = 1;
const OF_ASKED = 0.5;
/** Parameters of BM25: how soon a repeated word stops counting, and how much a long text is discounted. */
const K1 = 1.2;
const B = 0.25;
/** More of them would not fit into the bits of a number. */
const MAX_CLUES = 30;
/** Beginnings of shorter words are those of too many others. */
const MIN_STEMMED = 6;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** A word as it was asked for, or the beginning of its other forms, which tells less. */
export interface Clue {
  /** For FTS5. */
  readonly expression: string;
  readonly share: number;
  readonly matches: (word: string) => boolean;
  readonly forms: readonly string[];
  readonly stems: readonly string[];
}

export const cluesOf = (terms: readonly Term[]): readonly Clue[] =>
  terms
    .flatMap(({ expression, share, matches, forms, stems }): Clue[] => {
      if (forms.length === 0) return [{ expression, share, matches, forms, stems }];
      const same = { expression: anyOf(exactly(forms)), share, matches: (word: string) => forms.includes(word), forms };
      const begins = (word: string) => stems.some((stem) => word.startsWith(stem));
      const isLong = stems.length > 0 && (forms[0]?.length ?? 0) >= MIN_STEMMED;
      return [
        { ...same, stems: [] },
        ...(isLong ? [{ expression: anyOf(beginningWith(stems)), share, matches: begins, forms: [], stems }] : []),
      ];
    })
    .slice(0, MAX_CLUES);

/** The rarer, the more. */
export const weightOf = (share: number, found: number, mails: number): number =>
  share * Math.log(1 + (mails + 1) / (found + 0.5));

/** By which clues there are in a mail, in the one before and in the one after it: a bit for each. */
export function coarseScore(
  weights: readonly number[],
  { own, before, after }: { readonly own: number; readonly before: number; readonly after: number },
): number {
  let score = 0;
  for (let at = 0; at < weights.length; at += 1) {
    const [weight, bit] = [weights[at] ?? 0, 1 << at];
    const many = (own & bit ? 1 : 0) + (before & bit ? OF_BEFORE : 0) + (after & bit ? OF_AFTER : 0);
    score += (weight * many * (K1 + 1)) / (many + K1);
  }
  return score;
}

/** The same by how often they stand in the mail, by its length in characters, its subject, and what was asked before it. */
export function fineScore(
  weights: readonly number[],
  counted: {
    readonly own: readonly number[];
    readonly subject: number;
    readonly before: number;
    readonly askedBefore: number;
    readonly after: number;
  },
  length: { readonly own: number; readonly average: number },
): number {
  const norm = K1 * (1 - B + B * Math.min(4, length.own / Math.max(1, length.average)));
  let score = 0;
  for (let at = 0; at < weights.length; at += 1) {
    const [weight, bit] = [weights[at] ?? 0, 1 << at];
    const before = counted.askedBefore & bit ? OF_ASKED_BEFORE : counted.before & bit ? OF_BEFORE : 0;
    const beside = before + (counted.after & bit ? OF_AFTER : 0);
    const many = (counted.own[at] ?? 0) + (counted.subject & bit ? OF_SUBJECT : 0) + beside;
    score += (weight * many * (K1 + 1)) / (many + norm);
  }
  return score;
}

/** A text as it is compared: the clues and the words that it has. */
export interface ReadText {
  /** How much of each clue it tells. */
  readonly times: readonly number[];
  /** Which clues stand in it, and which in its questions, as bits. */
  readonly bits: number;
  readonly asked: number;
  readonly words: ReadonlySet<string>;
}

const SENTENCES = /(?<=[.!?。！？؟])|\n+/u;
const QUESTIONS = /[?？؟]|か。/u;

/** Reads texts one after the other. */
export function readerFor(clues: readonly Clue[]): (text: string) => ReadText {
  const cluesIn = findingFor(clues);
  return (text) => {
    const plain = folded(text);
    const words = new Set<string>();
    const times = clues.map(() => 0);
    const tell = (sentence: string, much: number): number => {
      let bits = 0;
      for (const word of sentence.match(WORD) ?? []) {
        words.add(word);
        const found = cluesIn(word);
        if (found === 0) continue;
        bits |= found;
        for (let at = 0; at < times.length; at += 1) if (found & (1 << at)) times[at] = (times[at] ?? 0) + much;
      }
      return bits;
    };
    let [told, asked] = [0, 0];
    for (const sentence of QUESTIONS.test(plain) ? plain.split(SENTENCES) : [plain])
      if (QUESTIONS.test(sentence)) asked |= tell(sentence, OF_ASKED);
      else told |= tell(sentence, 1);
    const paired = inNeighbours(plain);
    return { times, bits: told | asked, asked, words: paired === plain ? words : new Set(paired.match(WORD)) };
  };
}

/** Which clues a folded word is one of, as bits. Most words are none, so that is what is quick to say. */
function findingFor(clues: readonly Clue[]): (word: string) => number {
  const exact = new Map<string, number>();
  const starts: { readonly stem: string; readonly first: number; readonly bit: number }[] = [];
  const others: { readonly clue: Clue; readonly bit: number }[] = [];
  for (const [at, clue] of clues.entries()) {
    const bit = 1 << at;
    for (const form of clue.forms) exact.set(form, (exact.get(form) ?? 0) | bit);
    for (const stem of clue.stems) starts.push({ stem, first: stem.charCodeAt(0), bit });
    if (clue.forms.length === 0 && clue.stems.length === 0) others.push({ clue, bit });
  }
  return (word) => {
    let found = exact.get(word) ?? 0;
    const first = word.charCodeAt(0);
    for (const start of starts) if (start.first === first && word.startsWith(start.stem)) found |= start.bit;
    for (const { clue, bit } of others) if (clue.matches(word)) found |= bit;
    return found;
  };
}

/** The words of a text as they are compared with those of another. */
export const comparedWords = (text: string): ReadonlySet<string> => new Set(inNeighbours(folded(text)).match(WORD));
