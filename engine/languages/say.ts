import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { z } from 'zod';
import type { Persona } from '../config/types.ts';
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

/** The lines below `-- `. Whoever reads a mail should know that no person wrote it, unless an owner words it otherwise. */
export const signatureOf = (persona: Pick<Persona, 'name' | 'signature'>, language: Language): readonly string[] =>
  persona.signature === null ? [persona.name, say(language, 'mails.assistant')] : persona.signature.split('\n');

/** As people of the language write days; English as most of the world writes it. */
const LOCALES: Readonly<Partial<Record<Language, string>>> = { en: 'en-GB' };

export interface ReaderLocale {
  readonly language: Language;
  /** IANA zone. */
  readonly zone: string;
}

type Part = 'time' | 'day' | 'dated' | 'ofYear';

const PARTS: Readonly<Record<Part, Intl.DateTimeFormatOptions>> = {
  time: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  day: { weekday: 'short', day: 'numeric', month: 'short' },
  dated: { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
  ofYear: { day: 'numeric', month: 'long' },
};

/** Making a formatter costs a hundred times what using it does. There are some hundreds of zones and ten languages. */
const formatters = new Map<string, Intl.DateTimeFormat>();

/** What was said last of each: mails of one minute are told the same. */
const newest = new Map<string, { readonly minute: number; readonly text: string }>();

function format(at: number, part: Part, { language, zone }: ReaderLocale): string {
  const key = `${part} ${language} ${zone}`;
  const minute = Math.floor(at / 60_000);
  const known = newest.get(key);
  if (known?.minute === minute) return known.text;
  const text = formatterOf(key, part, { language, zone }).format(at);
  newest.set(key, { minute, text });
  return text;
}

function formatterOf(key: string, part: Part, { language, zone }: ReaderLocale): Intl.DateTimeFormat {
  const known = formatters.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat(LOCALES[language] ?? language, { timeZone: zone, ...PARTS[part] });
  formatters.set(key, made);
  return made;
}

export const clockTime = (at: number, place: ReaderLocale): string => format(at, 'time', place);

/** The day alone on the clocks of a zone: `Sun 29 Nov`. */
export const dayOf = (at: number, place: ReaderLocale): string => format(at, 'day', place);

/** `Sun, 29 Nov 2026` */
export const dayWithYear = (at: number, place: ReaderLocale): string => format(at, 'dated', place);

/** A day that comes every year: `24 December`. */
export const dayInWords = (at: number, place: ReaderLocale): string => format(at, 'ofYear', place);

/** Day and time on the clocks of a zone: `Sun 29 Nov, 12:32`. */
export const dayAndTime = (at: number, place: ReaderLocale, withYear = false): string =>
  say(place.language, 'mails.at', { day: format(at, withYear ? 'dated' : 'day', place), time: clockTime(at, place) });

/** The same in a mail that is written at `now`: `today at 11:32` where it is the same day. */
export function whenSeenFrom(now: number, at: number, place: ReaderLocale): string {
  const day = (instant: number) => dayWithYear(instant, place);
  return day(now) === day(at)
    ? say(place.language, 'mails.today', { time: clockTime(at, place) })
    : dayAndTime(at, place);
}

/** The day and the time that an ISO time says, on the clocks that it was written by. Null where it is none. */
export function wallInWords(iso: string, language: Language): string | null {
  const at = wallOf(iso);
  return at === null ? null : dayAndTime(at, { language, zone: 'UTC' }, true);
}

/** `Tue 1 Dec 2026, 15:00 – 16:00`, from two ISO times on the same clocks, or from days alone. What is neither stays. */
export function spanInWords(from: string, to: string | null, language: Language): string {
  const place = { language, zone: 'UTC' };
  const [start, end] = [wallOf(from), to === null ? null : wallOf(to)];
  if (start === null)
    return [from, to]
      .filter((each) => each !== null)
      .map((each) => isoDayInWords(each, place))
      .join(' – ');
  const begins = dayAndTime(start, place, true);
  if (end === null) return begins;
  const isSameDay = format(start, 'dated', place) === format(end, 'dated', place);
  return `${begins} – ${isSameDay ? clockTime(end, place) : dayAndTime(end, place, true)}`;
}

const WALL = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?$/;

function wallOf(iso: string): number | null {
  const [, wall] = WALL.exec(iso) ?? [];
  const at = wall === undefined ? Number.NaN : Date.parse(`${wall}:00Z`);
  return Number.isNaN(at) ? null : at;
}

const isoDayInWords = (day: string, place: ReaderLocale): string => {
  const at = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  return Number.isNaN(at) ? day : format(at, 'dated', place);
};
