import ICAL from 'ical.js';
import { isTimeZone } from '../lib/schedule/zone.ts';
import { METHODS, type Method } from './types.ts';
import { valuesOfProperty } from './values.ts';
import { WINDOWS_ZONES } from './zones/windows-zones.ts';
import { namedZone, type Zone } from './zones/zone.ts';

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

/** Beyond these a file is cut; nothing that a person sends comes near. */
const MAX_LINES = 200_000;
const MAX_LINE_CHARS = 32_768;
const MAX_DEPTH = 8;
const LINE = /^[\w-]{1,60}[;:]/;
const BLOCK = /^(BEGIN|END):\s*([\w-]{1,60})\s*$/i;

/**
 * Lines of calendar text as its grammar wants them: unfolded, without what is no line, and each block ended. A file
 * that lacks its last line, or has a stray one, is common and still says when the meeting is.
 */
function calendarLines(text: string): string[] {
  const lines: string[] = [];
  const open: string[] = [];
  for (const line of unfolded(text)) {
    if (lines.length >= MAX_LINES) break;
    const [, edge, written = ''] = BLOCK.exec(line) ?? [];
    if (edge !== undefined) lines.push(...edgeOf(edge.toUpperCase(), written.toUpperCase(), open));
    else if (open.length > 0 && isReadable(line)) lines.push(line);
  }
  return [...lines, ...open.reverse().map((name) => `END:${name}`)];
}

/** The lines at which a block begins or ends; those that were left open within it end with it. */
function edgeOf(edge: string, name: string, open: string[]): string[] {
  if (edge === 'BEGIN') {
    const isOutside = open.length === 0 && name !== 'VCALENDAR';
    if (isOutside || open.length >= MAX_DEPTH) return [];
    open.push(name);
    return [`BEGIN:${name}`];
  }
  const at = open.lastIndexOf(name);
  if (at === -1) return [];
  return open
    .splice(at)
    .reverse()
    .map((each) => `END:${each}`);
}

/** A quote that is not closed, or a parameter without a value, would make the whole file unreadable. */
const isReadable = (line: string): boolean =>
  line.length <= MAX_LINE_CHARS &&
  /^[\w-]{1,60}(?:;[\w-]{1,60}=(?:"[^"]*"|[^";:,]*)(?:,(?:"[^"]*"|[^";:,]*))*)*:/.test(line) &&
  LINE.test(line);

function* unfolded(text: string): Generator<string> {
  let line = '';
  for (const each of text.replace(/\r\n?/g, '\n').split('\n')) {
    if (/^[ \t]/.test(each)) {
      line += each.slice(1);
      continue;
    }
    if (line !== '') yield line;
    line = each;
  }
  if (line !== '') yield line;
}

/** Outlook writes one part for winter and one for summer; a list of all changes since 1900 has some 200. */
const MAX_PARTS = 400;

/**
 * What a TZID means: a zone of the database by its name (also at the end of a path, as Thunderbird once wrote it), as
 * Windows calls it, or as the file itself describes it. Null where none of these tells.
 */
function zoneOf(tzid: string, described: readonly ICAL.Component[]): Zone | null {
  const id = tzid.trim().replace(/^"|"$/g, '').slice(0, 200);
  const own = described.find((zone) => textOf(zone, 'tzid') === tzid);
  const known = databaseName(id) ?? databaseName(own ? textOf(own, 'x-lic-location') : '') ?? windowsName(id);
  if (known !== null) return namedZone(known);
  return own && isPlain(own) ? describedZone(own) : null;
}

function databaseName(id: string): string | null {
  const parts = id.split('/').filter((part) => part !== '');
  for (const length of [parts.length, 3, 2]) {
    const name = parts.slice(-length).join('/');
    // Abbreviations such as IST have several meanings, and one zone has another by the same letters.
    if (isTimeZone(name) && (name.includes('/') || /^(?:UTC|GMT|Z|Zulu)$/i.test(name))) return name;
  }
  return /^z$/i.test(id) ? 'UTC' : null;
}

const windowsName = (id: string): string | null =>
  Object.hasOwn(WINDOWS_ZONES, id) ? (WINDOWS_ZONES[id] ?? null) : null;

const textOf = (component: ICAL.Component, name: string): string => String(component.getFirstPropertyValue(name) ?? '');

/** Only rules that a zone can have: once a year. Any other would be counted out for a long time. */
function isPlain(zone: ICAL.Component): boolean {
  const parts = zone.getAllSubcomponents();
  return (
    parts.length > 0 &&
    parts.length <= MAX_PARTS &&
    parts.every(
      (part) =>
        part.hasProperty('dtstart') &&
        part.hasProperty('tzoffsetto') &&
        part.hasProperty('tzoffsetfrom') &&
        part.getAllProperties('rrule').every((rule) => isYearly(rule)),
    )
  );
}

function isYearly(property: ICAL.Property): boolean {
  const [rule] = valuesOfProperty(property);
  if (!(rule instanceof ICAL.Recur) || rule.freq !== 'YEARLY') return false;
  const { BYMONTH: months = [], BYDAY: days = [], ...rest } = rule.parts;
  return months.length === 1 && days.length <= 1 && Object.keys(rest).every((part) => part === 'BYMONTHDAY');
}

function describedZone(component: ICAL.Component): Zone {
  const zone = new ICAL.Timezone(component);
  const timeOf = (ms: number, of: ICAL.Timezone): ICAL.Time => {
    const date = new Date(ms);
    const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
    const [hour, minute, second] = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()];
    return new ICAL.Time({ year, month, day, hour, minute, second, isDate: false }, of);
  };
  const instantOfWall = (wall: number) => wall - zone.utcOffset(timeOf(wall, zone)) * 1000;
  return {
    name: zone.tzid,
    instantOf: instantOfWall,
    wallAt(instant) {
      const there = timeOf(instant, ICAL.Timezone.utcTimezone).convertToZone(zone);
      return Date.UTC(there.year, there.month - 1, there.day, there.hour, there.minute, there.second);
    },
  };
}
