import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { EngineError } from '#contract';

export interface Readable {
  readonly title: string | null;
  readonly text: string;
  readonly cut: boolean;
}

const MAX_HTML = 2_000_000;
const MAX_MS = 4_000;

/**
 * What a person would read of an HTML page. In a worker that can be stopped: HTML can be written so that any tree
 * parser takes minutes (a hundred thousand open tags, then as many wrong end tags), and the gateway must not stand still.
 */
export async function readableText(html: string, signal: AbortSignal): Promise<Readable> {
  const stop = AbortSignal.any([signal, AbortSignal.timeout(MAX_MS)]);
  const worker = new Worker(workerUrl(), {
    workerData: html.slice(0, MAX_HTML),
    // Nothing of the gateway's environment (keys) is needed beside hostile input.
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  try {
    const [answer]: unknown[] = await once(worker, 'message', { signal: stop });
    return { ...parsedAnswer(answer), cut: html.length > MAX_HTML };
  } catch (error) {
    if (signal.reason instanceof EngineError) throw signal.reason;
    throw new EngineError('tool_failed', 'the page is too complicated to be read as text', { cause: error });
  } finally {
    await worker.terminate();
  }
}

/** Beside this file, as source or as the published JavaScript. */
const workerUrl = () =>
  new URL(import.meta.url.endsWith('.ts') ? './html-worker.ts' : './html-worker.js', import.meta.url);

function parsedAnswer(answer: unknown): { title: string | null; text: string } {
  if (typeof answer === 'object' && answer !== null && 'text' in answer && typeof answer.text === 'string') {
    const title = 'title' in answer && typeof answer.title === 'string' ? answer.title : null;
    return { title, text: answer.text };
  }
  throw new EngineError('tool_failed', 'the page could not be read as text');
}
