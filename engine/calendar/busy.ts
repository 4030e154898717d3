import ICAL from 'ical.js';
import type { Calendar } from './calendar.ts';
import { type EventReader, instantOfWritten, type Times, timesOf, writtenIn } from './event.ts';
import { joined } from './free.ts';
import { addressOf, rangeOf } from './invitations.ts';
import { type Budget, MAX_STEPS, TooLong } from './rule.ts';
import { type SeriesWindow, type Slot, seriesOf, slotsIn } from './series.ts';
import type { Interval } from './types.ts';
import { valuesOfProperty } from './values.ts';
import { namedZone } from './zones/zone.ts';

/** Of one file in one window. */
const MAX_INSTANCES = 20_000;

export interface Busy {
  /** In order, joined where they touch. */
  readonly busy: readonly Interval[];
  readonly instances: number;
  /** What could not be counted out or read, in words: times that only look free. */
  readonly notes: readonly string[];
}

interface Found {
  readonly slots: Interval[];
  readonly notes: Set<string>;
}

/**
 * When a calendar says that its owner is busy: series with their exceptions and moved instances, days as the reader's
 * days. What is cancelled, transparent, or declined by one of `declinedBy` is free.
 */
export function busyIn(
  calendar: Calendar,
  { window, timezone, declinedBy }: { window: SeriesWindow; timezone: string; declinedBy: readonly string[] },
): Busy {
  const own = namedZone(timezone);
  const found: Found = { slots: [], notes: new Set() };
  const reader: EventReader = {
    calendar,
    own,
    note: (sentence) => void (found.notes.size < 20 && found.notes.add(sentence)),
  };
  const budget = { steps: MAX_STEPS };
  const declined = new Set(declinedBy.map((address) => address.toLowerCase()));
  const isFree = (event: ICAL.Component) => isTransparent(event) || isDeclined(event, declined);
  for (const events of byUid(calendar)) {
    if (found.slots.length >= MAX_INSTANCES) break;
    try {
      found.slots.push(...slotsOfMeeting(events, { window, reader, budget, isFree }).slice(0, MAX_INSTANCES));
    } catch (error) {
      const name = String(events[0]?.getFirstPropertyValue('summary') ?? '').slice(0, 80);
      const why = error instanceof TooLong ? 'is too long to be counted out' : 'cannot be read';
      reader.note(`The series ${JSON.stringify(name)} ${why}, so its times are missing.`);
    }
  }
  found.slots.push(...publishedIn(calendar, window));
  if (found.slots.length >= MAX_INSTANCES) reader.note(`Only ${MAX_INSTANCES} appointments were looked at.`);
  const all = found.slots.slice(0, MAX_INSTANCES);
  return { busy: joined(all), instances: all.length, notes: [...found.notes] };
}

/** Those of one meeting together: the series, and the instances that are told by themselves. */
function byUid({ components }: Calendar): Iterable<readonly ICAL.Component[]> {
  const groups = new Map<string, ICAL.Component[]>();
  components
    .filter(({ name }) => name === 'vevent')
    .forEach((event, index) => {
      const uid = String(event.getFirstPropertyValue('uid') ?? `without ${index}`);
      const group = groups.get(uid);
      if (group) group.push(event);
      else groups.set(uid, [event]);
    });
  return groups.values();
}

interface Meeting {
  readonly window: SeriesWindow;
  readonly reader: EventReader;
  readonly budget: Budget;
  isFree(event: ICAL.Component): boolean;
}

/** An instance that is told by itself, in place of the one that began then. */
interface Moved {
  readonly event: ICAL.Component;
  readonly original: number;
  readonly isAllLater: boolean;
  readonly times: Times | null;
}

function slotsOfMeeting(events: readonly ICAL.Component[], { window, reader, budget, isFree }: Meeting): Slot[] {
  const moved = events.flatMap((event): Moved[] => {
    const [id] = writtenIn(event, 'recurrence-id', reader);
    if (!id) return [];
    const isAllLater = rangeOf(event) === 'THISANDFUTURE';
    return [{ event, original: instantOfWritten(id, reader.own), isAllLater, times: timesOf(event, reader) }];
  });
  const own = reader.own;
  const of = (event: ICAL.Component, times: Times, within: SeriesWindow) =>
    slotsIn(seriesOf(event, times, reader), within, { budget, most: MAX_INSTANCES, own });
  const single = moved
    .filter(({ event, times }) => times !== null && !isFree(event))
    .flatMap(({ times }) => (times ? touching([slotOf(times)], window) : []));
  const master = events.find((event) => !event.hasProperty('recurrence-id'));
  const times = master && timesOf(master, reader);
  if (!master || !times) return single;
  const later = moved.filter(({ isAllLater }) => isAllLater).sort((a, b) => b.original - a.original);
  const shiftMs = Math.max(0, ...later.map((one) => Math.abs((one.times?.instant ?? one.original) - one.original)));
  // Moved instances can come into the window from outside.
  const wide = { from: window.from - shiftMs, to: window.to + shiftMs };
  const taken = new Set(moved.map(({ original }) => original));
  const slots = of(master, times, wide)
    .filter(({ start }) => !taken.has(start))
    .flatMap((slot) => {
      const by = later.find(({ original }) => slot.start > original);
      if (!by) return isFree(master) ? [] : [slot];
      return by.times === null || isFree(by.event) ? [] : [shifted(slot, by.original, by.times)];
    });
  return touching([...slots, ...single], window);
}

const touching = (slots: readonly Slot[], { from, to }: SeriesWindow): Slot[] =>
  slots.filter(({ start, end }) => start < to && end > from);

const slotOf = ({ start, instant, endOf }: Times): Slot => ({
  wall: start.wall,
  start: instant,
  end: endOf(start.wall),
});

/** By the clock of the series, so that a meeting at nine stays at nine when clocks change. */
function shifted(slot: Slot, original: number, times: Times): Slot {
  const wall = times.zone.wallAt(slot.start) + (times.start.wall - times.zone.wallAt(original));
  return { wall, start: times.zone.instantOf(wall), end: times.endOf(wall) };
}

const textOf = (event: ICAL.Component, name: string): string =>
  String(event.getFirstPropertyValue(name) ?? '').toUpperCase();

const isTransparent = (event: ICAL.Component): boolean =>
  textOf(event, 'status') === 'CANCELLED' ||
  textOf(event, 'transp') === 'TRANSPARENT' ||
  textOf(event, 'x-microsoft-cdo-busystatus') === 'FREE';

const isDeclined = (event: ICAL.Component, by: ReadonlySet<string>): boolean =>
  event
    .getAllProperties('attendee')
    .some(
      (attendee) =>
        by.has(addressOf(attendee).toLowerCase()) &&
        String(attendee.getParameter('partstat') ?? '').toUpperCase() === 'DECLINED',
    );

/** Times that a server publishes as busy, without what they are (VFREEBUSY). */
function publishedIn({ components }: Calendar, { from, to }: SeriesWindow): Slot[] {
  return components
    .filter(({ name }) => name === 'vfreebusy')
    .flatMap(busyValues)
    .filter((value) => value instanceof ICAL.Period)
    .map((period) => {
      const start = period.start.toUnixTime() * 1000;
      return { wall: start, start, end: period.getEnd().toUnixTime() * 1000 };
    })
    .filter(({ start, end }) => start < to && end > from)
    .slice(0, MAX_INSTANCES);
}

const busyValues = (one: ICAL.Component): unknown[] =>
  one
    .getAllProperties('freebusy')
    .filter((property) => String(property.getParameter('fbtype') ?? 'BUSY').toUpperCase() !== 'FREE')
    .flatMap(valuesOfProperty);
