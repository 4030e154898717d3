import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { parseJson } from '../../../engine/lib/json.ts';

/** What somebody types on a telephone below a question; the README of this folder says how they were made. */
const phoneAnswer = z.object({
  id: z.string(),
  language: z.string(),
  /** How many things were asked: a mail to Bob, and then the deletion of the old draft. */
  acts: z.number(),
  text: z.string(),
  expected: z.enum(['yes', 'no', 'unclear']),
  /** Nobody would doubt it. */
  clear: z.boolean(),
  /** What it asks for beside the yes. */
  beside: z.string().nullable(),
  why: z.string(),
});
export type PhoneAnswer = z.infer<typeof phoneAnswer>;

const answersIn = (folder: URL): readonly PhoneAnswer[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .flatMap((name) => parseJson(z.array(phoneAnswer), readFileSync(new URL(name, folder), 'utf8')));

export const phoneAnswers = answersIn(new URL('./', import.meta.url));
/** Written later, by people who knew neither the reader nor the answers above: by set. */
export const laterAnswers = readdirSync(new URL('../phones-2/', import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => ({ set: name, answers: answersIn(new URL(`../phones-2/${name}/`, import.meta.url)) }))
  .toSorted((one, other) => one.set.localeCompare(other.set));

/** What a whole answer means, or each number of it. */
const meaning = z.enum(['yes', 'no', 'unclear']);
const numberedAnswer = z.object({
  language: z.string(),
  /** How many things one mail asks. */
  questions: z.number(),
  text: z.string(),
  means: z.union([meaning, z.record(z.string(), meaning)]),
  /** Its other words: a reason, or something to do. */
  rest: z.string(),
});
export type NumberedAnswer = z.infer<typeof numberedAnswer>;

/** Sets D and E; the README of that folder says how they were made. */
export const numberedAnswers = (['d', 'e'] as const).map((set) => ({
  set,
  answers: parseJson(
    z.array(numberedAnswer),
    readFileSync(new URL(`../phones-3/${set}.json`, import.meta.url), 'utf8'),
  ),
}));
