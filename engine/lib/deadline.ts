import { EngineError, type ErrorCode } from '#contract';

/**
 * Runs `work` with a signal that aborts after `ms`, or when `parent` does. A promise that ignores the signal is
 * left behind: the caller gets the error on time either way.
 */
export async function withDeadline<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  options: { ms: number; code: ErrorCode; what: string; parent?: AbortSignal },
): Promise<Result> {
  const controller = new AbortController();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () =>
      late.reject(
        new EngineError(options.code, `${options.what} took longer than ${options.ms} ms`, { retry: { afterMs: 0 } }),
      ),
    options.ms,
  );
  const stop = () => late.reject(new EngineError('cancelled', `${options.what} was cancelled`));
  options.parent?.addEventListener('abort', stop, { once: true });
  if (options.parent?.aborted) stop();
  try {
    return await Promise.race([work(controller.signal), late.promise]);
  } catch (error) {
    controller.abort(error);
    throw error;
  } finally {
    clearTimeout(timer);
    options.parent?.removeEventListener('abort', stop);
  }
}
