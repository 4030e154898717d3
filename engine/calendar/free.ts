import { DAY_MS, MINUTE_MS } from '../lib/time.ts';
import type { Interval } from './types.ts';
import { isoDay, type Zone } from './zones/zone.ts';

/** Within which somebody meets, by their own clock. */
interface WorkHours {
  /** 0 is Sunday. */
  readonly days: readonly number[];
  /** Minutes of the day. */
  readonly from: number;
  readonly to: number;
}

/** A meeting begins at a quarter of an hour. */
const GRID_MS = 15 * MINUTE_MS;

/** The first `most` times within work hours in which nothing stands, each `lengthMs` long, none overlapping another. */
export function freeSlots(options: {
  readonly window: Interval;
  /** In order, not overlapping. */
  readonly busy: readonly Interval[];
  readonly lengthMs: number;
  readonly hours: WorkHours;
  readonly zone: Zone;
  readonly most: number;
}): Interval[] {
  const { window, busy, lengthMs, hours, zone, most } = options;
  const found: Interval[] = [];
  const firstDay = Date.parse(`${isoDay(zone.wallAt(window.start))}T00:00:00Z`);
  for (let day = firstDay; found.length < most; day += DAY_MS) {
    const [opens, closes] = [hours.from, hours.to].map((minutes) => zone.instantOf(day + minutes * MINUTE_MS));
    if (opens === undefined || closes === undefined || opens >= window.end) break;
    if (!hours.days.includes(new Date(day).getUTCDay())) continue;
    const until = Math.min(closes, window.end);
    let start = onGrid(Math.max(opens, window.start), opens);
    while (start + lengthMs <= until && found.length < most) {
      const from = start;
      const taken = busy.find((one) => one.start < from + lengthMs && one.end > from);
      if (taken) {
        start = onGrid(taken.end, opens);
        continue;
      }
      found.push({ start, end: start + lengthMs });
      start = onGrid(start + lengthMs, opens);
    }
  }
  return found;
}

const onGrid = (instant: number, opens: number): number => opens + Math.ceil((instant - opens) / GRID_MS) * GRID_MS;

/** In order, one where several touch; what takes no time is none. */
export function joined(intervals: readonly Interval[]): Interval[] {
  const sorted = intervals.filter(({ start, end }) => end > start).sort((a, b) => a.start - b.start);
  const found: { start: number; end: number }[] = [];
  for (const { start, end } of sorted) {
    const last = found.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else found.push({ start, end });
  }
  return found;
}
