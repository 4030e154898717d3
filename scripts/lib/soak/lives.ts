import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Launched, launchGateway } from '../../../test/flow/gateway.ts';
import type { Random } from './random.ts';
import type { Door } from './submit.ts';

/** How a life of the gateway ends. `busy`: so long after so many acknowledgements. */
export type Death =
  | { readonly kind: 'starting'; readonly afterMs: number }
  | { readonly kind: 'busy'; readonly acknowledged: number; readonly afterMs: number }
  | { readonly kind: 'polite'; readonly acknowledged: number };

export interface Lives {
  door(): Door | null;
  /** To be called at each 250. */
  acknowledged(): void;
  /** Starts the gateway and ends it as planned. */
  live(death: Death): Promise<void>;
  /** Starts it with a crash point set and waits for the SIGKILL; false when it did not come in time. */
  crash(environment: Readonly<Record<string, string>>): Promise<boolean>;
  /** Starts it, waits until `isQuiet`, ends it politely; false when it was not quiet in time. */
  rest(isQuiet: () => boolean, environment?: Readonly<Record<string, string>>): Promise<boolean>;
  readonly deaths: { kills: number; stops: number };
  /** What no gateway should do: end by itself, be slow to stop, log an error. */
  readonly troubles: string[];
}

/** With few mails left in a batch, as many acknowledgements may never come. */
const BUSY_AT_MOST_MS = 1500;
const CRASH_WITHIN_MS = 60_000;
const QUIET_WITHIN_MS = 90_000;
/** Ten seconds are promised, on a machine that has them to give. */
const STOP_WITHIN_MS = 60_000;

export function planDeath(random: Random, batch: number): Death {
  const acknowledged = random.between(1, Math.max(1, batch));
  const fate = random.next();
  if (fate < 0.15) return { kind: 'starting', afterMs: random.between(0, 500) };
  if (fate < 0.22) return { kind: 'polite', acknowledged };
  // Most of a mail's life is over within some 50 ms; a few longer waits reach deliveries and wakeups too.
  return { kind: 'busy', acknowledged, afterMs: random.chance(0.8) ? random.between(0, 60) : random.between(60, 400) };
}

/** Its exit code; nothing goes on waiting afterwards. */
async function endOrLate({ exited }: Launched, withinMs: number): Promise<number | null | 'late'> {
  const over = new AbortController();
  const late = sleep(withinMs, 'late' as const, { signal: over.signal }).catch(() => 'late' as const);
  try {
    return await Promise.race([exited, late]);
  } finally {
    over.abort();
  }
}

export function createLives(root: string): Lives {
  const state: { door: Door | null; heard: number; onHeard: (() => void) | null } = {
    door: null,
    heard: 0,
    onHeard: null,
  };
  const deaths = { kills: 0, stops: 0 };
  const troubles: string[] = [];

  const launch = (environment?: Readonly<Record<string, string>>) => {
    state.heard = 0;
    const launched = launchGateway(root, environment);
    void launched.ready.then(
      ({ ready }) => {
        const secret = readFileSync(join(root, 'data/submission.secret'), 'utf8').trim();
        if (launched.process.exitCode === null && launched.process.signalCode === null) {
          state.door = { port: ready.smtp.port, secret };
        }
      },
      () => {},
    );
    return launched;
  };

  const heard = async (count: number) => {
    const enough = new Promise<void>((resolve) => {
      state.onHeard = () => {
        if (state.heard >= count) resolve();
      };
      state.onHeard();
    });
    await Promise.race([enough, sleep(BUSY_AT_MOST_MS)]);
    state.onHeard = null;
  };

  const ended = async ({ log }: Launched) => {
    state.door = null;
    const errors = log()
      .split('\n')
      .filter((line) => line.includes('"level":"error"'));
    troubles.push(...errors.map((line) => line.slice(0, 1000)));
  };

  const kill = async (launched: Launched) => {
    if (launched.process.exitCode !== null) troubles.push(`ended by itself: ${launched.log()}`);
    state.door = null;
    launched.process.kill('SIGKILL');
    await launched.exited;
    deaths.kills += 1;
    await ended(launched);
  };

  const stop = async (launched: Launched) => {
    launched.process.kill('SIGTERM');
    const code = await endOrLate(launched, STOP_WITHIN_MS);
    if (code !== 0) troubles.push(`SIGTERM ended it with ${code}: ${launched.log()}`);
    if (code === 'late') launched.process.kill('SIGKILL');
    await launched.exited;
    deaths.stops += 1;
    await ended(launched);
  };

  return {
    door: () => state.door,
    acknowledged() {
      state.heard += 1;
      state.onHeard?.();
    },
    deaths,
    troubles,

    async live(death) {
      const launched = launch();
      if (death.kind === 'starting') {
        await sleep(death.afterMs);
        return kill(launched);
      }
      await launched.ready;
      await heard(death.acknowledged);
      if (death.kind === 'polite') return stop(launched);
      await sleep(death.afterMs);
      return kill(launched);
    },

    async crash(environment) {
      const launched = launch({ NODE_ENV: 'test', ...environment });
      const code = await endOrLate(launched, CRASH_WITHIN_MS);
      if (code === 'late') launched.process.kill('SIGKILL');
      await launched.exited;
      await ended(launched);
      return code === null;
    },

    async rest(isQuiet, environment) {
      const launched = launch(environment);
      await launched.ready;
      const late = performance.now() + QUIET_WITHIN_MS;
      while (!isQuiet() && performance.now() < late) await sleep(100);
      const quiet = isQuiet();
      await stop(launched);
      return quiet;
    },
  };
}
