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

const folder = new URL('./', import.meta.url);

export const phoneAnswers: readonly PhoneAnswer[] = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .toSorted()
  .flatMap((name) => parseJson(z.array(phoneAnswer), readFileSync(new URL(name, folder), 'utf8')));
