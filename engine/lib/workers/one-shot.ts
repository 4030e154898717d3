import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { EngineError } from '#contract';
import { bareEnvironment } from './bare-environment.ts';
import { watchTime } from './time-watch.ts';

/**
 * One piece of work in a thread of its own, which is ended with its time, its memory or the signal: the gateway must not
 * stand still over what somebody wrote to be slow. `ms` is processor time of the thread, its start included. The file gets `data` as `workerData` and posts one message. Throws
 * `tool_failed` with `failed` as its words; what aborted the signal, where that is an error of ours.
 */
export async function inOneShot(options: {
  readonly file: URL;
  readonly data: unknown;
  readonly ms: number;
  readonly heapMb: number;
  readonly failed: string;
  readonly signal: AbortSignal;
}): Promise<unknown> {
  const { file, data, ms, heapMb, failed, signal } = options;
  const late = new AbortController();
  const worker = new Worker(file, {
    workerData: data,
    env: bareEnvironment(),
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
  const unwatch = watchTime(worker, ms, () => late.abort());
  try {
    const stop = AbortSignal.any([signal, late.signal]);
    const [message]: unknown[] = await once(worker, 'message', { signal: stop });
    return message;
  } catch (error) {
    if (signal.reason instanceof EngineError) throw signal.reason;
    throw new EngineError('tool_failed', failed, { cause: error });
  } finally {
    unwatch();
    await worker.terminate();
  }
}

/** A file beside that of `importMetaUrl`, as source or as the published JavaScript. */
export const besideUrl = (importMetaUrl: string, name: string): URL =>
  new URL(`./${name}.${importMetaUrl.endsWith('.ts') ? 'ts' : 'js'}`, importMetaUrl);
