import ICAL from 'ical.js';
import { DAY_MS } from '../lib/time.ts';
import { type EventReader, instantOfWritten, type Times, type WrittenEvent, writtenIn } from './event.ts';
import { type Budget, wallsOfRule } from './rule.ts';
import { valuesOf } from './values.ts';

/** An instance of an event. */
export interface Slot {
  readonly wall: number;
  readonly start: number;
  readonly end: number;
}

/** A series with its exceptions that stand in the event itself. */
export interface Series extends Times {
  readonly rules: readonly ICAL.Recur[];
  readonly added: readonly WrittenEvent[];
  readonly removed: readonly WrittenEvent[];
}

export interface SeriesWindow {
  readonly from: number;
  readonly to: number;
}

const MAX_EXCEPTIONS = 5000;

export function seriesOf(component: ICAL.Component, times: Times, reader: EventReader): Series {
  const rules = valuesOf(component, 'rrule').filter((value) => value instanceof ICAL.Recur);
  return {
    ...times,
    rules: rules.slice(0, 5),
    added: writtenIn(component, 'rdate', reader).slice(0, MAX_EXCEPTIONS),
    removed: writtenIn(component, 'exdate', reader).slice(0, MAX_EXCEPTIONS),
  };
}

export const isSeries = ({ rules, added }: Series): boolean => rules.length > 0 || added.length > 0;

/**
 * The instances that touch a window, in order, at most `most`. Throws `TooLong` when the budget is used up, and
 * whatever the library throws of a rule that means nothing.
 */
export function slotsIn(
  series: Series,
  { from, to }: SeriesWindow,
  { budget, most, own }: { readonly budget: Budget; readonly most: number; readonly own: EventReader['own'] },
): Slot[] {
  const isRemoved = removedBy(series, own);
  const found = new Map<number, Slot>();
  const take = (wall: number): void => {
    const start = series.zone.instantOf(wall);
    const end = series.endOf(wall);
    if (start < to && (end > from || start >= from) && !isRemoved(start, wall)) found.set(start, { wall, start, end });
  };
  const last = series.zone.wallAt(to);
  // Long before the window nothing is looked at closely: a question about a zone costs more than all the rest.
  const first = series.zone.wallAt(from) - (series.endOf(series.start.wall) - series.instant) - 2 * DAY_MS;
  if (series.rules.length === 0) take(series.start.wall);
  for (const rule of series.rules) {
    const taken = found.size;
    for (const wall of wallsOf(rule, series, budget)) {
      if (wall > last) break;
      if (wall < first) continue;
      take(wall);
      if (found.size - taken >= most) break;
    }
  }
  for (const written of series.added) take(series.zone.wallAt(instantOfWritten(written, series.zone)));
  return [...found.values()].sort((a, b) => a.start - b.start).slice(0, most);
}

/** By the instant; a day takes out what is on that day, as some write it. */
function removedBy({ removed, start }: Series, own: EventReader['own']): (start: number, wall: number) => boolean {
  const instants = new Set(
    removed.filter(({ isDay }) => !isDay || start.isDay).map((one) => instantOfWritten(one, own)),
  );
  const days = new Set(removed.filter(({ isDay }) => isDay).map(({ wall }) => wall));
  return (instant, wall) => instants.has(instant) || days.has(wall - (((wall % DAY_MS) + DAY_MS) % DAY_MS));
}

function* wallsOf(rule: ICAL.Recur, { start, zone }: Series, budget: Budget): Generator<number> {
  const until = rule.until === null ? null : lastWall(rule.until, zone);
  let left = rule.count ?? Number.POSITIVE_INFINITY;
  for (const wall of wallsOfRule(rule, start.wall, budget)) {
    if (left <= 0 || (until !== null && wall > until)) return;
    yield wall;
    left -= 1;
  }
}

/** UNTIL is in UTC where the series has a zone; a day is meant to its end. */
function lastWall(until: ICAL.Time, zone: Times['zone']): number {
  const wall = Date.UTC(until.year, until.month - 1, until.day, until.hour, until.minute, until.second);
  if (until.isDate) return wall + DAY_MS - 1;
  return until.zone === ICAL.Timezone.utcTimezone ? zone.wallAt(wall) : wall;
}
