import type { Store } from '../storage/ports/store.ts';

import { costOf, type Price } from './cost.ts';
import { estimateTokens } from './tokens.ts';

/** What an answer has that nobody has seen yet; a page of text. */
const ANSWER_TOKENS = 500;
const NEWEST_RUNS = 10;

/** What each of a task's newest runs cost. */
export async function pastCosts(store: Pick<Store, 'taskTimes'>, task: string): Promise<readonly number[]> {
  const times = await store.taskTimes({ task, limit: NEWEST_RUNS, withRun: true });
  return (
    times
      // One that failed before any model answered tells nothing of what the next will cost.
      .filter(({ run_status, cost_usd: usd }) => run_status === 'done' || (run_status === 'failed' && usd > 0))
      .map(({ cost_usd }) => cost_usd)
  );
}

interface CostQuestion {
  /** What each of the newest runs of the same work cost, in USD. */
  readonly past: readonly number[];
  /** Before the first one: what the model will be given to read, as far as it is known. */
  readonly texts: readonly string[];
  /** Null where nobody knows it. */
  readonly price: Price | null;
}

/**
 * About what one more run will cost, in USD; null without a price, which is not the same as nothing. What runs did cost
 * beats every calculation: it knows how often the model was called, and what its tools brought to read.
 */
export function estimateRunCost({ past, texts, price }: CostQuestion): number | null {
  if (price === null) return null;
  if (past.length > 0) return past.reduce((sum, usd) => sum + usd, 0) / past.length;
  const input = texts.reduce((sum, text) => sum + estimateTokens(text), 0);
  return costOf({ input, output: ANSWER_TOKENS, cached: 0, cacheWrite: 0 }, price);
}
