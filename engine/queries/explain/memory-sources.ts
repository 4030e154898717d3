import { iso } from '../../lib/clock.ts';
import type { RunLog } from '../../record/run-log.ts';

/** A mail of which the prompt of a run held an excerpt, beside the mail that was answered. */
export interface MemorySource {
  readonly message_id: string;
  readonly thread_id: string;
  readonly direction: 'in' | 'out';
  readonly from: string | null;
  readonly tier: string | null;
  readonly date: string;
  /** It stands beside what was found. */
  readonly beside: boolean;
  /** It was written by somebody other than owners and the sender: what the run did since may be their doing. */
  readonly foreign: boolean;
}

/** In the order in which the model was shown them; empty where nothing was recalled. */
export const memorySourcesOf = (log: RunLog): readonly MemorySource[] =>
  (log.of('gather_part').findLast(({ data }) => data.part === 'recall')?.data.sources ?? []).map(
    ({ message_id, thread_id, direction, from, tier, written_at, beside, foreign }) => ({
      ...{ message_id, thread_id, direction, from, tier },
      ...{ date: iso(written_at), beside, foreign },
    }),
  );
