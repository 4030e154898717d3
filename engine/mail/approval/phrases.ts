import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { parseJson } from '../../lib/json.ts';
import { fold } from './fold.ts';

/**
 * What a word or phrase does in an answer. Each file of `phrases/` gives those of one language under these names; to add
 * a language is to add a file. One letter stands for each class where rules are held against a line (`pattern.ts`).
 */
export const CLASSES = {
  approve: 'A',
  yes: 'a',
  /** Yes in one language and thanks in another. */
  yesOrThanks: 'k',
  goAhead: 'J',
  send: 's',
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

/**
 * Words that are no approvals: what is to be taken back, the two commands of owners, that nothing is to be remembered,
 * what becomes of senders who were refused, and what only lawyers write below a mail.
 */
const OTHERS = ['undo', 'stop', 'resume', 'private', 'allow', 'once', 'block', 'legal'] as const;
export type OtherName = (typeof OTHERS)[number];

const isClass = (name: string): name is ClassName => Object.hasOwn(CLASSES, name);
export const CLASS_NAMES: readonly ClassName[] = Object.keys(CLASSES).filter(isClass);

export const MAX_PHRASE_WORDS = 5;
const Phrase = z
  .string()
  .min(1)
  .max(60)
  .refine((text) => text === text.trim() && !/\s\s/.test(text), 'has blanks too many')
  .refine((text) => text.split(' ').length <= MAX_PHRASE_WORDS, 'has more words than are looked at');
const Phrases = z.array(Phrase).nonempty();

/** What a file of `phrases/` has to look like; an unknown name in it is an error. */
export const PhraseFile = z.strictObject(
  Object.fromEntries([...CLASS_NAMES, ...OTHERS].map((name) => [name, Phrases.optional()])),
);

const folder = new URL('./phrases/', import.meta.url);
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .toSorted()
  .map((name) => ({
    language: name.slice(0, -'.json'.length),
    phrases: parseJson(PhraseFile, readFileSync(new URL(name, folder), 'utf8')),
  }));

export const PHRASE_LANGUAGES: readonly string[] = files.map(({ language }) => language);

/** The phrases of a class in all languages, folded, each once. */
export const phrasesOf = (name: ClassName | OtherName): string[] => [
  ...new Set(files.flatMap(({ phrases }) => (phrases[name] ?? []).map(fold))),
];

/** The letter of a folded word or phrase. No phrase stands in two classes: a test sees to that. */
export const LETTER_OF: ReadonlyMap<string, string> = new Map(
  CLASS_NAMES.flatMap((name) => phrasesOf(name).map((phrase) => [phrase, CLASSES[name]] as const)),
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
