import type { PersonaFile } from '../../config/types.ts';
import type { Added } from '../schema/persona.ts';
// What runs may spend, and how often tools may be called.

export interface BudgetDay extends Added<'budget_days'> {
  /** `2026-11-21`, in the persona's zone. */
  readonly day: string;
  readonly runs: number;
  readonly tokens: number;
  readonly usd: number;
  readonly reserved_usd: number;
  /** When owners were warned that it is nearly spent. */
  readonly warned_at: number | null;
  /** What of `usd` went into remembering. */
  readonly memory_usd: number;
}

/** What of a persona's `budget` holds for its runs together, or for one of them. */
export const BUDGET_LIMITS = [
  'usd_per_run',
  'usd_per_day',
  'tokens_per_run',
  'runs_per_day',
] as const satisfies readonly (keyof PersonaFile['budget'])[];
export type BudgetLimits = Readonly<Pick<PersonaFile['budget'], (typeof BUDGET_LIMITS)[number]>>;

/** What a model call would like to have set aside for it. */
export interface Reservation {
  readonly runId: string;
  readonly day: string;
  readonly inputTokens: number;
  readonly inputUsd: number;
  readonly usdPerOutputToken: number;
  /** The most it would answer with, and the least with which it is worth making. */
  readonly outputTokens: number;
  readonly leastOutputTokens: number;
  /** The limits of the run that began it all, for all runs below it together; absent where no run may begin another. */
  readonly tree?: BudgetLimits;
}

export type BudgetLimit = keyof BudgetLimits;

export type Reserved =
  /** Set aside; `capped` names the limit because of which the answer may be shorter than it would like. */
  | { readonly outputTokens: number; readonly usd: number; readonly capped: BudgetLimit | null }
  | { readonly spent: BudgetLimit }
  /** Only what other runs have set aside stands in the way. */
  | 'in_use';

/** One call that is about to be made. */
export interface ToolUse {
  readonly runId: string;
  /** The life of the run that asks, and the model's turn that the call is of: ids may come again in a later one. */
  readonly fence: number;
  readonly turn: number;
  readonly callId: string;
  readonly tool: string;
  /** Null where nobody wrote: a task. */
  readonly sender: string | null;
  readonly day: string;
  readonly at: number;
  /** Calls of the turn that are on record as begun: what another life set aside for any other was not used. */
  readonly begun: readonly string[];
}

export interface UseLimits {
  readonly perRun: number | null;
  readonly perDay: number | null;
  readonly perSenderHour: number | null;
}

/** The limit that is used up, and for the last hour's: when the oldest call of it was. */
export type ToolLimitSpent =
  | { readonly limit: 'max_per_run' | 'max_per_day' }
  | { readonly limit: 'calls_per_sender_per_hour'; readonly oldest: number };

/** A call that is made because of an owner's own words: `undoable` ones are counted by run as well. */
export interface OwnWordsUse extends Pick<ToolUse, 'runId' | 'turn' | 'callId' | 'at'> {
  readonly kind: 'stays' | 'undoable' | 'mail';
}
