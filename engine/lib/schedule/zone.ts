import { EngineError } from '#contract';
import { DAY_MS, HOUR_MS } from '../time.ts';

/**
 * Time zones by the rules that Node brings along (ICU). A wall time is what a clock on the wall of the zone shows, kept
 * as the milliseconds that the same digits would be in UTC, so that it can be counted with.
 */

/** Clocks differ from UTC by less than this, and a change of the rules is seen from this far on either side. */

/** What is wanted where no zone was named. */
export const EXPECTED_ZONE = 'an IANA time zone such as Europe/Berlin';

/** Making a formatter costs a hundred times what using it does. There are some hundreds of zones. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  formatters.set(zone, made);
  return made;
}

/**
 * Whether `text` names a zone of the IANA database. An offset such as `+02:00` is none: it would be wrong for half the
 * year in most places, silently.
 */
export const isTimeZone = (text: string): boolean => /^[A-Za-z]/.test(text) && hasClock(text);

/** Whether local times can be told for it: a zone of the database or an offset. */
export function hasClock(zone: string): boolean {
  try {
    formatterOf(zone);
    return true;
  } catch {
    return false;
  }
}

/** The newest answer of each zone. Clocks change at full minutes, and most questions are about now. */
const newest = new Map<string, { readonly minute: number; readonly offset: number }>();

/** By how many milliseconds clocks in the zone are ahead of UTC at that instant. */
export function offsetAt(zone: string, instant: number): number {
  // A formatter takes some µs for each instant, and a prompt may name the times of many mails.
  if (zone === 'UTC') return 0;
  const minute = Math.floor(instant / 60_000);
  const known = newest.get(zone);
  if (known?.minute === minute) return known.offset;
  const offset = findOffset(zone, instant);
  newest.set(zone, { minute, offset });
  return offset;
}

function findOffset(zone: string, instant: number): number {
  const text = formatterOf(zone).format(instant);
  const [, sign, hours, minutes, seconds] = /GMT([+-])(\d+):(\d+)(?::(\d+))?$/.exec(text) ?? [];
  if (sign === undefined) return 0;
  const ms = Number(hours) * HOUR_MS + Number(minutes) * 60_000 + Number(seconds ?? 0) * 1000;
  return sign === '-' ? -ms : ms;
}

/** What the clock on the wall shows at that instant. */
export const wallAt = (zone: string, instant: number): number => instant + offsetAt(zone, instant);

/**
 * The instant at which the clock on the wall first shows `wall`. A time that comes twice (clocks set back) is its first
 * coming; a time that never comes (clocks set forward) is the first instant after the gap. Never decreases with `wall`.
 */
export function instantOf(zone: string, wall: number): number {
  const [earlier, later] = [offsetAt(zone, wall - DAY_MS), offsetAt(zone, wall + DAY_MS)];
  if (earlier === later) return wall - earlier;
  const instants = [wall - earlier, wall - later].filter((instant) => wallAt(zone, instant) === wall);
  return instants.length > 0 ? Math.min(...instants) : endOfGap(zone, wall, [earlier, later]);
}

function endOfGap(zone: string, wall: number, offsets: readonly number[]): number {
  let before = wall - Math.max(...offsets) - 1;
  let after = wall - Math.min(...offsets);
  while (after - before > 1) {
    const middle = before + Math.floor((after - before) / 2);
    if (wallAt(zone, middle) > wall) after = middle;
    else before = middle;
  }
  return after;
}

/**
 * By how much the clock was set back within the day before `instant`, else 0: so far beyond what the clock shows now
 * may lie a wall time that came already.
 */
export const setBackBefore = (zone: string, instant: number): number =>
  Math.max(0, offsetAt(zone, instant - DAY_MS) - offsetAt(zone, instant));

/** As people and machines read it: `2026-12-01T09:00:00+01:00`. */
export function localTime(zone: string, instant: number): string {
  const offset = offsetAt(zone, instant);
  const minutes = Math.round(Math.abs(offset) / 60_000);
  const two = (value: number) => String(value).padStart(2, '0');
  const suffix = `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
  return new Date(instant + offset).toISOString().slice(0, 19) + suffix;
}

/** The zone of this machine, as an IANA name. */
export function systemZone(): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return timeZone === 'Etc/UTC' ? 'UTC' : timeZone;
}

/** To the minute, by the clock of this machine and with its zone, for people: `2026-12-01 09:00 (Europe/Berlin)`. */
export const minuteHere = (instant: number): string =>
  `${localTime(systemZone(), instant).slice(0, 16).replace('T', ' ')} (${systemZone()})`;

/** `2026-11-21` in the persona's zone: the day that budgets count by. */
export const localDay = (now: number, timezone: string): string =>
  new Date(wallAt(timezone, now)).toISOString().slice(0, 10);

/** The first moment that is not of a day any more, such as `2026-12-04`. */
export const endOfDay = (zone: string, day: string): number => instantOf(zone, Date.parse(`${day}T00:00:00Z`) + DAY_MS);

const DATE = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(Z|[+-]\d{2}:?\d{2})?)?$/;

/**
 * An ISO date or time as an instant, in Unix ms: a date is its first moment in the zone, a time without an offset is
 * what a clock there shows. Throws `invalid_arguments` for anything else.
 */
export function instantIn(zone: string, text: string, name: string): number {
  const [, day, time = '00:00', offset] = DATE.exec(text.trim()) ?? [];
  const wall = Date.parse(`${day}T${time}Z`);
  // February 30 would be read as March 1 or 2.
  const isDay = day !== undefined && !Number.isNaN(wall) && new Date(`${day}T00:00Z`).toISOString().startsWith(day);
  if (!isDay) {
    const shown = text.slice(0, 40);
    throw new EngineError('invalid_arguments', `${name}: "${shown}" is no ISO date or time such as 2026-05-31`);
  }
  return offset === undefined ? instantOf(zone, wall) : Date.parse(`${day}T${time}${offset}`);
}
