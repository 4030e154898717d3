import { EngineError } from '#contract';
import { instantIn, systemZone } from '../../lib/schedule/zone.ts';

/** A day is its first moment on the clock of this machine. Throws `usage` for what is no time. */
export function timeOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return asUsage(option, () => instantIn(systemZone(), text, option));
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new EngineError('usage', `${option} takes a time such as 2026-11-21T09:00:00Z`);
  return time;
}

function asUsage(option: string, read: () => number): number {
  try {
    return read();
  } catch (cause) {
    throw new EngineError('usage', `${option} takes a day such as 2026-11-21, or a time`, { cause });
  }
}

const SPAN_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A time, or how long before `now`: `30m`, `1h`, `7d`. Throws `usage`. */
export function sinceOf(option: string, text: string | undefined, now: number): number | undefined {
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text ?? '') ?? [];
  if (count === undefined) return timeOf(option, text);
  return now - Number(count) * (SPAN_MS[unit] ?? 0);
}
