import { z } from 'zod';
import { anyJson } from '../../lib/json.ts';

// What a playbook may hold. It is data: the engine reads it, and nothing of it is run.

/** Of work: by rule or, where it is configured, by what a model takes the mail for. */
export const workKind = z
  .string()
  .max(80)
  .regex(/^(?:answer|triage|schedule|draft|research|task:[a-z0-9][a-z0-9_-]{0,63})$/, 'a kind of work');

const upTo = <Item extends z.ZodType>(most: number, item: Item) => z.array(item).max(most).readonly();
const tool = z
  .string()
  .max(64)
  .regex(/^[A-Za-z0-9_.-]+$/, 'the name of a tool');
const words = (most: number) => z.string().min(1).max(most);

/** What a condition or a template may look at: `mail.subject`, `thread.subject`, `arguments.to`, `steps.1.result.id`. */
const place = z
  .string()
  .max(120)
  .regex(/^(?:mail|thread|arguments|steps)\.[A-Za-z0-9_.-]+$/, 'a place such as mail.subject or steps.1.result.id');

/** All of a list have to hold. */
const condition = z.strictObject({
  of: place,
  is: z.enum(['present', 'absent', 'containing', 'equal', 'not_equal']),
  value: z.string().max(300).exactOptional(),
});

const step = z.strictObject({
  tool,
  /** Texts in it may hold `{{mail.subject}}` and the like. */
  arguments: z.record(z.string().max(64), anyJson),
  /** It is left out where this does not hold. */
  when: upTo(8, condition).exactOptional(),
  /** What its result has to be, as `result.…`; the model goes on where it is not. */
  expect: upTo(
    8,
    condition.extend({
      of: z
        .string()
        .max(120)
        .regex(/^result(?:\.[A-Za-z0-9_.-]+)?$/),
    }),
  ).exactOptional(),
});

const denial = z.strictObject({
  rule: z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'an id such as no-files'),
  tool,
  when: upTo(8, condition).exactOptional(),
  reason: words(300),
});

export const CAPABILITIES = ['advice', 'steps', 'narrow', 'defaults', 'stop', 'requires', 'answer'] as const;

export const playbookMeta = z.strictObject({
  kind: workKind,
  /** Of what follows, all that counts. */
  capabilities: upTo(CAPABILITIES.length, z.enum(CAPABILITIES)),
  version: z.int().min(1).max(1_000_000),
});

export const MAX_STEPS = 12;

/** Without its meta. */
export const playbookBody = z.strictObject({
  /** For the model, in words. */
  advice: z.string().max(2000).default(''),
  steps: upTo(MAX_STEPS, step).default([]),
  narrow: z.strictObject({ deny: upTo(20, denial).default([]) }).prefault({}),
  /** Arguments that a call has where the model gives none: by tool, by argument. */
  defaults: z.record(tool, z.record(z.string().max(64), anyJson)).default({}),
  /** Tools or scopes of which a result has to be there before an answer counts. */
  requires: upTo(8, z.string().max(64)).default([]),
  /** Where one of these holds, the mail is not for this playbook, and the model works as without it. */
  stop: upTo(10, condition).default([]),
  /** The final answer, as a template; empty: the model writes it. */
  answer: z.string().max(4000).default(''),
});

/** A whole playbook in characters. */
export const MAX_PLAYBOOK_CHARS = 24_000;

export const playbook = playbookBody.extend({ meta: playbookMeta });
export type Playbook = z.infer<typeof playbook>;
export type PlaybookMeta = z.infer<typeof playbookMeta>;
export type Condition = z.infer<typeof condition>;
export type PlaybookStep = Playbook['steps'][number];

const playbookMode = z.enum(['none', 'assisted', 'filter', 'policy']);

/** What a run works by, from its beginning to its end; only what counts in its mode. */
export const pinnedPlaybook = z.object({
  version_id: z.string(),
  number: z.number(),
  kind: z.string(),
  mode: playbookMode.exclude(['none']),
  tainted: z.boolean(),
  /** An owner has said it: what it denies is denied in whatever mode. */
  said: z.literal(true).exactOptional(),
  playbook,
});
export type PinnedPlaybook = z.infer<typeof pinnedPlaybook>;

const notLoaded = z.enum(['disabled', 'no_version', 'syntax', 'meta_threw', 'meta_invalid']);
export type NotLoaded = z.infer<typeof notLoaded>;

/** Whether a playbook was there for a run, and by what it works. */
export const playbookSelected = z.object({
  kind: z.string(),
  loaded: z.boolean(),
  reason: notLoaded.exactOptional(),
  detail: z.string().exactOptional(),
  version_id: z.string().exactOptional(),
  version: z.number().exactOptional(),
  mode: playbookMode,
  /** How its runs went; null: too few. */
  h: z.number().nullable(),
  by: z.enum(['outcomes', 'override', 'examples', 'owner']),
  /** The playbook is not for this mail, by what it says of itself: the run is as one without it. */
  stopped: z.literal(true).exactOptional(),
  /** A version was pinned that is gone; the newest holds. */
  pin_is_gone: z.literal(true).exactOptional(),
});

/** A call that the playbook makes in the place of the model. */
export const playbookStep = z.object({
  /** Its place among the steps, from 1. */
  step: z.number(),
  call: z.object({ id: z.string(), name: z.string(), arguments: anyJson }),
});

/** From here on the model works. */
export const playbookLeft = z.object({
  step: z.number(),
  reason: z.enum(['stop', 'denied', 'failed', 'unexpected', 'unfilled']),
});

/** The answer that the playbook makes of what its steps have brought. */
export const playbookAnswer = z.object({ text: z.string() });
