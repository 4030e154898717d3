import { z } from 'zod';
import { anyJson, readJson } from '../../lib/json.ts';
import { list, risk, tier } from './fields.ts';

// A run as an example by which versions of a playbook are compared.

/** A call by what it does. */
const effect = z.strictObject({ tool: z.string(), arguments: anyJson });
export type ScenarioEffect = z.infer<typeof effect>;

/** What a call of the run has brought. */
const recordedResult = effect.extend({
  /** Null: the call was never begun. */
  risk: risk.nullable(),
  ok: z.boolean(),
  code: z.string().nullable(),
  /** JSON text as the model got it. */
  content: z.string(),
});
export type RecordedResult = z.infer<typeof recordedResult>;

const scenario = z.strictObject({
  /** What a playbook may look at; the text is cut. */
  mail: z.strictObject({
    from: z.string(),
    domain: z.string(),
    name: z.string(),
    subject: z.string(),
    text: z.string(),
    tier,
    attachments: z.number(),
  }),
  thread: z.strictObject({ subject: z.string(), mails: z.number() }),
  /** Of all calls, in their order. */
  results: list(recordedResult),
  /** Calls that have to be made: those that changed something, or, where none did, those that read. */
  expected: list(effect),
  /** Calls that must not be made: those that failed or were refused, and in a run that was called bad, all that changed something. */
  forbidden: list(effect),
  /** What was answered. */
  answer: z.string(),
});
export type Scenario = z.infer<typeof scenario>;

/** Undefined where the text is none that this version reads. */
export const readScenario = (text: string): Scenario | undefined => readJson(scenario, text);
