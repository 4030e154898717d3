import type { Log } from '#contract';
import type { Clock } from '../../lib/clock.ts';

export interface GuessBounds {
  /** Before the answer to the first wrong secret of an address; twice as long for each one after it. */
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** On one connection, which then ends. */
  readonly maxPerConnection: number;
  /** Wrong guesses after which an address is refused until `rememberMs` after its last. This machine is never refused. */
  readonly maxPerAddress: number;
  readonly rememberMs: number;
  readonly maxAddresses: number;
  /** What comes within it is one line of the log for each address. */
  readonly burstMs: number;
}

export const GUESS_BOUNDS: GuessBounds = {
  firstDelayMs: 1000,
  maxDelayMs: 16_000,
  maxPerConnection: 5,
  maxPerAddress: 100,
  rememberMs: 60 * 60_000,
  maxAddresses: 10_000,
  burstMs: 30_000,
};

/** Addresses that have a line of their own in one burst. */
const MOST_LINES = 20;

export type GuessAnswer = 'right' | 'wrong' | 'enough';

interface Attempt {
  readonly connection: string;
  /** The address that the guess counts against; see `countedAs`. */
  readonly address: string;
  readonly isLoopback: boolean;
  readonly isRight: boolean;
  /** Aborts when the client has gone: nobody waits then. */
  readonly gone: AbortSignal;
}

/**
 * Slows down who guesses the secret. Wrong ones are counted by address across connections. Where there were some the
 * right one waits a moment, too: no answer at once would otherwise be an answer. Other addresses wait for nothing.
 */
export function createGuessGuard(deps: { clock: Clock; log: Log; bounds?: Partial<GuessBounds> }) {
  const { clock, log } = deps;
  const bounds = { ...GUESS_BOUNDS, ...deps.bounds };
  const byAddress = new Map<string, { count: number; lastAt: number }>();
  const byConnection = new Map<string, number>();
  const closing = new AbortController();
  const burst = new Map<string, number>();

  const countOf = (address: string): number => {
    const known = byAddress.get(address);
    if (!known) return 0;
    if (clock.now() - known.lastAt < bounds.rememberMs) return known.count;
    byAddress.delete(address);
    return 0;
  };

  const remember = (address: string): void => {
    const count = countOf(address) + 1;
    // Put last again, so that the first of the map is always the one that has been quiet longest.
    byAddress.delete(address);
    byAddress.set(address, { count, lastAt: clock.now() });
    const [oldest] = byAddress.keys();
    if (byAddress.size > bounds.maxAddresses && oldest !== undefined) byAddress.delete(oldest);
    if (burst.size === 0) {
      const tell = () => tellOf(burst, log);
      clock.sleep(bounds.burstMs, closing.signal).then(tell, tell);
    }
    if (burst.size < bounds.maxAddresses || burst.has(address)) burst.set(address, (burst.get(address) ?? 0) + 1);
  };

  return {
    /** The answer, once it is time to give it; after `enough` the connection has to end. */
    async judge({ connection, address, isLoopback, isRight, gone }: Attempt): Promise<GuessAnswer> {
      if (!isLoopback && countOf(address) >= bounds.maxPerAddress) return 'enough';
      if (!isRight) {
        remember(address);
        byConnection.set(connection, (byConnection.get(connection) ?? 0) + 1);
      }
      const count = countOf(address);
      if (count > 0) {
        const doubled = Math.min(bounds.maxDelayMs, bounds.firstDelayMs * 2 ** Math.min(count - 1, 30));
        // An old secret in some program of this machine must not make its owner wait long each time.
        const delayMs = isRight ? bounds.firstDelayMs : doubled;
        await clock.sleep(delayMs, gone).catch(() => {});
      }
      if (isRight) return 'right';
      return (byConnection.get(connection) ?? 0) >= bounds.maxPerConnection ? 'enough' : 'wrong';
    },
    leave: (connection: string): void => void byConnection.delete(connection),
    /** Tells what has not been told yet. */
    close: (): void => closing.abort(),
  };
}

function tellOf(burst: Map<string, number>, log: Log): void {
  const all = [...burst].toSorted(([, a], [, b]) => b - a);
  burst.clear();
  for (const [address, guesses] of all.slice(0, MOST_LINES)) {
    log.warn({ address, guesses }, 'wrong secrets were tried on the SMTP listener');
  }
  const rest = all.slice(MOST_LINES);
  if (rest.length === 0) return;
  const guesses = rest.reduce((sum, [, count]) => sum + count, 0);
  log.warn({ addresses: rest.length, guesses }, 'wrong secrets were tried on the SMTP listener from more addresses');
}
