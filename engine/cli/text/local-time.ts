import { localTime, systemZone } from '../../lib/schedule/zone.ts';

/** A time on the clock of this machine, to the minute. What is on record without a zone stays as it is. */
export function atHere(time: string | number): string {
  const isInstant = typeof time === 'number' || /(?:Z|[+-]\d\d:\d\d)$/.test(time);
  const text = isInstant ? localTime(systemZone(), typeof time === 'number' ? time : Date.parse(time)) : time;
  return text.slice(0, 16).replace('T', ' ');
}

/** Its time of day to the millisecond, for what happened in one go. */
export const clockHere = (time: string): string =>
  `${localTime(systemZone(), Date.parse(time)).slice(11, 19)}.${String(Date.parse(time) % 1000).padStart(3, '0')}`;

/** The day of it. */
export const dayHere = (time: string | number): string => atHere(time).slice(0, 10);

/** Whose clock that is; once below what shows times. */
export const zoneLine = (): string => `Times are those of ${systemZone()}.`;
