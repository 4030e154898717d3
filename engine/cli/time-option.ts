import { EngineError } from '#contract';

/** Throws `usage` for what is no time. */
export function timeOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new EngineError('usage', `${option} takes a time such as 2026-11-21T09:00:00Z`);
  return time;
}
