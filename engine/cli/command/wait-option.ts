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

/** Seconds of an option, in milliseconds; `usual` where it was not given. Throws `usage`. */
export function millisecondsOf(option: string, written: string | undefined, usual: number): number {
  const seconds = Number(written ?? usual);
  if (!Number.isFinite(seconds) || seconds < 0 || written === '')
    throw new EngineError('usage', `${option} takes a number of seconds`);
  return seconds * 1000;
}
