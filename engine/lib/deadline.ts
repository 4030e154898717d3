import { EngineError, type ErrorCode } from '#contract';

/**
 * Runs `work` with a signal that aborts after `ms`, or when `parent` does. A promise that ignores the signal is
 * left behind: the caller gets the error on time either way.
 */
export function withDeadline<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  options: { ms: number; code: ErrorCode; what: string; parent?: AbortSignal },
): Promise<Result> {
  const { ms, code, what, parent } = options;
  const controller = new AbortController();
  // One promise for all ways to end, and the first of them counts: a race of several costs each call three more.
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const settled = () => {
    clearTimeout(timer);
    parent?.removeEventListener('abort', stop);
  };
  const fail = (error: unknown) => {
    settled();
    controller.abort(error);
    reject(error);
  };
  const stop = () => fail(new EngineError('cancelled', `${what} was cancelled`));
  const timer = setTimeout(
    () => fail(new EngineError(code, `${what} took longer than ${ms} ms`, { retry: { afterMs: 0 } })),
    ms,
  );
  const ended = (result: Result) => {
    settled();
    resolve(result);
  };
  try {
    work(controller.signal).then(ended, fail);
  } catch (error) {
    fail(error);
    return promise;
  }
  parent?.addEventListener('abort', stop, { once: true });
  // What the work itself rejects with goes before that it was ended: it may have ended its parent to leave.
  if (parent?.aborted) queueMicrotask(stop);
  return promise;
}
