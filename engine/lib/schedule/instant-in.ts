import { EngineError } from '#contract';
import { instantOf } from './zone.ts';

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
