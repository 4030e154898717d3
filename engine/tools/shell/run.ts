import type { Readable } from 'node:stream';
import type { ShellResult } from '#contract';
import { isOver, MAX_ENTRIES, measure } from '../files/usage.ts';
import { startSandbox } from './process.ts';
import type { ShellAnswer, ShellRequest } from './protocol.ts';
import { sandboxed } from './sandbox.ts';
import { watchUse } from './watch.ts';

const MAX_KEPT_BYTES = 64 * 1024;
/** More than this is nothing that anybody reads, and draining it costs the gateway. */
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;

/**
 * Runs one command, ends it where it takes too much of anything, and answers when nothing of it is left. `signal` ends
 * it before its time.
 */
export async function runCommand(request: ShellRequest, signal: AbortSignal): Promise<ShellAnswer> {
  const { files, command, timeoutMs, maxFilesBytes: maxBytes } = request;
  const before = await measure(files);
  const room = maxBytes - before.bytes;
  if (room <= 0 || before.entries >= MAX_ENTRIES) return { kind: 'full', used: before };
  const sandbox = startSandbox(sandboxed({ files, command, room }));
  const state: { ended: ShellResult['ended'] } = { ended: null };
  const end = (why: ShellResult['ended']) => {
    state.ended ??= why;
    sandbox.kill();
  };
  const stdout = collect(sandbox.stdout, () => end('too much output'));
  const stderr = collect(sandbox.stderr, () => end('too much output'));
  const deadline = setTimeout(() => end('timeout'), timeoutMs);
  const watch = watchUse({ files, maxBytes, room, now: () => performance.now() }, end);
  const stop = () => end('timeout');
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    const code = await sandbox.done;
    const used = await measure(files);
    // It may have gone over just before it was done.
    const ended = state.ended ?? (isOver(used, maxBytes) ? 'too much written' : null);
    return {
      kind: 'ended',
      used,
      result: {
        exit_code: ended === null ? code : null,
        ended,
        stdout: stdout.text(),
        stderr: stderr.text(),
        stdout_bytes: stdout.bytes(),
        stderr_bytes: stderr.bytes(),
        truncated: stdout.bytes() > MAX_KEPT_BYTES || stderr.bytes() > MAX_KEPT_BYTES,
      },
    };
  } finally {
    clearTimeout(deadline);
    watch.stop();
    signal.removeEventListener('abort', stop);
  }
}

/** Keeps the beginning and counts the rest; a writer that nobody drains would hang until its deadline. */
function collect(stream: Readable | null, overflow: () => void) {
  const kept: Buffer[] = [];
  const count = { kept: 0, all: 0 };
  stream?.on('data', (chunk: Buffer) => {
    const part = chunk.subarray(0, Math.max(0, MAX_KEPT_BYTES - count.kept));
    kept.push(part);
    count.kept += part.length;
    count.all += chunk.length;
    if (count.all > MAX_OUTPUT_BYTES) overflow();
  });
  return { text: () => Buffer.concat(kept).toString('utf8'), bytes: () => count.all };
}
