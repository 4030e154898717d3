import { z } from 'zod';
import type { Added, AddedDefault } from '../schema/persona.ts';
import type { Tier } from './mail.ts';
import type { Optional } from './optional.ts';

// Runs and what is on record of them.

export type RunStatus = 'queued' | 'running' | 'waiting_approval' | 'done' | 'failed' | 'cancelled';

/** Why a run that could begin, or go on, does not. */
export type DeferredCode =
  | 'persona_paused'
  | 'persona_stopped'
  | 'budget'
  /** No model answers. */
  | 'provider_unavailable'
  /** None will before its owner has mended something: a key, an account, the name of a model. */
  | 'provider_setup'
  /** Models answer others, and not this mail. */
  | 'request_failed'
  /** Its sender has had the runs of an hour: it waits for its turn. */
  | 'sender_rate_limited';

export interface StoredRun extends Added<'runs'> {
  readonly seq: number;
  readonly id: string;
  readonly thread_id: string;
  /** `messages.id` of the mail that started it. */
  readonly message: string;
  /** Its Message-ID. */
  readonly message_id: string;
  /** `delegation`: another run began it, `parent_run_id`. `test`: as of a mail, and nothing comes of it. */
  readonly kind: 'message' | 'task' | 'delegation' | 'test';
  readonly status: RunStatus;
  readonly waiting_for: string | null;
  /** Who ended it by hand; its sender may not have been told yet. */
  readonly cancelled_by: string | null;
  readonly outcome: string | null;
  readonly code: string | null;
  readonly sender: string | null;
  readonly tier: Tier;
  /** How often mail may still travel between agents (`X-Epistle-Recursion`). */
  readonly recursion: number;
  readonly due_at: number;
  /** What it waits for while it is `queued`: it is not worked before that is over, or `due_at`, when it is given up. */
  readonly deferred_code: DeferredCode | null;
  /** Since when it has waited without getting further. */
  readonly deferred_at: number | null;
  /** When what it waits for may be over by itself; null where somebody has to end it. */
  readonly deferred_until: number | null;
  readonly attempt: number;
  /** Crashes in a row at `crash_seq`, the number of events of progress when the run was last claimed. */
  readonly crashes: number;
  readonly crash_seq: number;
  readonly fence: number;
  readonly leased_by: string | null;
  readonly leased_until: number | null;
  readonly settings_sha256: string | null;
  readonly provider: string | null;
  readonly model: string | null;
  readonly model_calls: number;
  readonly tool_calls: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cached_tokens: number;
  readonly cost_usd: number;
  readonly reserved_usd: number;
  /** The day on which that was set aside; null while nothing is. */
  readonly reserved_day: string | null;
  readonly active_ms: number;
  readonly reply_message_id: string | null;
  readonly parent_run_id: string | null;
  readonly harness_version_id: string | null;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly ended_at: number | null;
}

/**
 * Pure. Whether the mail or task of a run may be worked once more: it failed, was cancelled, or ended in part or in silence. A child run
 * may not: what it was handed was for the run that waited for it, and by itself it would be bound by none of it.
 */
export const mayBeTriedAgain = ({
  kind,
  status,
  outcome,
}: Pick<StoredRun, 'kind' | 'outcome'> & { readonly status: string }): boolean =>
  kind !== 'delegation' &&
  (status === 'failed' || status === 'cancelled' || outcome === 'partial' || outcome?.startsWith('silent:') === true);

/** Somebody wrote the mail, or tries what would become of it if they did. */
export const isOfMail = ({ kind }: Pick<StoredRun, 'kind'>): boolean => kind === 'message' || kind === 'test';

/** Whether nothing may come of it: no mail, no question, no change of anything, no call that leads outside. */
export const isTest = ({ kind }: Pick<StoredRun, 'kind'>): boolean => kind === 'test';

/** The code of a call of a test that was not made. */
export const HELD = 'held';

/** The code of a call that owners are asked about and that the answer does not wait for: it was not made yet. */
export const WAITING = 'waiting';

/** What began a run that only carries out what was decided about calls of another, which had answered before. */
export const decidedQuestion = z.object({
  run_id: z.string(),
  approval_id: z.string(),
  /** What else the same answer decided. Absent where it was nothing, and in records of older versions. */
  also: z.array(z.string()).optional(),
});
export type DecidedQuestion = z.infer<typeof decidedQuestion>;

/** The ids of all questions that it carries out, in the order in which they were decided. */
export const questionsIn = ({ approval_id, also = [] }: DecidedQuestion): readonly string[] => [approval_id, ...also];

export type RunPatch = Partial<Omit<StoredRun, 'seq' | 'fence'>>;

export type NewRun = Optional<
  Omit<StoredRun, 'seq'>,
  | 'waiting_for'
  | 'cancelled_by'
  | 'outcome'
  | 'code'
  | 'sender'
  | 'deferred_code'
  | 'deferred_at'
  | 'deferred_until'
  | 'attempt'
  | 'crashes'
  | 'crash_seq'
  | 'fence'
  | 'leased_by'
  | 'leased_until'
  | 'settings_sha256'
  | 'provider'
  | 'model'
  | 'model_calls'
  | 'tool_calls'
  | 'input_tokens'
  | 'output_tokens'
  | 'cached_tokens'
  | 'cost_usd'
  | AddedDefault<'runs'>
  | 'reserved_usd'
  | 'reserved_day'
  | 'active_ms'
  | 'reply_message_id'
  | 'parent_run_id'
  | 'harness_version_id'
  | 'started_at'
  | 'ended_at'
>;

export interface StoredEvent extends Added<'run_events'> {
  readonly run_id: string;
  readonly seq: number;
  /** One of the events of `engine/record/events.ts`. */
  readonly type: string;
  readonly v: number;
  readonly payload_json: string;
  readonly at: number;
  /** The claim of the run that wrote it; null for what others wrote about it. */
  readonly fence: number | null;
}

/** An event before it has its place in the run; its payload is written by `engine/record/events.ts`. */
export type NewEvent = Pick<StoredEvent, 'type' | 'v' | 'payload_json'>;

/** An event that storage itself writes beside a change of its own. */
export const ownEvent = (type: string, payload: object): NewEvent => ({
  type,
  v: 1,
  payload_json: JSON.stringify(payload),
});

export interface StoredToolEvent extends Added<'thread_tool_events'> {
  readonly id: string;
  readonly thread_id: string;
  readonly parent_message_id: string;
  readonly run_id: string;
  readonly step_index: number;
  readonly event_type: 'tool_call' | 'tool_result';
  readonly tool_name: string;
  readonly tool_call_id: string;
  readonly payload_json: string;
  readonly created_at: number;
}

/** A claim of a run: writes under it change nothing once somebody else has claimed the run. */
export interface Lease {
  readonly runId: string;
  readonly fence: number;
}

/** What keeps a persona's mail waiting right now, from its first mail to the end of all waiting. */
export interface Incident extends Added<'incidents'> {
  readonly code: DeferredCode;
  readonly since: number;
  /** The code of the failure, whose it was, and its words: for the owners. */
  readonly cause: string;
  readonly provider: string;
  readonly message: string;
}
