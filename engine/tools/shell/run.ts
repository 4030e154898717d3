import { statfsSync } from 'node:fs';
import { totalmem } from 'node:os';
import type { Readable } from 'node:stream';
import type { ShellResult } from '#contract';
import { isOver, MAX_ENTRIES, measure } from '../files/usage.ts';
import { startSandbox } from './process.ts';
import type { ShellAnswer, ShellRequest } from './protocol.ts';
import { sandboxed } from './sandbox.ts';

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

const LOOK_MS = 50;
const MEASURE_MS = 500;
/** Measuring takes at most a part of the time. */
const REST_FACTOR = 3;
/** What others may write to the same disk meanwhile, before that is put down to the command. */
const OTHERS_BYTES = 256 * 1024 * 1024;
const LEAST_MEMORY = 0.05;

type Why = Exclude<ShellResult['ended'], null>;

/**
 * Looks every now and then whether a command uses more than it may, and calls `end` once when it does. The free space
 * of the disk is asked often, because it is quick and nothing escapes it, also no file that is deleted while it is
 * open; all files are measured now and then, and whenever the disk says that it may be too much.
 */
function watchUse(
  options: { readonly files: string; readonly maxBytes: number; readonly room: number; readonly now: () => number },
  end: (why: Why) => void,
): { stop(): void } {
  const { files, maxBytes, room, now } = options;
  const freeAtFirst = freeBytes(files);
  const state = { measuring: false, quick: true, nextMeasure: now() + MEASURE_MS };

  function look(): void {
    const taken = freeAtFirst - freeBytes(files);
    if (process.availableMemory() < totalmem() * LEAST_MEMORY) found('too much memory');
    else if (taken > room + OTHERS_BYTES) found('too much written');
    else if (!state.measuring && (now() > state.nextMeasure || (taken > room && state.quick))) void measureAll();
  }

  async function measureAll(): Promise<void> {
    state.measuring = true;
    const began = now();
    const used = await measure(files);
    const tookMs = now() - began;
    // What is quickly measured may be measured as often as the disk asks for it.
    state.nextMeasure = now() + Math.max(MEASURE_MS, REST_FACTOR * tookMs);
    state.quick = tookMs < LOOK_MS;
    state.measuring = false;
    if (isOver(used, maxBytes)) found('too much written');
  }

  function found(why: Why): void {
    clearInterval(timer);
    end(why);
  }

  const timer = setInterval(look, LOOK_MS);
  return { stop: () => clearInterval(timer) };
}

function freeBytes(path: string): number {
  const { bsize, bavail } = statfsSync(path);
  return bsize * bavail;
}
