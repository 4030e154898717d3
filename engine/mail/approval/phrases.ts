import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { parseJson } from '../../lib/json.ts';
import { fold } from './fold.ts';

/**
 * What a word or phrase does in an answer. Each file of `languages/phrases/` gives those of one language under these
 * names; to add a language is to add a file. One letter stands for each class where rules are held against a line
 * (`pattern` of `lexer.ts`).
 */
export const CLASSES = {
  approve: 'A',
  yes: 'a',
  /** Yes in one language and thanks in another. */
  yesOrThanks: 'k',
  goAhead: 'J',
  send: 's',
  /** What a verb of two parts ends with: "schick es raus". */
  away: 'u',
  delete: 'r',
  deny: 'D',
  no: 'w',
  noOrNot: 'q',
  not: 'Q',
  /** "Why not", "not yet": no in it, and yet none. */
  /** A no that is none: behind a yes it changes nothing, alone it is asked about. */
  noProblem: 'n',
  /** The same, in words that may as well comfort somebody: before a word for going ahead they are no yes with it. */
  noMatter: '7',
  unclear: 'Z',
  /** That something was read or has arrived: alone it is asked about, beside what is to be done it says nothing. */
  noted: '4',
  hold: 'H',
  alter: 'F',
  because: 'K',
  edit: 'e',
  /** What begins a request for something else: behind a yes it is one of its own. */
  errand: 'j',
  /** That there is more to it: "also", "by the way". */
  besides: 'b',
  /** What a request begins with that is put as a question: "could you". */
  couldYou: 'd',
  /** Small words that change nothing: "just", "ruhig". */
  filler: 'l',
  /** In place of a yes, where one thing was asked: "sure". As praise it changes nothing. */
  sure: 'f',
  all: 'L',
  both: 'B',
  item: 'I',
  and: 'C',
  to: 'R',
  counter: 'c',
  particle: 'o',
  object: 'O',
  we: 'S',
  may: 'Y',
  thus: 'h',
  please: 'P',
  thanks: 'T',
  thanksMore: 't',
  praise: 'G',
  /** Praise in German and Dutch, "before" in Italian. */
  praiseOrBefore: 'p',
  sorry: 'y',
  /** Why an answer comes late: nothing about what was asked. */
  excuse: 'x',
  /** Before such a word: "I'm", "bin", "je suis". */
  iAm: 'V',
  /** To do, of what is not said what: "haz", "machen". Alone it says nothing. */
  doIt: 'W',
  /** A sign that whoever dictates says aloud: "full stop". */
  saidSign: 'z',
  /** Whom a sentence that only tells something is about: "he", "she", "my wife". */
  who: '0',
  /** What such a sentence tells, and none of it can change what was asked: "waits", "asked twice", "at school". */
  tells: '1',
  /** The day that it is: what is done on a yes is done at once, so it changes nothing where it stands beside what is to be done. */
  today: '2',
  /** To call something off, of what is not said what: "cancel", "annulla". Of something else it is an errand. */
  callOff: '3',
  hello: 'g',
  closing: 'v',
  /** Names of people in a script without capitals. */
  name: 'M',
} as const;

export type ClassName = keyof typeof CLASSES;

/** What stands for two words: "send" and "it", where a language leaves out the "it"; or for three: "could you send it". */
const PAIRS = {
  sendIt: [CLASSES.send, CLASSES.object],
  deleteIt: [CLASSES.delete, CLASSES.object],
  couldSendIt: [CLASSES.couldYou, CLASSES.send, CLASSES.object],
  couldDeleteIt: [CLASSES.couldYou, CLASSES.delete, CLASSES.object],
} as const;

/**
 * Words that are no approvals: what is to be taken back, done once more, gone on with or switched, the two commands of owners,
 * that nothing is to be remembered, who answers in a thread, what becomes of senders who were refused, what only lawyers write
 * below a mail, words of titles and houses, what says no more than that something was read, what makes a rule of a yes, words of days and
 * hours, which change something (`alter`) but in a request for something else, words that stand for whom a mail goes to ,words for no that are never a "not" or a
 * "none", and words like "when", by which it is said when something else is to be done, words for all
 * that are three, and family names in a script without capitals.
 */
const OTHERS = [
  'undo',
  'again',
  'goOn',
  'on',
  'off',
  'stop',
  'resume',
  'private',
  'take',
  'give',
  'allow',
  'once',
  'block',
  'legal',
  'role',
  'acknowledged',
  'fromNowOn',
  'day',
  'pronoun',
  'nay',
  'moment',
  'three',
  'familyName',
] as const;
export type OtherName = (typeof OTHERS)[number];

type PairName = keyof typeof PAIRS;
/** What a word or phrase means in this language alone: elsewhere it is another one, or none. */
type HereName = `${ClassName | PairName}Here`;

const keysOf = <Key extends string>(record: Readonly<Record<Key, unknown>>): readonly Key[] =>
  Object.keys(record).filter((name): name is Key => Object.hasOwn(record, name));
export const CLASS_NAMES: readonly ClassName[] = keysOf(CLASSES);
const PAIR_NAMES: readonly PairName[] = keysOf(PAIRS);
const HERE_NAMES: readonly HereName[] = [...CLASS_NAMES, ...PAIR_NAMES].map((name): HereName => `${name}Here`);

export const MAX_PHRASE_WORDS = 5;
const Phrase = z
  .string()
  .min(1)
  .max(60)
  .refine((text) => text === text.trim() && !/\s\s/.test(text), 'has blanks too many')
  .refine((text) => text.split(' ').length <= MAX_PHRASE_WORDS, 'has more words than are looked at');
const Phrases = z.array(Phrase).nonempty();
/** No line is divided by these, so they may have more words. */
const Longer = z.array(z.string().trim().min(1).max(80)).nonempty();

/** What a file of `languages/phrases/` has to look like; an unknown name in it is an error. */
export const PhraseFile = z.strictObject(
  Object.fromEntries(
    [...CLASS_NAMES, ...PAIR_NAMES, ...HERE_NAMES, ...OTHERS].map((name) => [
      name,
      (name === 'fromNowOn' ? Longer : Phrases).optional(),
    ]),
  ),
);

const folder = new URL('../../languages/phrases/', import.meta.url);
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .toSorted()
  .map((name) => ({
    language: name.slice(0, -'.json'.length),
    phrases: parseJson(PhraseFile, readFileSync(new URL(name, folder), 'utf8')),
  }));

export const PHRASE_LANGUAGES: readonly string[] = files.map(({ language }) => language);

const UMLAUT = /[äöü]/g;
const WRITTEN_OUT: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue' };

/** A German umlaut is also typed as two letters, where a keyboard has none. */
const spellings = (language: string, phrase: string): string[] =>
  language === 'de' && phrase.search(UMLAUT) >= 0
    ? [fold(phrase), fold(phrase.replace(UMLAUT, (letter) => WRITTEN_OUT[letter] ?? letter))]
    : [fold(phrase)];

/** The phrases of a class in all languages, folded, each once. */
export const phrasesOf = (name: ClassName | PairName | HereName | OtherName): string[] => [
  ...new Set(
    files.flatMap(({ language, phrases }) => (phrases[name] ?? []).flatMap((each) => spellings(language, each))),
  ),
];

/** What is shorter without its sign is another word too easily. */
const SHORTEST_BARE = 4;

/** The letters of a folded word or phrase: one, or two of a pair. No phrase stands in two classes: a test sees to that. */
export const LETTERS_OF: ReadonlyMap<string, readonly string[]> = withBareSigns(
  new Map<string, readonly string[]>([
    ...CLASS_NAMES.flatMap((name) => phrasesOf(name).map((phrase) => [phrase, [CLASSES[name]]] as const)),
    ...PAIR_NAMES.flatMap((name) => phrasesOf(name).map((phrase) => [phrase, PAIRS[name]] as const)),
  ]),
);

/** The letters of a folded word or phrase that means one thing here and another elsewhere, by language. */
export const HERE_OF: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>> = new Map(
  files.map(({ language, phrases }) => [
    language,
    new Map([
      ...CLASS_NAMES.flatMap((name) => hereIn(phrases[`${name}Here`], [CLASSES[name]])),
      ...PAIR_NAMES.flatMap((name) => hereIn(phrases[`${name}Here`], PAIRS[name])),
    ]),
  ]),
);

function hereIn(phrases: readonly string[] | undefined, letters: readonly string[]) {
  return (phrases ?? []).map((phrase) => [fold(phrase), letters] as const);
}

/** On a telephone few type the apostrophe of "that's fine" or the hyphen of "vas-y". Another phrase of that spelling stays what it is. */
function withBareSigns(letters: Map<string, readonly string[]>): ReadonlyMap<string, readonly string[]> {
  for (const [phrase, each] of [...letters])
    for (const sign of ['', ' ']) {
      const bare = phrase.replace(/['-]/g, sign);
      if (bare.length >= SHORTEST_BARE && !letters.has(bare)) letters.set(bare, each);
    }
  return letters;
}

/** In which languages a folded phrase is one, whatever it does there. */
export const LANGUAGES_OF: ReadonlyMap<string, ReadonlySet<string>> = files
  .flatMap(({ language, phrases }) =>
    Object.values(phrases).flatMap((list) =>
      (list ?? []).flatMap((phrase) => spellings(language, phrase).map((each) => ({ language, phrase: each }))),
    ),
  )
  .reduce(
    (all, { language, phrase }) => all.set(phrase, new Set([...(all.get(phrase) ?? []), language])),
    new Map<string, ReadonlySet<string>>(),
  );
