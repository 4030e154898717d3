import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { EngineError, type ReadablePage } from '#contract';

const MAX_MS = 4_000;

const answer = z.object({ title: z.string().nullable(), text: z.string(), cut: z.boolean() });

/**
 * What a person would read of an HTML page. In a worker that can be stopped: the gateway must not stand still while
 * HTML that was written to be slow is read. Throws `tool_failed` when that takes more than four seconds.
 */
export async function readableText(html: string, signal: AbortSignal): Promise<ReadablePage> {
  const stop = AbortSignal.any([signal, AbortSignal.timeout(MAX_MS)]);
  const worker = new Worker(workerUrl(), {
    workerData: html,
    // Nothing of the gateway's environment (keys) is needed beside hostile input.
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  try {
    const [message]: unknown[] = await once(worker, 'message', { signal: stop });
    return answer.parse(message);
  } catch (error) {
    if (signal.reason instanceof EngineError) throw signal.reason;
    throw new EngineError('tool_failed', 'the page is too complicated to be read as text', { cause: error });
  } finally {
    await worker.terminate();
  }
}

/** Beside this file, as source or as the published JavaScript. */
const workerUrl = () =>
  new URL(import.meta.url.endsWith('.ts') ? './page-worker.ts' : './page-worker.js', import.meta.url);
