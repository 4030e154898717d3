import { EngineError } from '#contract';

const DEFAULT_WAIT_S = 600;

/** `--wait`, `--wait=30` or nothing, in milliseconds; null: do not wait. */
export function waitMsOf(option: string | boolean | undefined): number | null {
  if (option === undefined || option === false) return null;
  if (option === true) return DEFAULT_WAIT_S * 1000;
  const seconds = Number(option);
  if (!Number.isFinite(seconds) || seconds <= 0) throw new EngineError('usage', '--wait takes a number of seconds');
  return seconds * 1000;
}
