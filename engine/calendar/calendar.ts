import ICAL from 'ical.js';
import { calendarLines } from './lines.ts';
import { METHODS, type Method } from './types.ts';
import type { Zone } from './zones/zone.ts';
import { zoneOf } from './zones/zone-of.ts';

/** A calendar file as it was written. */
export interface Calendar {
  /** As written; empty where it has none. */
  readonly written: string;
  readonly method: Method;
  /** In their order, of any kind. */
  readonly components: readonly ICAL.Component[];
  readonly zones: readonly ICAL.Component[];
  /** Each zone is looked for once. */
  zoneOf(tzid: string): Zone | null;
}

/** Of one file. */
const MAX_COMPONENTS = 20_000;

/** Reads calendar text (RFC 5545), tolerantly: a line that is none is left out. Null where it holds no calendar. */
export function readCalendar(text: string): Calendar | null {
  const calendars = parsed(calendarLines(text));
  if (calendars.length === 0) return null;
  const all = calendars.flatMap((calendar) => calendar.getAllSubcomponents()).slice(0, MAX_COMPONENTS);
  const zones = all.filter(({ name }) => name === 'vtimezone');
  const written =
    calendars.map((calendar) => String(calendar.getFirstPropertyValue('method') ?? '')).find(Boolean) ?? '';
  const known = new Map<string, Zone | null>();
  return {
    written,
    method: METHODS.find((method) => method === written.trim().toUpperCase()) ?? 'PUBLISH',
    components: all.filter(({ name }) => name !== 'vtimezone'),
    zones,
    zoneOf(tzid) {
      const found = known.get(tzid);
      if (found !== undefined) return found;
      const zone = zoneOf(tzid, zones);
      known.set(tzid, zone);
      return zone;
    },
  };
}

function parsed(lines: readonly string[]): ICAL.Component[] {
  if (lines.length === 0) return [];
  try {
    return componentsOf(lines);
  } catch {
    // One value that is none makes the parser give up the file; the others still say when the meeting is.
    return componentsOf(lines.filter(isUnderstood));
  }
}

function componentsOf(lines: readonly string[]): ICAL.Component[] {
  const jcal: unknown = ICAL.parse(lines.join('\r\n'));
  if (!Array.isArray(jcal)) return [];
  const roots: unknown[] = typeof jcal[0] === 'string' ? [jcal] : jcal;
  return roots.filter((root) => Array.isArray(root)).map((root) => new ICAL.Component(root));
}

function isUnderstood(line: string): boolean {
  if (/^(?:BEGIN|END):/.test(line)) return true;
  try {
    ICAL.parse.property(line, ICAL.design.icalendar);
    return true;
  } catch {
    return false;
  }
}
