import { localTime, systemZone } from '../schedule/zone.ts';

/** All other texts stand in quotes: a subject must not look like further fields, nor an error like further lines. */
const PLAIN = /^[^\s="\p{Cc}]{1,2000}$/u;

/** A line of the log for people: its time on the clock of this machine (without the day, unless `day`), its level, its message and its fields. */
export function lineInWords(line: Readonly<Record<string, unknown>>, { day = false } = {}): string {
  const { level, time, msg, ...fields } = line;
  const rest = Object.entries(fields)
    .map(([key, value]) => `${key}=${typeof value === 'string' && PLAIN.test(value) ? value : JSON.stringify(value)}`)
    .join(' ');
  const instant = Date.parse(String(time));
  const here = Number.isNaN(instant) ? String(time) : localTime(systemZone(), instant).slice(0, 19).replace('T', ' ');
  const at = day ? here : here.slice(11);
  return `${at} ${String(level).padEnd(5)} ${msg ?? ''}${rest ? `  ${rest}` : ''}`;
}
