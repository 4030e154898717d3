import type { Json } from '#contract';
import type { CallError } from '../../policy/call.ts';
import type { Sensed } from '../../policy/sensor.ts';
import type { ResultFacts } from '../../record/result-facts.ts';
import type { Wait } from '../../suspensions/outside.ts';

export type Executed = (
  | {
      readonly ok: true;
      readonly result: Json;
      /** As its tool declared them; absent where it declares none. */
      readonly facts?: ResultFacts;
      /** It is no result yet: what the call waits for. */
      readonly wait?: Wait;
    }
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
