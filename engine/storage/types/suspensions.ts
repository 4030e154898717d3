import type { Json } from '#contract';

// What a run waits for that no person is asked about. What people are asked stands in `approvals`.

/** `begun`: what it may have to wait for is being begun right now. */
export type SuspensionState = 'begun' | 'open' | 'resolved' | 'timed_out' | 'cancelled';

/** One call of a run that has no result yet and that nobody in this process works on. */
export interface Suspension {
  readonly id: string;
  readonly run_id: string;
  readonly call_id: string;
  readonly tool: string;
  /** Of `engine/suspensions/kinds.ts`; a later version may have left one that this one does not know. */
  readonly kind: string;
  readonly state: SuspensionState;
  /** What its kind needs to go on. */
  readonly payload: Json;
  /** When it is over, whatever came of it. */
  readonly due_at: number;
  /** What came of it, as its kind reads it; null while it is open, and where nothing came. */
  readonly result: Json;
  readonly created_at: number;
  readonly ended_at: number | null;
}

/** How a suspension ends. It is done once: whoever comes second changes nothing. */
export interface SuspensionEnd {
  readonly id: string;
  readonly state: 'resolved' | 'timed_out';
  readonly result: Json;
  /** Who or what brought it. */
  readonly by: string;
  readonly now: number;
}
