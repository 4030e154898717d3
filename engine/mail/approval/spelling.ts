import { fold } from './fold.ts';
import { CLASS_NAMES, CLASSES, type ClassName, HERE_OF, LETTERS_OF, phrasesOf } from './phrases.ts';

/**
 * How people mistype on a telephone, as three rules: a last letter that is drawn out, words without the blank between them,
 * and one letter that is wrong. A word is taken for a known one only where that says yes or is courtesy, and nothing that could be
 * a doubt in any language is as near: a wrong guess here would do what nobody has asked for.
 */
export function spelled(word: string): readonly string[] | null {
  const typed = fold(word);
  if (!LATIN.test(typed) || typed.length > LONGEST || KNOWN.has(typed)) return null;
  const undrawn = withoutDrawing(typed);
  if (undrawn !== null) return [undrawn];
  return runTogether(typed) ?? mistyped(typed);
}

const LATIN = /^[a-z]{3,}$/;
const LONGEST = 24;

/** What a word may be mistyped for. Of a verb, another letter is as often another verb: "invita" is no "invia". */
const FREELY: readonly ClassName[] = ['yes', 'approve', 'sure', 'praise', 'please', 'thanks'];
const VERBS: readonly ClassName[] = ['send', 'delete', 'goAhead'];
const DRAWN: readonly ClassName[] = ['yes', 'yesOrThanks', 'approve', 'please', 'thanks', 'no'];
const JOINED: readonly ClassName[] = [
  'yes',
  'approve',
  'sure',
  'please',
  'thanks',
  'goAhead',
  'send',
  'object',
  'filler',
];
/** Every class that can take a yes back, or make it another one. */
const DOUBTED: readonly ClassName[] = CLASS_NAMES.filter(
  (name) =>
    ![
      'object',
      'filler',
      'thus',
      'and',
      'to',
      'we',
      'may',
      'away',
      'name',
      'excuse',
      'iAm',
      'doIt',
      ...FREELY,
      ...VERBS,
    ].includes(name),
);

const lettersOf = (names: readonly ClassName[]): ReadonlySet<string> => new Set(names.map((name) => CLASSES[name]));
const wordsOf = (names: readonly ClassName[]): string[] => names.flatMap((name) => phrasesOf(name)).flatMap(apart);
const apart = (phrase: string): string[] => phrase.split(' ');

const ALONE = new Map([...LETTERS_OF].filter(([phrase]) => LATIN.test(phrase)));
const KNOWN: ReadonlySet<string> = new Set(
  [LETTERS_OF, ...HERE_OF.values()].flatMap((phrases) => [...phrases.keys()]).flatMap(apart),
);
const ofClass = (word: string, letters: ReadonlySet<string>): boolean => {
  const [letter, more] = ALONE.get(word) ?? [];
  return letter !== undefined && letters.has(letter) && (more === undefined || more === CLASSES.object);
};

const DRAWN_LETTERS = lettersOf(DRAWN);
/** Also what only hesitates may be drawn out, anywhere: "waaait", "hmmmm". */
const DOUBT_LETTERS = lettersOf(DOUBTED);

/** How often the last letter stands there once more than once. */
function drawnOut(typed: string): number {
  let more = 0;
  while (more + 1 < typed.length && typed.at(-2 - more) === typed.at(-1)) more += 1;
  return more;
}

function withoutDrawing(typed: string): string | null {
  const last = typed.slice(0, typed.length - drawnOut(typed));
  if (last !== typed) {
    const found = [`${last}${typed.at(-1)}`, last].find((each) => ofClass(each, DRAWN_LETTERS));
    if (found !== undefined) return found;
  }
  const [once, twice] = [typed.replace(/(.)\1{2,}/g, '$1'), typed.replace(/(.)\1{2,}/g, '$1$1')];
  if (once === typed) return null;
  return [once, twice].find((each) => ofClass(each, DOUBT_LETTERS)) ?? null;
}

const JOINED_LETTERS = lettersOf(JOINED);
const YES_LETTERS = lettersOf(['yes', 'approve', 'sure']);
const MOST_JOINED = 3;

/** "yesplease": a yes first, then nothing but what may follow it, one of them long enough to be no chance. */
function runTogether(typed: string, joined: readonly string[] = []): readonly string[] | null {
  if (typed === '') return joined.length > 1 && joined.some((word) => word.length >= 4) ? joined : null;
  if (joined.length === MOST_JOINED) return null;
  const letters = joined.length === 0 ? YES_LETTERS : JOINED_LETTERS;
  for (let length = typed.length; length >= 2; length -= 1) {
    const word = typed.slice(0, length);
    if (!ofClass(word, letters)) continue;
    const found = runTogether(typed.slice(length), [...joined, word]);
    if (found !== null) return found;
  }
  return null;
}

const SHORTEST = 5;
/** Two letters that have changed places make another word more seldom. */
const SHORTEST_SWAPPED = 4;

const byLength = (words: readonly string[]): ReadonlyMap<number, readonly string[]> =>
  Map.groupBy(new Set(words.filter((word) => LATIN.test(word))), ({ length }) => length);
const FREE_WORDS = byLength(wordsOf(FREELY));
const VERB_WORDS = byLength([...wordsOf(VERBS), ...[...phrasesOf('sendIt'), ...phrasesOf('deleteIt')].flatMap(apart)]);
const NO_DOUBT_LETTERS = lettersOf([...FREELY, ...VERBS, 'object']);
/** "nicht genehmigen" holds a word that is none by itself. */
const DOUBT_WORDS = byLength(wordsOf(DOUBTED).filter((word) => !ofClass(word, NO_DOUBT_LETTERS)));

function mistyped(typed: string): readonly string[] | null {
  const near = (words: ReadonlyMap<number, readonly string[]>, is: (word: string) => boolean): string[] =>
    [-1, 0, 1].flatMap((more) => words.get(typed.length + more) ?? []).filter(is);
  const isSwap = (word: string): boolean => typed.length >= SHORTEST_SWAPPED && isSwapped(typed, word);
  const isOne = (word: string): boolean => isSwap(word) || (typed.length >= SHORTEST && isOneLetterOff(typed, word));
  const isOneInside = (word: string): boolean => isOne(word) && sameEnds(typed, word);
  if (near(DOUBT_WORDS, isOne).length > 0) return null;
  const swapped = [...near(FREE_WORDS, isSwap), ...near(VERB_WORDS, isSwap)];
  const found = swapped.length > 0 ? swapped : near(FREE_WORDS, isOneInside);
  const [first, ...others] = found;
  const letter = (word: string): string => (ALONE.get(word) ?? []).join('');
  return first !== undefined && others.every((word) => letter(word) === letter(first)) ? [first] : null;
}

/** Keys that lie beside each other, on the keyboards that people type these languages on. */
const KEYBOARDS = [
  ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'],
  ['qwertzuiop', 'asdfghjkl', 'yxcvbnm'],
  ['azertyuiop', 'qsdfghjklm', 'wxcvbn'],
  ['ضصثقفغعهخحج', 'شسيبلاتنمك', 'ئءؤرلاىهوزظ'],
];
const NEIGHBOURS: ReadonlySet<string> = new Set(
  KEYBOARDS.flatMap((rows) =>
    rows.flatMap((row, at) =>
      [...row].flatMap((key, place) =>
        [
          row[place - 1],
          row[place + 1],
          ...[-1, 0, 1].flatMap((by) => [rows[at - 1]?.[place + by], rows[at + 1]?.[place + by]]),
        ]
          .filter((other) => other !== undefined)
          .map((other) => `${key}${other}`),
      ),
    ),
  ),
);

/** One key beside the right one was struck. */
function isMissedKey(typed: string, word: string): boolean {
  const wrong = [...word].flatMap((letter, at) => (letter === typed[at] ? [] : [`${letter}${typed[at]}`]));
  return typed.length === word.length && wrong.length === 1 && wrong.every((pair) => NEIGHBOURS.has(pair));
}

const REFUSING = [...phrasesOf('no'), ...phrasesOf('noOrNot'), ...phrasesOf('not'), ...phrasesOf('deny')];
const MISSED_YES = [...phrasesOf('yes'), ...phrasesOf('yesHere'), ...phrasesOf('yesOrThanks')].filter(
  (word) => !word.includes(' '),
);
const LONGEST_MISSED = 5;

/** Whether a short word is a yes but for one key, and no word of refusal is as near. It is none by itself, so short as it is. */
export function isMissedYes(typed: string): boolean {
  const isNear = (words: readonly string[]): boolean => words.some((word) => isMissedKey(typed, word));
  return (
    typed.length >= 2 && typed.length <= LONGEST_MISSED && !KNOWN.has(typed) && isNear(MISSED_YES) && !isNear(REFUSING)
  );
}

const sameEnds = (one: string, other: string): boolean => one[0] === other[0] && one.at(-1) === other.at(-1);

/** Two neighbours have changed places. */
function isSwapped(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  const at = [...one].findIndex((letter, index) => letter !== other[index]);
  return at >= 0 && one[at] === other[at + 1] && one[at + 1] === other[at] && one.slice(at + 2) === other.slice(at + 2);
}

/** One letter is another one, is missing, or is one too many. */
function isOneLetterOff(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (long.length - short.length > 1) return false;
  const at = [...long].findIndex((letter, index) => letter !== short[index]);
  if (at < 0) return false;
  return long.slice(at + 1) === short.slice(long.length === short.length ? at + 1 : at);
}
