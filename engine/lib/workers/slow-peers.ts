const SLOW_FOR_MS = 60_000;
const MOST = 10_000;

export interface SlowPeers {
  /** What this peer sent took long just now. */
  mark(key: string): void;
  has(key: string): boolean;
}

/** Remembers for a minute whose work was slow, so that others go before him. Bounded: the oldest are forgotten. */
export function createSlowPeers(now: () => number = () => performance.now()): SlowPeers {
  const until = new Map<string, number>();
  return {
    mark(key) {
      until.delete(key);
      until.set(key, now() + SLOW_FOR_MS);
      const [oldest] = until.keys();
      if (until.size > MOST && oldest !== undefined) until.delete(oldest);
    },
    has(key) {
      const end = until.get(key);
      if (end === undefined) return false;
      if (end > now()) return true;
      until.delete(key);
      return false;
    },
  };
}
