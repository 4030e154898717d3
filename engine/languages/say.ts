import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { z } from 'zod';
import { parseJson } from '../lib/json.ts';
import { atFirstUse } from '../lib/kept-value.ts';
import type { Language } from './language.ts';
import type { Sentences } from './sentences.ts';

/** What a sentence is called, in every language. */
export type Key = keyof Sentences;

type All<Union> = (Union extends unknown ? (given: Union) => void : never) extends (given: infer Every) => void
  ? Every
  : never;
/** What a sentence says of this mail. Of several keys, one of which is said: what any of them needs. */
export type ValuesOf<K extends Key> = All<Sentences[K]>;

type Values = Readonly<Record<string, string | number | boolean>>;
type Sentence = (values: Values) => string;

const require = createRequire(import.meta.url);
const messageFormat = atFirstUse((): typeof import('intl-messageformat') => require('intl-messageformat'));

const Texts = z.record(z.string(), z.string());
const textsOf = (language: Language): ReadonlyMap<string, string> =>
  new Map(Object.entries(parseJson(Texts, readFileSync(new URL(`./${language}.json`, import.meta.url), 'utf8'))));

interface Spoken {
  readonly texts: ReadonlyMap<string, string>;
  /** What was said before: to read a sentence costs ten times what saying it does. */
  readonly read: Map<string, Sentence>;
}
const spoken = new Map<Language, Spoken>();

function spokenIn(language: Language): Spoken {
  const known = spoken.get(language) ?? { texts: textsOf(language), read: new Map() };
  spoken.set(language, known);
  return known;
}

/** A sentence in a language, in ICU MessageFormat; `values` are put in as they are and mean nothing in it. */
export function say<K extends Key>(
  language: Language,
  key: K,
  ...values: keyof ValuesOf<K> extends never ? [] : [values: ValuesOf<K>]
): string;
export function say(language: Language, key: Key, values: Values = {}): string {
  const { texts, read } = spokenIn(language);
  const known = read.get(key) ?? sentenceOf(language, key, texts.get(key));
  read.set(key, known);
  return known(values);
}

/** What is said below a prefix: `denied` and others of `receipt.why`. `After` is what ends each of them. */
export type Under<
  Prefix extends string,
  After extends string = '',
  K extends Key = Key,
> = K extends `${Prefix}.${infer Rest}${After}` ? Rest : never;

/** Whether something is said under this key: codes of vendors and of earlier builds may have no words. */
export const isKey = (key: string): key is Key => spokenIn('en').texts.has(key);

/**
 * French says `d’Olga` and `de Paul`: a name is not known before the sentence is said. An h is left alone, as nobody can
 * tell from the letters whether it is one that is spoken.
 */
const OF = /\bde \{(\w{1,40})\}/g;
const ofName = (name: string): string => (/^[aeiouàâäéèêëîïôöùûü]/i.test(name) ? `d’${name}` : `de ${name}`);

/** `{name_capital}` is `name` with a capital first letter, for languages that begin a sentence with it. */
const CAPITAL = /\{(\w{1,40})_capital\}/g;

function sentenceOf(language: Language, key: string, text: string | undefined): Sentence {
  if (text === undefined) throw new Error(`${language}.json has no ${key}`);
  if (!/[{']/.test(text)) return () => text;
  const written = language === 'fr' ? text.replace(OF, '{$1_of}') : text;
  const message = new (messageFormat().IntlMessageFormat)(written, language, undefined, { ignoreTag: true });
  const ofs = [...written.matchAll(/\{(\w{1,40})_of\}/g)].map(([, name = '']) => name);
  const capitals = [...text.matchAll(CAPITAL)].map(([, name = '']) => name);
  return (values) => {
    const added = capitals.map((name) => [`${name}_capital`, withCapital(String(values[name]))] as const);
    const elided = ofs.map((name) => [`${name}_of`, ofName(String(values[name]))] as const);
    return String(message.format({ ...values, ...Object.fromEntries([...added, ...elided]) }));
  };
}

const withCapital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
