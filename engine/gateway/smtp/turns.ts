import type { Clock } from '../../lib/clock.ts';

/**
 * At most `most` works of one key at once; the others wait, in the order they came. Without it one address fills all
 * that comes after: the parser's lanes, the look-ups, the disk.
 */
export function createTurns({ most, waitMs, clock }: { most: number; waitMs: number; clock: Clock }) {
  const lines = new Map<string, { working: number; readonly waiting: (() => void)[] }>();

  const leave = (key: string): void => {
    const line = lines.get(key);
    if (!line) return;
    const next = line.waiting.shift();
    if (next) next();
    else line.working -= 1;
    if (line.working === 0) lines.delete(key);
  };

  return {
    /** To be called when the work is done; null when no turn came in `waitMs`, or `gone` aborted before it came. */
    async take(key: string, gone: AbortSignal): Promise<(() => void) | null> {
      const line = lines.get(key) ?? { working: 0, waiting: [] };
      lines.set(key, line);
      if (line.working < most) {
        line.working += 1;
        return () => leave(key);
      }
      const turn = Promise.withResolvers<'turn'>();
      const come = () => turn.resolve('turn');
      line.waiting.push(come);
      const served = new AbortController();
      const late = clock.sleep(waitMs, AbortSignal.any([gone, served.signal])).catch(() => {});
      const first = await Promise.race([turn.promise, late]);
      served.abort();
      // Whoever left handed on his place in `working`.
      if (first === 'turn') return () => leave(key);
      const place = line.waiting.indexOf(come);
      if (place >= 0) line.waiting.splice(place, 1);
      else leave(key);
      return null;
    },
  };
}
