import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { EngineError } from '#contract';
import { bareEnvironment } from './bare-environment.ts';

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

/** A thread may take this many times what it may compute, while the machine works for others or it waits in vain. */
const MOST_TIMES = 5;
const LOOK_MS = 10;

/**
 * Calls `late` once when the thread has computed for `ms` since it was started, or has not ended after five times as
 * long: on a busy machine time passes while a thread has hardly computed, and that is not the fault of its work. The
 * function that comes back ends the watch.
 */
function watchTime(worker: Worker, ms: number, late: () => void): () => void {
  const began = performance.now();
  let over = false;
  let timer: NodeJS.Timeout | undefined;
  const end = () => {
    over = true;
    clearTimeout(timer);
  };
  const tooLate = () => {
    if (over) return;
    end();
    late();
  };
  const elapsed = () => performance.now() - began;
  const wait = (forMs: number, then: () => void) => {
    clearTimeout(timer);
    timer = setTimeout(then, Math.max(0, forMs));
  };
  const look = async () => {
    // Also when the thread does not even tell what it has computed.
    wait(MOST_TIMES * ms - elapsed(), tooLate);
    // Rejects when it has ended meanwhile.
    const used = await worker.cpuUsage().catch(() => null);
    if (over || used === null) return;
    const left = ms - (used.user + used.system) / 1000;
    if (left <= 0) tooLate();
    else wait(Math.min(Math.max(left, LOOK_MS), MOST_TIMES * ms - elapsed()), () => void look());
  };
  wait(ms, () => void look());
  return end;
}
