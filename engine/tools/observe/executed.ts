import type { Json } from '#contract';
import type { CallError } from '../../policy/call.ts';
import type { Sensed } from '../../policy/sensor.ts';
export type Executed = (
  | { readonly ok: true; readonly result: Json }
  | { readonly ok: false; readonly error: CallError }
) & {
  readonly ms: number;
  /** When it ended; absent where nothing ran. */
  readonly at?: number;
  /** Absent where nothing ran. */
  readonly sensed?: Sensed;
  /** It found something else than what was approved, and did nothing. */
  readonly isStale?: true;
};
