import type { Log } from '#contract';
import type { Clock } from '../lib/clock.ts';
import type { GatewayStore } from './ports/gateway.ts';
import type { Stores } from './ports/store.ts';

import { sweepHalfWritten } from './sweep-half-written.ts';
import { sweepUnnamed } from './sweep-unnamed.ts';

const PRUNE_EVERY_MS = 10_000;
const DAY_MS = 24 * 3_600_000;
/** What is left in `seen` of mail that nobody answers and whose sender is nobody's. */
const SEEN = { days: 30, rows: 20_000, batch: 500 };
/** Mail that was taken in and stopped is kept for at least so long, also where no refused mail is. */
const TAKEN_DAYS = 14;
/** Fewer new rows are not looked after before an hour is over. */
const NEW_ROWS = 500;
const BREATH_MS = 20;

export interface Upkeep {
  /** Resolves when nothing of it is under way. */
  stop(): Promise<void>;
}

/**
 * Removes what nobody needs any more, away from all mail: what killed writers left, bytes that no row names (after the
 * start and once a day), and rows about strangers' mail that are too old or too many.
 */
export function startUpkeep(deps: {
  readonly dataDir: string;
  readonly stores: Stores;
  readonly gateway: GatewayStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
  /** What else is done after the start and once a day. */
  daily(signal: AbortSignal): Promise<void>;
  /** How long refused mail is kept, in days. */
  quarantineDays(): number;
}): Upkeep {
  const { gateway, clock, log, random } = deps;
  const ending = new AbortController();
  const { signal } = ending;
  const swallow = (what: string) => (error: unknown) => {
    if (!signal.aborted) log.warn({ error: String(error).slice(0, 500) }, what);
  };

  const sweep = async () => {
    await sweepHalfWritten(deps.dataDir, clock.now(), random());
    await sweepUnnamed(deps, random(), signal);
  };

  const looked = { id: -NEW_ROWS, at: 0 };
  const prune = async () => {
    const now = clock.now();
    const newest = await gateway.newestSeen();
    if (newest - looked.id < NEW_ROWS && now - looked.at < 3_600_000) return;
    const kept = deps.quarantineDays();
    // Without its row, a mail that is kept would be found by nobody.
    const limits = { olderThan: now - Math.max(SEEN.days, kept) * DAY_MS, rows: SEEN.rows, batch: SEEN.batch };
    while ((await gateway.pruneSeen(limits)) >= SEEN.batch) await clock.sleep(BREATH_MS, signal);
    await gateway.pruneRefused({ refused: now - kept * DAY_MS, taken: now - Math.max(TAKEN_DAYS, kept) * DAY_MS });
    Object.assign(looked, { id: newest, at: now });
  };

  const every = async (ms: number, work: () => Promise<void>, what: string) => {
    while (!signal.aborted) {
      await work().catch(swallow(what));
      await clock.sleep(ms, signal).catch(() => {});
    }
  };
  const under = Promise.all([
    every(PRUNE_EVERY_MS, prune, 'old rows about refused mail could not be removed'),
    every(DAY_MS, () => deps.daily(signal), 'what is done once a day could not be done'),
    every(DAY_MS, sweep, 'files that nobody needs could not be looked for'),
  ]);
  return {
    async stop() {
      ending.abort();
      await under;
    },
  };
}
