import { localDay } from '../../lib/schedule/zone.ts';
import { DAY_MS } from '../../lib/time.ts';
import type { QueryPorts } from '../ports.ts';

export interface SpentToday {
  readonly name: string;
  readonly usd: number;
  readonly runs: number;
  /** In USD, for a day; null: it has none. */
  readonly budget: number | null;
}

/** What each persona has spent since midnight of its own time zone, as its budget counts. */
export async function spentToday(
  { live, overviews }: Pick<QueryPorts, 'live' | 'overviews'>,
  now: number,
): Promise<readonly SpentToday[]> {
  const ready = Array.from(live.personas().all()).flatMap((one) => (one.state === 'ready' ? [one.persona] : []));
  const known = await overviews.of(
    ready.map(({ id }) => id),
    Math.floor(now / DAY_MS) * DAY_MS,
  );
  return ready.map(({ id, name, timezone, budget }) => {
    const day = localDay(now, timezone);
    const today = known.get(id)?.spent.find((one) => one.day === day);
    return { name, usd: today?.usd ?? 0, runs: today?.runs ?? 0, budget: budget.usd_per_day };
  });
}
