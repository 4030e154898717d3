import { z } from 'zod';
import { parseDuration, parseSchedule } from '../../lib/schedule/schedule.ts';
import { parseWindow } from '../../lib/schedule/window.ts';
import { answerContract, mailAddress, timezone } from '../schemas.ts';

const MAX_ADDRESSES = 50;

/** `/read_file {"path": "todo.md"}`: one call as the offline model reads it, too. */
const CONDITION = /^\/([a-z0-9_]{1,64})(?:\s+(\{[\s\S]*\}))?$/;

const addresses = z.array(mailAddress).min(1).max(MAX_ADDRESSES);

/** The front matter of a task file; only `schedule` has to be said. `timezone` null: the persona's. */
export const taskSchema = z.strictObject({
  name: z.string().trim().min(1).max(200).nullable().default(null),
  schedule: z.string().trim().min(1).max(200),
  timezone: timezone.nullable().default(null),
  enabled: z.boolean().default(true),
  deliver: z.preprocess(
    (value) => (typeof value === 'string' && value.includes('@') ? value.split(',').map((part) => part.trim()) : value),
    z.union([z.enum(['owner', 'none']), addresses]).default('owner'),
  ),
  missed: z.enum(['latest', 'skip', 'all']).default('latest'),
  max_age: z
    .string()
    .refine((text) => parseDuration(text) !== null, 'a duration such as 12h, with s, m, h or d')
    .default('12h'),
  overlap: z.enum(['skip', 'queue']).default('skip'),
  window: z
    .string()
    .refine((text) => parseWindow(text) !== null, 'hours of the day such as 08:00-12:00')
    .nullable()
    .default(null),
  thread: z.enum(['new', 'sticky']).default('new'),
  /** What it leaves out is the persona's. */
  answer: z.strictObject(answerContract).partial().nullable().default(null),
  condition: z
    .string()
    .trim()
    .refine((text) => readCondition(text) !== null, 'one tool call such as /list_files {"path": "inbox"}')
    .nullable()
    .default(null),
});

/** The one call that a `condition` is; null when it is none. */
export function readCondition(text: string): { readonly tool: string; readonly args: unknown } | null {
  const match = CONDITION.exec(text);
  if (!match) return null;
  try {
    return { tool: match[1] ?? '', args: JSON.parse(match[2] ?? '{}') as unknown };
  } catch {
    return null;
  }
}

/** Why the schedule cannot be read in that zone; null when it can. */
export function scheduleFault(schedule: string, zone: string): { message: string; expected: string } | null {
  const parsed = parseSchedule(schedule, zone);
  return parsed.ok ? null : { message: parsed.message, expected: parsed.expected };
}
