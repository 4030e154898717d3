import type { JsonObject } from '../json.ts';

/** Calls that wait for a yes of the owner who wrote the current mail. Whoever else writes finds none. */
export interface WaitingCapability {
  /** The oldest first, fifty at most. */
  list(): Promise<readonly CallThatWaits[]>;
  /**
   * Has owners asked about it as it is to be, in the place of the question that stands. `changes`: arguments, each as a whole; all
   * others stay. Throws `not_found` where nothing of that id waits, and `invalid_arguments` where it may not be asked about like that.
   */
  change(id: string, changes: JsonObject): Promise<SettledCall>;
  /** Has nobody asked about it any more: it is not done. The same errors. A second time neither changes anything. */
  withdraw(id: string): Promise<SettledCall>;
}

export interface CallThatWaits {
  readonly id: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  /** Who asked for it; null: a task. */
  readonly for: string | null;
  /** Local times, `2026-11-27 09:12`. */
  readonly asked_at: string;
  readonly until: string;
  /** The current mail answers the question about it. */
  readonly answered_now: boolean;
}

export interface SettledCall {
  /** By which it waits now; null: it waits no more. */
  readonly id: string | null;
  /** As a person would name it. */
  readonly targets: readonly string[];
  readonly title: string | null;
}
