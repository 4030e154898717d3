import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const file = z.object({ id: z.string(), name: z.string(), kind: z.string(), content: z.unknown() });

const letter = z.object({
  id: z.string(),
  thread: z.string().nullable(),
  from: z.string(),
  to: z.array(z.string()),
  cc: z.array(z.string()),
  subject: z.string(),
  text: z.string(),
  files: z.array(z.string()),
});

const schema = z.object({
  place: z.string().regex(/^[a-z]+$/),
  language: z.string(),
  about: z.string(),
  persona: z.object({ name: z.string(), address: z.string() }),
  people: z.array(
    z.object({ name: z.string(), address: z.string(), role: z.enum(['owner', 'member', 'known', 'outsider']) }),
  ),
  files: z.array(file),
  earlier: z.array(letter.extend({ thread: z.string(), date: z.iso.datetime({ offset: true }) })),
  mails: z.array(
    letter.extend({
      wants: z.string(),
      answer_must_say: z.array(z.string()),
      effects: z.array(z.object({ tool: z.string(), 'to or about': z.string(), must_ask_first: z.boolean() })),
      kind: z.string(),
    }),
  ),
});

/** One invented place of work, as `test/corpus/places/README.md` says. */
export type Place = z.infer<typeof schema>;
export type PlaceFile = Place['files'][number];
export type Earlier = Place['earlier'][number];
export type Wanted = Place['mails'][number];
export type Letter = z.infer<typeof letter>;

const CORPUS = fileURLToPath(new URL('../../corpus/places/', import.meta.url));

/** By its name in the corpus, or by the path of a file. */
export const readPlace = (which: string): Place =>
  schema.parse(JSON.parse(readFileSync(which.endsWith('.json') ? which : `${CORPUS}${which}.json`, 'utf8')));

/** In which people of that language live, so that what they write at has the offset that their mails have. */
const ZONES: Readonly<Record<string, string>> = {
  de: 'Europe/Berlin',
  en: 'Europe/London',
  fr: 'Europe/Paris',
  es: 'Europe/Madrid',
  it: 'Europe/Rome',
  pl: 'Europe/Warsaw',
  ar: 'Asia/Beirut',
  ja: 'Asia/Tokyo',
  zh: 'Asia/Shanghai',
};

export const zoneOf = ({ language }: Place): string => ZONES[language] ?? 'UTC';

/** All ten mails are written from here on, and after whatever lies there. */
const FIRST_MAIL = '2026-11-30T10:00:00';

export function beginningOf({ earlier }: Place): number {
  const offset = earlier.at(-1)?.date.slice(-6) ?? '+00:00';
  const latest = Math.max(...earlier.map(({ date }) => Date.parse(date)));
  return Math.max(Date.parse(`${FIRST_MAIL}${offset}`), latest + 10 * 60_000);
}

export const withRole = ({ people }: Place, role: Place['people'][number]['role']): string[] =>
  people.flatMap((one) => (one.role === role ? [one.address] : []));

export const roleOf = ({ people }: Place, address: string): string =>
  people.find((one) => one.address === address)?.role ?? 'nobody';
