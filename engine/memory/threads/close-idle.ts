import type { Configs, Persona } from '../../config/types.ts';
import type { Clock } from '../../lib/clock.ts';
import { closeThreadJob } from '../../record/jobs/job-kinds.ts';
import type { Announce } from '../../record/jobs/jobs.ts';
import type { ClosingStore } from '../../storage/ports/memory/closings.ts';
import type { Stores } from '../../storage/ports/store.ts';
import { closedBefore } from './closing-shown.ts';

/** Of one persona and day: a mailbox of years is closed over many days, its newest threads first. */
const MOST_A_DAY = 100;
/** Rows of threads that one query looks at. */
const SCAN = 500;
const BREATH_MS = 20;

/**
 * Asks for the closing of threads that have no mail any more, of these personas. Once a day is often
 * enough: that a thread is closed is seen at its newest mail, whether a card of it is written or not.
 */
export async function closeIdleThreads(
  deps: {
    readonly personas: readonly Persona[];
    readonly system: Configs['system'];
    readonly stores: Stores;
    readonly announce: Announce;
    readonly clock: Pick<Clock, 'now' | 'sleep'>;
  },
  signal: AbortSignal,
): Promise<void> {
  const { personas, system, stores, announce, clock } = deps;
  for (const { id } of personas) {
    if (signal.aborted) return;
    if (!stores.exists(id)) continue;
    const now = clock.now();
    const before = closedBefore(now, system.memory.close_after_days);
    const threads = await stores.use(id, (store) => idleThreads(store, before, () => clock.sleep(BREATH_MS, signal)));
    if (threads.length === 0) continue;
    const jobs = threads.map(({ threadId, runId }) => closeThreadJob(runId, threadId, now));
    await announce(id, now, () => stores.use(id, (store) => store.addJobs(jobs)));
  }
}

async function idleThreads(store: Pick<ClosingStore, 'threadsToClose'>, before: number, breathe: () => Promise<void>) {
  const found = [];
  for (let below: string | null = null; found.length < MOST_A_DAY; ) {
    const page = await store.threadsToClose({ before, below, scan: SCAN });
    found.push(...page.threads);
    if (page.next === null) break;
    below = page.next;
    await breathe();
  }
  return found.slice(0, MOST_A_DAY);
}
