import type { Log } from '#contract';

const MINUTE_MS = 60_000;
const MAX_CHARS = 2000;

/**
 * For what strangers can have written into the log: of each message so many lines a minute, and no field longer than
 * 2,000 characters. How many were left out stands in the first line of the message after that.
 */
export function sparseLog(log: Log, now: () => number, perMinute = 20): Log {
  // Messages are the program's own words, so there are only so many.
  const counted = new Map<string, { since: number; lines: number }>();
  const sparsely = (level: 'debug' | 'info' | 'warn' | 'error') => (fields: object, message: string) => {
    const at = now();
    const before = counted.get(message);
    const isFresh = !before || at - before.since >= MINUTE_MS || at < before.since;
    const lines = isFresh ? 1 : before.lines + 1;
    counted.set(message, { since: isFresh ? at : before.since, lines });
    if (lines > perMinute) return;
    const leftOut = isFresh && before ? Math.max(0, before.lines - perMinute) : 0;
    log[level]({ ...cut(fields), ...(leftOut > 0 ? { left_out: leftOut } : {}) }, message);
  };
  return {
    debug: sparsely('debug'),
    info: sparsely('info'),
    warn: sparsely('warn'),
    error: sparsely('error'),
    child: (fields) => sparseLog(log.child(fields), now, perMinute),
  };
}

const cut = (fields: object): object =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, typeof value === 'string' ? value.slice(0, MAX_CHARS) : value]),
  );
