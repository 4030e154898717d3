import { statfsSync } from 'node:fs';
import { totalmem } from 'node:os';
import type { ShellResult } from '#contract';
import { isOver, measure } from '../files/usage.ts';

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
export function watchUse(
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
