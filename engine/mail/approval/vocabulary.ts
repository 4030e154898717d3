import { fold } from './fold.ts';
import { WORDS } from './words.ts';

type ClassName = keyof typeof WORDS;

/**
 * One letter for each class of words, so that a line becomes a short string that a pattern can judge (statement.ts).
 * Only words that stand in words.ts can be part of an approval: any other word makes the answer unclear.
 */
const CLASSES: readonly (readonly [ClassName, string])[] = [
  ['approve', 'A'],
  ['yes', 'a'],
  ['tak', 'k'],
  ['goAhead', 'J'],
  ['deny', 'D'],
  ['no', 'w'],
  ['noOrNot', 'q'],
  ['not', 'Q'],
  ['unclear', 'Z'],
  ['hold', 'H'],
  ['alter', 'F'],
  ['because', 'K'],
  ['edit', 'e'],
  ['all', 'L'],
  ['both', 'B'],
  ['item', 'I'],
  ['and', 'C'],
  ['to', 'R'],
  ['counter', 'c'],
  ['particle', 'o'],
  ['object', 'O'],
  ['we', 'S'],
  ['please', 'P'],
  ['thanks', 'T'],
  ['thanksMore', 't'],
  ['praise', 'G'],
  ['sorry', 'y'],
  ['hello', 'g'],
  ['closing', 'v'],
];

export const MAX_PHRASE_WORDS = 5;

/** The words of a class, folded. */
export const phrasesOf = (name: ClassName): string[] =>
  WORDS[name].split('|').map((phrase) => fold(phrase.replace(/\s+/g, ' ').trim()));

/** The letter of a folded word or phrase. No word may stand in two classes. */
export const LETTER_OF: ReadonlyMap<string, string> = new Map(
  CLASSES.flatMap(([name, letter]) => phrasesOf(name).map((phrase) => [phrase, letter] as const)),
);
