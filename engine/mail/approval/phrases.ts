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
  unclear: 'Z',
  hold: 'H',
  alter: 'F',
  because: 'K',
  edit: 'e',
  /** What begins a request for something else: behind a yes it is one of its own. */
  errand: 'j',
  /** That there is more to it: "also", "by the way". */
  besides: 'b',
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
  hello: 'g',
  closing: 'v',
  /** Names of people in a script without capitals. */
  name: 'M',
} as const;

export type ClassName = keyof typeof CLASSES;

/** What stands for two words: "send" and "it", where a language leaves out the "it". */
const PAIRS = { sendIt: [CLASSES.send, CLASSES.object], deleteIt: [CLASSES.delete, CLASSES.object] } as const;

/** What a word of two meanings means in this language. */
const HERE = {
  yesHere: CLASSES.yes,
  thanksHere: CLASSES.thanks,
  praiseHere: CLASSES.praise,
  unclearHere: CLASSES.unclear,
} as const;

/**
 * Words that are no approvals: what is to be taken back, done once more, gone on with or switched, the two commands of owners,
 * that nothing is to be remembered, who answers in a thread, what becomes of senders who were refused, what only lawyers write
 * below a mail, and words of titles and houses.
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
] as const;
export type OtherName = (typeof OTHERS)[number];

type PairName = keyof typeof PAIRS;
type HereName = keyof typeof HERE;

const keysOf = <Key extends string>(record: Readonly<Record<Key, unknown>>): readonly Key[] =>
  Object.keys(record).filter((name): name is Key => Object.hasOwn(record, name));
export const CLASS_NAMES: readonly ClassName[] = keysOf(CLASSES);
const PAIR_NAMES: readonly PairName[] = keysOf(PAIRS);
const HERE_NAMES: readonly HereName[] = keysOf(HERE);

export const MAX_PHRASE_WORDS = 5;
const Phrase = z
  .string()
  .min(1)
  .max(60)
  .refine((text) => text === text.trim() && !/\s\s/.test(text), 'has blanks too many')
  .refine((text) => text.split(' ').length <= MAX_PHRASE_WORDS, 'has more words than are looked at');
const Phrases = z.array(Phrase).nonempty();

/** What a file of `languages/phrases/` has to look like; an unknown name in it is an error. */
export const PhraseFile = z.strictObject(
  Object.fromEntries(
    [...CLASS_NAMES, ...PAIR_NAMES, ...HERE_NAMES, ...OTHERS].map((name) => [name, Phrases.optional()]),
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

/** The phrases of a class in all languages, folded, each once. */
export const phrasesOf = (name: ClassName | PairName | OtherName): string[] => [
  ...new Set(files.flatMap(({ phrases }) => (phrases[name] ?? []).map(fold))),
];

/** The letters of a folded word or phrase: one, or two of a pair. No phrase stands in two classes: a test sees to that. */
export const LETTERS_OF: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...CLASS_NAMES.flatMap((name) => phrasesOf(name).map((phrase) => [phrase, [CLASSES[name]]] as const)),
  ...PAIR_NAMES.flatMap((name) => phrasesOf(name).map((phrase) => [phrase, PAIRS[name]] as const)),
]);

/** The letter of a folded word that means one thing here and another elsewhere, by language. */
export const HERE_OF: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  files.map(({ language, phrases }) => [
    language,
    new Map(HERE_NAMES.flatMap((name) => (phrases[name] ?? []).map((phrase) => [fold(phrase), HERE[name]] as const))),
  ]),
);

/** In which languages a folded phrase is one, whatever it does there. */
export const LANGUAGES_OF: ReadonlyMap<string, ReadonlySet<string>> = files
  .flatMap(({ language, phrases }) =>
    Object.values(phrases).flatMap((list) => (list ?? []).map((phrase) => ({ language, phrase: fold(phrase) }))),
  )
  .reduce(
    (all, { language, phrase }) => all.set(phrase, new Set([...(all.get(phrase) ?? []), language])),
    new Map<string, ReadonlySet<string>>(),
  );
