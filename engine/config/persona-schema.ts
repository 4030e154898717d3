import { z } from 'zod';
import { learningKeys } from './learning/schema.ts';
import {
  addressPattern,
  answerContract,
  count,
  inferenceChoice,
  language,
  mailAddress,
  owner,
  retry,
  stages,
  timezone,
  usd,
  weeklyMail,
} from './schemas.ts';

const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
const clockTime = z.string().regex(/^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/, 'a time of day such as 09:00');
const httpsUrl = z.url({ protocol: /^https$/, error: 'an https URL' });

const grant = z
  .string()
  .regex(
    /^(\*|[a-z0-9_]{1,64}|(mail|files|web|memory|schedule|shell):(read|create|write|delete))$/,
    'a tool name, * or a scope such as mail:read',
  );

const replyMode = z.enum(['send', 'draft']);

export const personaSchema = z.strictObject({
  /** Stands in From and in the signature: one line. */
  name: z
    .string()
    .min(1)
    .max(200)
    .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]+$/u, 'one line of text'),
  address: mailAddress,
  aliases: z.array(mailAddress).default([]),
  mailbox: z.string().nullable().default(null),
  owners: z.array(owner).optional(),
  timezone: timezone.default('UTC'),
  /** Language of the gateway's own sentences where the mail does not tell it: `languages/language.ts`. */
  language: language.default('en'),
  /** Below `-- ` in its mails; null: its name, and in the language of the mail that it is an AI assistant. */
  signature: z.string().max(1000).nullable().default(null),
  access: z
    .strictObject({
      allow: z.array(addressPattern).default([]),
      deny: z.array(addressPattern).default([]),
      /** List-Ids whose mail this persona may answer. */
      lists: z.array(z.string()).default([]),
      /** What somebody who is only known on a thread may use besides the thread itself. */
      known: z.strictObject({ tools: z.array(grant).default([]) }).prefault({}),
    })
    .prefault({}),
  inference: z
    .strictObject({ ...inferenceChoice, retry: z.strictObject(retry).partial(), stages: z.strictObject(stages) })
    .partial()
    .default({}),
  tools: z.strictObject({ allow: z.array(grant).default(['*']), deny: z.array(grant).default([]) }).prefault({}),
  reply: z
    .strictObject({
      recipients: z.enum(['sender', 'known', 'all']).default('sender'),
      /** Whether an answer says below what was done and what was not: where there is any of it, or also that there is none. */
      receipt: z.enum(['effects', 'always', 'never']).default('effects'),
      /** Whether an answer is sent, or lies in Drafts for an owner to send. */
      mode: replyMode.default('send'),
      /** The same for some senders; the first that matches decides. */
      rules: z.array(z.strictObject({ sender: addressPattern, mode: replyMode })).default([]),
    })
    .prefault({}),
  answer: z
    .strictObject({
      claims: answerContract.claims.default('optional'),
      effects: answerContract.effects.default([]),
      contract: answerContract.contract.default([]),
      points: answerContract.points.default([]),
    })
    .prefault({}),
  /** `facts`: it keeps what people tell it, and what they ask it to do from now on. Null is as the workspace has it. */
  memory: z
    .strictObject({ facts: z.boolean().nullable().default(null), recall: z.boolean().nullable().default(null) })
    .prefault({}),
  /** What differs from the workspace's `learning`. */
  learning: z.strictObject(learningKeys).partial().default({}),
  /** What differs from the workspace's `weekly_mail`. */
  weekly_mail: z.strictObject(weeklyMail).partial().default({}),
  /** Whether runs may hand parts of their work to runs of their own, how many each, and how many below one another. */
  delegation: z
    .strictObject({
      enabled: z.boolean().default(false),
      max_children: z.int().min(1).max(20).default(3),
      max_depth: z.int().min(1).max(3).default(1),
    })
    .prefault({}),
  /** Calendars of the owner besides the files in `calendars/`, and when somebody may be met. */
  calendar: z
    .strictObject({
      urls: z
        .record(z.string().regex(/^[\p{L}\p{N} _-]{1,60}$/u, 'a name of letters and digits'), httpsUrl)
        .default({}),
      work_hours: z
        .strictObject({
          days: z.array(z.enum(WEEKDAYS)).min(1).default(['mon', 'tue', 'wed', 'thu', 'fri']),
          from: clockTime.default('09:00'),
          to: clockTime.default('17:00'),
        })
        .refine(({ from, to }) => from < to, { path: ['to'], error: 'a time after `from`' })
        .prefault({}),
    })
    .prefault({}),
  budget: z
    .strictObject({
      usd_per_run: usd.nullable().default(null),
      usd_per_day: usd.nullable().default(null),
      tokens_per_run: count.nullable().default(null),
      runs_per_day: count.nullable().default(null),
      runs_per_sender_per_hour: count.nullable().default(null),
    })
    .prefault({}),
});
