import type { Log } from '#contract';
import type { Guards } from '../../extensions/guard/guard.ts';
import { runningExtension } from '../../extensions/guard/guard.ts';

const SWITCHED_OFF = 'an extension failed and is switched off';

/** Errors that nobody caught, as the process hears of them. */
export interface StrayErrors {
  /** Rejections of the engine's own that nobody handled. */
  rejections(): number;
}

/**
 * Gives what nobody caught to the extension whose code it is, and lets no extension end the process.
 *
 * Of the engine's own, a rejection is one piece of work that failed where nobody looked: it is logged and counted, and
 * all else goes on. An exception is another matter. It broke off a callback half-way, so nobody knows any more what
 * holds in memory, while on disk all does: every step is a committed row, and the next start goes on from there as after
 * a kill. So `onException` is to end the process, in order, for whoever supervises it to start it again.
 *
 * It holds until the process ends: what an extension has left in a timer may outlive the command that loaded it.
 */
export function catchStrayErrors(options: {
  guards: Guards;
  log(): Log;
  onException(error: unknown): void;
}): StrayErrors {
  const { guards, log, onException } = options;
  const counted = { rejections: 0 };
  /** True when it was an extension's that is no part of the package. */
  const blame = (what: string, error: unknown): boolean => {
    const guard = runningExtension() ?? guards.byStack(error);
    if (!guard) return false;
    const { kind, name, source } = guard.code;
    const stack = guard.within(() => stackOf(error));
    const news = guard.fail(what, error);
    if (news) log().error({ kind, name, error: stack }, SWITCHED_OFF);
    else if (source === 'bundled') log().error({ kind, name, error: stack }, `${what} in a bundled extension`);
    return true;
  };
  const onRejection = (reason: unknown): void => {
    if (blame('unhandled rejection', reason)) return;
    counted.rejections += 1;
    log().error({ error: stackOf(reason), count: counted.rejections }, 'unhandled rejection');
  };
  const onError = (error: unknown): void => {
    if (blame('uncaught exception', error)) return;
    log().error({ error: stackOf(error) }, 'uncaught exception: the gateway ends, to be started again');
    onException(error);
  };
  process.on('unhandledRejection', onRejection);
  process.on('uncaughtException', onError);
  keepFromEnding((what) => {
    const guard = runningExtension();
    if (!guard) return;
    const error = new Error(`it called ${what}, which is not for an extension to do`);
    if (guard.fail('end of the process', error)) {
      const { kind, name } = guard.code;
      log().error({ kind, name, error: stackOf(error) }, SWITCHED_OFF);
    }
    throw error;
  });
  return { rejections: () => counted.rejections };
}

/**
 * Puts `ask`, which throws where it must not be, before what ends the process by the way, as many a library does that
 * was made for a command line. Who means to kill it has other ways.
 */
function keepFromEnding(ask: (what: string) => void): void {
  const { exit, abort } = process;
  const before = (what: string, real: (...args: never[]) => never) =>
    function (this: unknown, ...args: unknown[]): unknown {
      ask(what);
      return Reflect.apply(real, process, args);
    };
  Reflect.set(process, 'exit', before('process.exit', exit));
  Reflect.set(process, 'abort', before('process.abort', abort));
}

function stackOf(error: unknown): string {
  try {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  } catch {
    return 'something that cannot be printed';
  }
}
