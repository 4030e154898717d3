/**
 * Exponential backoff with full jitter. `attempt` counts from 1; `random` is 0 ≤ r < 1.
 * The result lies between half the exponential step and the whole of it, so that it never hammers.
 */
export function backoffMs(options: { attempt: number; firstMs: number; maxMs: number; random: number }): number {
  const step = Math.min(options.maxMs, options.firstMs * 2 ** Math.min(options.attempt - 1, 30));
  return Math.round(step / 2 + (step / 2) * options.random);
}
