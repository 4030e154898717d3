import type { Added } from '../../schema/persona.ts';

// Learned behaviour, kept by kind of work. Times are Unix ms.

export type PlaybookMode = 'none' | 'assisted' | 'filter' | 'policy';

/** What made a version: nothing yet, a refinement of runs, or an owner. */
type PlaybookOrigin = 'empty' | 'refined' | 'owner';

/** A version of a playbook. It is never changed. */
export interface PlaybookVersion extends Added<'playbook_versions'> {
  readonly id: string;
  /** Of work: `answer`, `task:report`. */
  readonly kind: string;
  /** Counts up within the kind, from 1. */
  readonly number: number;
  readonly parent_id: string | null;
  /** As it was written; what it says is read and checked each time it is loaded. */
  readonly playbook_json: string;
  readonly origin: PlaybookOrigin;
  /** It was learned from words of people who are neither owners nor members. */
  readonly tainted: number;
  /** Of its scenarios when it was accepted; null where none were played. */
  readonly score: number | null;
  readonly created_at: number;
}

export type PlaybookVerdict = 'good' | 'bad';

/** How one run went, by what is on record of it. */
export interface PlaybookOutcome extends Added<'playbook_outcomes'> {
  readonly run_id: string;
  readonly thread_id: string;
  readonly kind: string;
  /** The version that the run was pinned to; null: there was none. */
  readonly version_id: string | null;
  readonly mode: PlaybookMode;
  /** 1: it ended in an answer or a question, which was delivered. */
  readonly succeeded: number;
  /** 1: a tool, the engine or the playbook failed. */
  readonly failed: number;
  /** 1: something of the playbook was in the prompt or the runtime. */
  readonly used: number;
  /** 1: the model did what the playbook was to do. */
  readonly delegated: number;
  /** 1: the playbook was used and not worked around. */
  readonly followed: number;
  readonly model_calls: number;
  readonly tokens: number;
  readonly at: number;
}

/** With what somebody has said of it; null: nothing. */
export interface JudgedOutcome extends PlaybookOutcome {
  readonly verdict: PlaybookVerdict | null;
}

/** The version that a run of a kind would work by. */
export interface PlaybookInForce {
  readonly version: PlaybookVersion;
  /** An owner has chosen it. */
  readonly pinned: boolean;
  /** An owner has chosen a version that is gone. */
  readonly pinIsGone: boolean;
  /** The newest of this version, newest first. */
  readonly outcomes: readonly JudgedOutcome[];
  /** The newest of the versions that it was made of, newest first; absent: none. */
  readonly inherited?: readonly JudgedOutcome[];
}

/** A run as an example: what it was given, what has to come of it and what must not. */
export interface PlaybookScenario extends Added<'playbook_scenarios'> {
  readonly id: string;
  readonly kind: string;
  readonly run_id: string;
  /** Of the run; empty where it holds words of others, which go when anything is forgotten. */
  readonly thread_id: string;
  readonly verdict: PlaybookVerdict;
  /** Of what it was given and of what has to come of it. */
  readonly hash: string;
  /** Read by `readScenario`. */
  readonly scenario_json: string;
  readonly tainted: number;
  readonly created_at: number;
  readonly used_at: number;
}
