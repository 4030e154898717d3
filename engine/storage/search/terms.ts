import { divided, folded } from './fold.ts';

/** One thing that is looked for: a word with its other forms, a phrase, or two letters of a script without spaces. */
export interface Term {
  /** For FTS5, already quoted. */
  readonly expression: string;
  /** How much of a word it is: of a name in four characters each pair is a part. */
  readonly share: number;
  /** Folded words that are the very one that was asked for, and beginnings that its other forms share. */
  readonly forms: readonly string[];
  readonly stems: readonly string[];
  /** Of a phrase, the words of which any is found; of a script without spaces, what stands within a text. */
  readonly words: readonly string[];
  readonly within: readonly string[];
  /** Whether a folded word of a text is one of its forms. */
  matches(word: string): boolean;
  /** Whether it is the very form that was asked for. */
  isSame(word: string): boolean;
}

const MAX_TERMS = 24;
/** Whoever hides thousands of words in a query makes a search slow for all. */
const MAX_QUERY = 2000;
const HIRAGANA = /^\p{Script=Hiragana}+$/u;
const KATAKANA = /^[\p{Script=Katakana}ー]+$/u;
const SAME_SCRIPT = /[\p{Script=Katakana}ー]+|\p{Script=Hiragana}+|[^\p{Script=Hiragana}\p{Script=Katakana}ー]+/gu;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** The words of a question as terms, each once; empty where it has none. Nothing of it is read as a query language. */
export function termsOf(query: string): readonly Term[] {
  const text = folded(query.slice(0, MAX_QUERY));
  const phrases = [...text.matchAll(/"([^"]+)"/g)].flatMap(([, inner = '']) => phraseOf(inner));
  const { unspaced, rest } = divided(text);
  const spaced = rest.split(/[\s'’"]+/).flatMap(knownWord);
  const terms = [...phrases, ...unspaced.flatMap(pairsOf), ...spaced];
  const byExpression = new Map(terms.map((term) => [term.expression, term]));
  return [...byExpression.values()].slice(0, MAX_TERMS);
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** The terms of a phrase: `rs-36` is found where the two stand side by side. */
function phraseOf(text: string): Term[] {
  const words = text.match(WORD) ?? [];
  if (words.length < 2 || divided(text).unspaced.length > 0) return [];
  return [
    {
      expression: quoted(words.join(' ')),
      share: 1,
      forms: [],
      stems: [],
      words,
      within: [],
      matches: (word) => words.some((one) => one === word),
      isSame: (word) => words.some((one) => one === word),
    },
  ];
}

/** Of words that were looked for lately: the same ones come again and again. */
const words = new Map<string, readonly Term[]>();
const MAX_KNOWN = 500;

function knownWord(token: string): readonly Term[] {
  const known = words.get(token);
  if (known) return known;
  const terms = wordOf(token);
  if (words.size >= MAX_KNOWN) words.clear();
  words.set(token, terms);
  return terms;
}

function wordOf(token: string): Term[] {
  const [word = '', ...more] = token.match(WORD) ?? [];
  if (more.length > 0) return phraseOf(token);
  if (word === '') return [];
  const forms = [word, ...otherSpellings(word)];
  const stems = forms.flatMap(stemsOf);
  return [
    {
      expression: anyOf([...exactly(forms), ...beginningWith(stems)]),
      share: 1,
      forms,
      stems,
      words: [],
      within: [],
      isSame: (one) => forms.includes(one),
      matches: (one) => forms.includes(one) || stems.some((stem) => one.startsWith(stem)),
    },
  ];
}

export const exactly = (forms: readonly string[]): string[] => forms.map(quoted);
export const beginningWith = (stems: readonly string[]): string[] => stems.map((stem) => `${quoted(stem)}*`);

/** For FTS5: what has one of the expressions. */
export const anyOf = (expressions: readonly string[]): string =>
  expressions.length === 1 ? (expressions[0] ?? '') : `(${expressions.join(' OR ')})`;

/** `Mueller` is also written `Müller`, which is folded to `muller`. */
function otherSpellings(word: string): string[] {
  const other = word.replace(/([aou])e/g, '$1');
  return other === word || other.length < 3 ? [] : [other];
}

/**
 * Beginnings that the other forms of a word share: endings are longer in longer words. Exact forms count once more, so
 * that they come first. German writes `ge` before participles: `geliefert` belongs to `liefern`.
 */
function stemsOf(word: string): string[] {
  if (!/^\p{L}{4,}$/u.test(word)) return [];
  const participle = /^ge(\p{L}{4,}(?:t|en))$/u.exec(word)?.[1];
  return [shortened(word), ...(participle === undefined ? [] : [shortened(participle)])];
}

function shortened(word: string): string {
  const { length } = word;
  const ending = length <= 5 ? 1 : length <= 8 ? 2 : Math.min(length - 6, 5);
  return word.slice(0, Math.max(3, length - ending));
}

const SHARE_OF_ROW = 0.4;
const SHARE_OF_PAIR = 0.3;

/** Leaves out the syllables of Japanese grammar, which say nothing where there are other pairs. */
function pairsOf(run: string): Term[] {
  const parts = run.match(SAME_SCRIPT) ?? [];
  const telling = parts.filter((part) => !HIRAGANA.test(part));
  return (telling.length > 0 ? telling : parts).flatMap((part) => {
    const letters = Array.from(part);
    if (letters.length === 1) return [partOf(`${quoted(part)}*`, part, 1)];
    const pairs = letters.slice(1).map((letter, at) => (letters[at] ?? '') + letter);
    const whole = quoted(pairs.join(' '));
    // A loanword is one word; a row of Chinese characters may be several.
    if (pairs.length === 1 || KATAKANA.test(part)) return [partOf(whole, part, 1)];
    return [partOf(whole, part, SHARE_OF_ROW), ...pairs.map((pair) => partOf(quoted(pair), pair, SHARE_OF_PAIR))];
  });
}

const partOf = (expression: string, part: string, share: number): Term => ({
  expression,
  share,
  forms: [],
  stems: [],
  words: [],
  within: [part],
  matches: (word) => word.includes(part),
  isSame: (word) => word.includes(part),
});
