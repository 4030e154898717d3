import { statfsSync } from 'node:fs';
import { totalmem } from 'node:os';
import type { ShellResult } from '#contract';
import { isOver, measureSync } from './files-usage.ts';

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
  const times = { nextMeasure: now() + MEASURE_MS };

  function why(): Why | null {
    if (process.availableMemory() < totalmem() * LEAST_MEMORY) return 'too much memory';
    const taken = freeAtFirst - freeBytes(files);
    if (taken > room + OTHERS_BYTES) return 'too much written';
    const began = now();
    if (began < times.nextMeasure && taken <= room) return null;
    if (began < times.nextMeasure - MEASURE_MS) return null;
    const over = isOver(measureSync(files), maxBytes);
    const tookMs = now() - began;
    times.nextMeasure = began + tookMs + Math.max(MEASURE_MS, REST_FACTOR * tookMs);
    return over ? 'too much written' : null;
  }

  const timer = setInterval(() => {
    const found = why();
    if (found === null) return;
    clearInterval(timer);
    end(found);
  }, LOOK_MS);
  return { stop: () => clearInterval(timer) };
}

function freeBytes(path: string): number {
  const { bsize, bavail } = statfsSync(path);
  return bsize * bavail;
}
