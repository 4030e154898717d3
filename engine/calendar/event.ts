import ICAL from 'ical.js';
import { DAY_MS } from '../lib/time.ts';
import type { Calendar } from './calendar.ts';
import { valuesOf } from './values.ts';
import { UTC, type Zone } from './zones/zone.ts';

/** Beyond these years nothing is meant. */
const YEARS: readonly [number, number] = [1900, 2200];

/** A date or a time as its property says it. */
export interface WrittenEvent {
  readonly wall: number;
  readonly isDay: boolean;
  /** Of the value: UTC, or the TZID; null: a day, or a time wherever one is. */
  readonly zone: Zone | null;
}

/** When an event is, once or as a series. */
export interface Times {
  readonly start: WrittenEvent;
  /** In which the series is counted out: of days and of times without a zone the reader's. */
  readonly zone: Zone;
  readonly instant: number;
  readonly isFloating: boolean;
  /** The end of an instance that begins at this wall time. */
  endOf(wall: number): number;
}

/** What reading an event depends on. */
export interface EventReader {
  readonly calendar: Pick<Calendar, 'zoneOf'>;
  /** The reader's zone. */
  readonly own: Zone;
  /** Takes a sentence on what could not be read as it was meant. */
  note(sentence: string): void;
}

/** Every value of the properties of this name; what is no date is left out. */
export const writtenIn = (component: ICAL.Component, name: string, reader: EventReader): WrittenEvent[] =>
  component.getAllProperties(name).flatMap((property) => writtenOf(property, reader));

function writtenOf(property: ICAL.Property, reader: EventReader): WrittenEvent[] {
  const values: unknown[] = property.jCal.slice(3);
  const tzid = property.getParameter('tzid');
  return values.flatMap((value): WrittenEvent[] => {
    // A period stands for its beginning.
    const read = wallOf(String(Array.isArray(value) ? value[0] : value));
    if (read === null) return [];
    const { wall, isDay, isUtc } = read;
    if (isDay) return [{ wall, isDay, zone: null }];
    if (isUtc) return [{ wall, isDay, zone: UTC }];
    if (typeof tzid !== 'string') return [{ wall, isDay, zone: null }];
    const zone = reader.calendar.zoneOf(tzid);
    if (zone === null)
      reader.note(`Its zone ${JSON.stringify(tzid.slice(0, 80))} is not known; times are read as local.`);
    return [{ wall, isDay, zone }];
  });
}

function wallOf(text: string): { wall: number; isDay: boolean; isUtc: boolean } | null {
  const [, day, time, utc] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d)(Z?))?$/.exec(text) ?? [];
  if (day === undefined) return null;
  const wall = Date.parse(`${day}T${time ?? '00:00:00'}Z`);
  const year = Number(day.slice(0, 4));
  if (Number.isNaN(wall) || year < YEARS[0] || year > YEARS[1]) return null;
  // The 30th of February would be another day.
  if (new Date(wall).toISOString().slice(0, 10) !== day) return null;
  return { wall, isDay: time === undefined, isUtc: utc === 'Z' };
}

/** The point in time; of a day, its beginning for the reader. */
export const instantOfWritten = ({ wall, zone }: WrittenEvent, own: Zone): number => (zone ?? own).instantOf(wall);

/** Null: it does not say when it begins. */
export function timesOf(component: ICAL.Component, reader: EventReader): Times | null {
  const { own } = reader;
  const [start] = writtenIn(component, 'dtstart', reader);
  if (!start) return null;
  const zone = start.zone ?? own;
  const instant = zone.instantOf(start.wall);
  return {
    start,
    zone,
    instant,
    isFloating: !start.isDay && start.zone === null && !component.getFirstProperty('dtstart')?.getParameter('tzid'),
    endOf: endOf(component, { start, zone, instant, reader }),
  };
}

interface Begun {
  readonly start: WrittenEvent;
  readonly zone: Zone;
  readonly instant: number;
  readonly reader: EventReader;
}

function endOf(component: ICAL.Component, { start, zone, instant, reader }: Begun): (wall: number) => number {
  const [end] = writtenIn(component, 'dtend', reader);
  if (end && start.isDay) {
    // RFC 5545 makes the end of days exclusive; some write the day itself.
    const days = Math.max(1, Math.round((end.wall - start.wall) / DAY_MS));
    return (wall) => zone.instantOf(wall + days * DAY_MS);
  }
  if (end) {
    const length = instantOfWritten(end, reader.own) - instant;
    if (length < 0) reader.note('It ends before it begins; the end is left out.');
    return (wall) => zone.instantOf(wall) + Math.max(0, length);
  }
  const [duration] = valuesOf(component, 'duration');
  if (duration instanceof ICAL.Duration && !duration.isNegative) {
    // Days are counted by the calendar, hours by the clock: a day can have 23 of them.
    const days = Math.min(duration.weeks * 7 + duration.days, 3660) * DAY_MS;
    const rest = Math.min((duration.hours * 60 + duration.minutes) * 60 + duration.seconds, 3660 * 86_400) * 1000;
    return (wall) => zone.instantOf(wall + days) + rest;
  }
  return (wall) => zone.instantOf(start.isDay ? wall + DAY_MS : wall);
}
