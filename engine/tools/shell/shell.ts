import { once } from 'node:events';
import { mkdir, realpath } from 'node:fs/promises';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { EngineError, type ShellCapability } from '#contract';
import { type FilesDesk, full } from '../files/desk.ts';
import type { ShellAnswer, ShellRequest } from './protocol.ts';
import { whyNotAs } from './sandbox.ts';

// From source the worker is a .ts file, from the published package a .js one.
const ENTRY = new URL(`./worker${extname(import.meta.url)}`, import.meta.url);
const HEAP_MB = 128;

/**
 * Runs commands by bubblewrap, one at a time for each persona, and none while a file tool works in the same files.
 * Throws `tool_failed` as root, without a sandbox, and where `files/` is full.
 */
export function createShell(options: {
  readonly filesRoot: string;
  readonly maxFilesBytes: number;
  readonly desk: FilesDesk;
  /** Whose account the gateway runs by. */
  readonly uid?: number | undefined;
}): ShellCapability {
  const { filesRoot, maxFilesBytes, desk, uid = process.geteuid?.() } = options;
  return {
    async run({ command, timeoutMs, signal }) {
      const refused = whyNotAs(uid);
      if (refused !== null) throw new EngineError('tool_failed', refused);
      return desk.alone(filesRoot, signal, async () => {
        await mkdir(filesRoot, { recursive: true, mode: 0o700 });
        const files = await realpath(filesRoot);
        // There it would be readable through the system's own folder, and those of other personas with it.
        if (files.startsWith('/usr/'))
          throw new EngineError('tool_failed', 'the workspace lies in a folder of the system');
        const answer = await inThread({ files, command, timeoutMs, maxFilesBytes }, signal);
        if (answer.kind === 'failed') throw new EngineError('tool_failed', 'there is no sandbox to run it in');
        desk.know(filesRoot, answer.used);
        if (answer.kind === 'full') throw full(answer.used, maxFilesBytes);
        return answer.result;
      });
    },
  };
}

/** Resolves when nothing of the command is left. */
async function inThread(request: ShellRequest, signal: AbortSignal): Promise<ShellAnswer> {
  const thread = new Worker(ENTRY, {
    workerData: request,
    // Nothing of the gateway's environment (keys) is needed beside somebody's commands.
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  const stop = () => thread.postMessage('stop');
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    const ended = once(thread, 'exit').then((): ShellAnswer[] => []);
    const [answer]: ShellAnswer[] = await Promise.race([once(thread, 'message'), ended]);
    if (!answer) throw new RangeError('the thread ended without a word');
    return answer;
  } catch (cause) {
    throw new EngineError('tool_failed', 'the command was ended: its supervisor failed', { cause });
  } finally {
    signal.removeEventListener('abort', stop);
    await thread.terminate();
  }
}
