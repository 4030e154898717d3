import { z } from 'zod';
import type { Json } from '#contract';
import { anyJson } from '../lib/json.ts';
import { resultFacts } from '../record/codec/fields.ts';
import type { Suspension } from '../storage/types/suspensions.ts';

/** How a call ends that waited for something that nobody is asked about. */
const outcome = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), result: anyJson, facts: resultFacts.exactOptional() }),
  z.object({ ok: z.literal(false), error: z.object({ code: z.string(), message: z.string() }) }),
]);
export type OutsideOutcome = z.infer<typeof outcome>;

/** The outcome that was stored with the suspension. */
export const outcomeOf = ({ result }: Pick<Suspension, 'result'>): OutsideOutcome =>
  outcome.safeParse(result).data ?? { ok: false, error: { code: 'tool_failed', message: 'its result cannot be read' } };

/** That a call has no result yet: what its kind keeps of it, when it is looked after first, and when it is over. */
export interface Wait {
  readonly kind: string;
  readonly payload: Json;
  readonly wakeAt: number;
  readonly dueAt: number;
}

/** What is to be done about a suspension whose time has come. */
export type WakeDecision =
  /** Its tool is asked by this id what came of it, and again after a while where it could not say. */
  | { readonly do: 'check'; readonly id: string; readonly againMs: number }
  | { readonly do: 'wait'; readonly until: number }
  | { readonly do: 'end'; readonly state: 'resolved' | 'timed_out'; readonly outcome: OutsideOutcome };

/** What a tool can begin. */
export interface Begins {
  readonly hasCheck: boolean;
  readonly delegates: boolean;
}

/** One kind of thing that a run waits for and that nobody is asked about. All of it is pure. */
export interface OutsideKind {
  /** Whether what a tool gave back says that its call waits, and for what; null: it is a result. */
  begins(answer: Json, tool: Begins, now: number): Omit<Wait, 'kind'> | null;
  /** Asked when its time has come, and again each time that a check has brought nothing. */
  wakes(row: Suspension, now: number): WakeDecision;
}

/** The same in a replay; a vendor may give the id of a call again in a later turn. */
export const suspensionId = (runId: string, turn: number, callId: string): string => `${runId}.${turn}.${callId}`;
