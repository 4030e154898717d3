import { anyOf, beginningWith, exactly, type Term } from './terms.ts';

// How much a mail fits what is asked, together with the mails beside it: the answer to a question names nothing of what
// was asked for, and stands right after it.

/** What stands before counts half as much as the mail itself, what follows it a tenth, its subject a quarter. */
const OF_BEFORE = 0.5;
const OF_AFTER = 0.1;
const OF_SUBJECT = 0.25;
/** What was asked in the mail before is what this one is about. */
const OF_ASKED_BEFORE = 1;
/** Parameters of BM25: how soon a repeated word stops counting, and how much a long text is discounted. */
const K1 = 1.2;
const B = 0.25;
/** More of them would not fit into the bits of a number. */
const MAX_CLUES = 30;
/** Beginnings of shorter words are those of too many others. */
const MIN_STEMMED = 6;

/** A word as it was asked for, or the beginning of its other forms, which tells less. */
export interface Clue {
  /** For FTS5. */
  readonly expression: string;
  readonly share: number;
  /** Folded words that are it, beginnings of such words, and what such a word has within it. */
  readonly forms: readonly string[];
  readonly stems: readonly string[];
  readonly within: readonly string[];
}

export const cluesOf = (terms: readonly Term[]): readonly Clue[] =>
  terms
    .flatMap(({ expression, share, forms, stems, words, within }): Clue[] => {
      if (forms.length === 0) return [{ expression, share, forms: words, stems: [], within }];
      const isLong = stems.length > 0 && (forms[0]?.length ?? 0) >= MIN_STEMMED;
      return [
        { expression: anyOf(exactly(forms)), share, forms, stems: [], within: [] },
        ...(isLong ? [{ expression: anyOf(beginningWith(stems)), share, forms: [], stems, within: [] }] : []),
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
