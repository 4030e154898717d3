import { AsyncLocalStorage } from 'node:async_hooks';
import { EngineError } from '#contract';
import type { ExtensionKind } from '../../config/types.ts';
import { hideSecrets } from '../../lib/secrets/secrets.ts';

/** The extension that the code belongs to. */
export interface ExtensionCode {
  readonly kind: ExtensionKind;
  readonly name: string;
  /** Source of the code: a workspace's provider with an `adapter` runs bundled code. */
  readonly source: 'bundled' | 'workspace';
  /** Absolute; what throws from below it is this extension's. */
  readonly folder: string;
  /** The entry, as problems name it. */
  readonly file: string;
}

export interface Guard {
  readonly code: ExtensionCode;
  /** Why it is switched off; null while it is not. */
  failure(): string | null;
  /** Why a hook hears of no event any more; null while it does. What else it does goes on. */
  silenced(): string | null;
  silence(why: string): void;
  /** Runs `work` as this extension: whatever it leaves behind in timers, promises and sockets is known to be its. */
  within<Result>(work: () => Result): Result;
  /** The same for a call. Throws when it is switched off, and rejects as soon as it is: nobody waits for what failed. */
  call<Result>(work: () => Promise<Result> | Result): Promise<Result>;
  /** Takes what it threw where nobody could catch it. Says whether this is news. */
  fail(what: string, error: unknown): boolean;
}

/**
 * Whose code runs now. One for the process, as its timers and promises are: Node carries it along with each of them,
 * also into its handlers of what nobody caught.
 */
const running = new AsyncLocalStorage<Guard | null>();

/** The extension whose code runs, or left behind what runs now; null for the engine's own. */
export const runningExtension = (): Guard | null => running.getStore() ?? null;

/**
 * What an extension is handed works as the engine: a timer or a connection that is made in there may serve others. A
 * promise that comes back is the extension's again, which has to catch it.
 */
export function asEngine<Part extends object>(part: Part): Part {
  return new Proxy(part, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        const result: unknown = running.run(null, () => Reflect.apply(value, target, args));
        return result instanceof Promise ? result.then((settled: unknown) => settled) : result;
      };
    },
  });
}

/** `onFailure` is called once, when it is switched off. What is bundled is the engine's own code and stays on. */
export function createGuard(code: ExtensionCode, onFailure: (guard: Guard, error: unknown) => void): Guard {
  const state: { failure: string | null; silenced: string | null } = { failure: null, silenced: null };
  /** Rejects the calls under way. */
  const waiting = new Set<(error: EngineError) => void>();
  const guard: Guard = {
    code,
    failure: () => state.failure,
    silenced: () => state.silenced,
    silence(why) {
      if (state.failure !== null || state.silenced !== null) return;
      state.silenced = why;
      running.run(null, onFailure, guard, why);
    },
    within: (work) => running.run(guard, work),
    call<Result>(work: () => Promise<Result> | Result) {
      if (state.failure !== null) return Promise.reject(switchedOff(code, state.failure));
      const { promise, resolve, reject } = Promise.withResolvers<Result>();
      waiting.add(reject);
      const ended = (settle: () => void) => {
        waiting.delete(reject);
        settle();
      };
      const failed = (error: unknown) => ended(() => reject(error));
      try {
        // Not `async` in there: what it throws at once is thrown as itself.
        const begun = Promise.resolve(running.run(guard, work));
        begun.then((result) => ended(() => resolve(result)), failed);
      } catch (error) {
        failed(error);
      }
      return promise;
    },
    fail(what, error) {
      if (code.source === 'bundled' || state.failure !== null) return false;
      // To read what was thrown may run the extension's code once more.
      state.failure = `${what}: ${guard.within(() => inOneLine(error))}`;
      for (const reject of waiting) reject(switchedOff(code, state.failure));
      waiting.clear();
      // Runs as the engine: work that starts here would otherwise count as the extension's.
      running.run(null, onFailure, guard, error);
      return true;
    },
  };
  return Object.freeze(guard);
}

/** To those who wait for a model it is a provider that cannot be reached; of all else it is the call that failed. */
function switchedOff({ kind, name }: ExtensionCode, failure: string): EngineError {
  const message = `the ${kind} ${name} failed and is switched off (${failure})`;
  if (kind === 'provider') return new EngineError('unavailable', message, { retry: { afterMs: 0 } });
  return new EngineError(kind === 'tool' ? 'tool_failed' : 'extension_invalid', message);
}

/** Anything may be thrown, also what throws again when it is printed. */
function inOneLine(error: unknown): string {
  try {
    const text = error instanceof Error ? error.message : String(error);
    return hideSecrets(text.replace(/\s+/g, ' ').slice(0, 500));
  } catch {
    return 'something that cannot be printed';
  }
}
