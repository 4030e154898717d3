import { instantOf, offsetAt, wallAt } from '../../lib/schedule/zone.ts';

/** A zone of an event. Wall times are counted as in lib/schedule/zone.ts. */
export interface Zone {
  readonly name: string;
  instantOf(wall: number): number;
  wallAt(instant: number): number;
}

/** A zone of the database. A wall time that a change of clocks leaves out is read by the clock of before (RFC 5545, 3.3.5). */
export const namedZone = (name: string): Zone => ({
  name,
  instantOf(wall) {
    const instant = instantOf(name, wall);
    return wallAt(name, instant) === wall ? instant : wall - offsetAt(name, instant - 1);
  },
  wallAt: (instant) => wallAt(name, instant),
});

export const UTC = namedZone('UTC');

/** `2026-03-02T09:30:00+05:30` */
export function isoIn(zone: Zone, instant: number): string {
  const wall = zone.wallAt(instant);
  const minutes = Math.round((wall - instant) / 60_000);
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${new Date(wall).toISOString().slice(0, 19)}${minutes < 0 ? '-' : '+'}${two(hours)}:${two(rest)}`;
}

export const isoDay = (wall: number): string => new Date(wall).toISOString().slice(0, 10);
