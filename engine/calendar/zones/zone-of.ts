import ICAL from 'ical.js';
import { isTimeZone } from '../../lib/schedule/zone.ts';
import { valuesOfProperty } from '../values.ts';
import { WINDOWS_ZONES } from './windows-zones.ts';
import { namedZone, type Zone } from './zone.ts';

/** Outlook writes one part for winter and one for summer; a list of all changes since 1900 has some 200. */
const MAX_PARTS = 400;

/**
 * What a TZID means: a zone of the database by its name (also at the end of a path, as Thunderbird once wrote it), as
 * Windows calls it, or as the file itself describes it. Null where none of these tells.
 */
export function zoneOf(tzid: string, described: readonly ICAL.Component[]): Zone | null {
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
