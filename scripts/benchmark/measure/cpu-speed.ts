import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { cpuMicroseconds, median, rounded } from '../figures.ts';

/** How fast the machine was, so that figures of two machines, or of two hours on a shared one, can be compared. */
export interface CpuSpeed {
  /** CPU time of one core for a fixed piece of work: arithmetic, JSON and SHA-256. */
  readonly work_ms: number;
  /** Share of all CPU time that the host gave to others meanwhile. */
  readonly stolen_percent: number;
}

const SAMPLES = 7;
const DOCUMENT = Array.from({ length: 200 }, (_, index) => ({ index, text: 'Region South fell behind the plan. ' }));
const BYTES = Buffer.alloc(1024 * 1024, 7);

/** Begins now; the returned function, called at the end, says how it was in between. */
export async function watchCpuSpeed(): Promise<() => Promise<CpuSpeed>> {
  const before = cpuTicks();
  const samples = await sample();
  return async () => {
    samples.push(...(await sample()));
    const after = cpuTicks();
    const all = after.all - before.all;
    return {
      work_ms: rounded(median(samples)),
      stolen_percent: all > 0 ? rounded(((after.stolen - before.stolen) / all) * 100) : 0,
    };
  };
}

async function sample(): Promise<number[]> {
  const samples: number[] = [];
  // The first warms the compiler up and does not count.
  for (let round = 0; round <= SAMPLES; round += 1) {
    const microseconds = await cpuMicroseconds(async () => void work());
    if (round > 0) samples.push(microseconds / 1000);
  }
  return samples;
}

function work(): number {
  let sum = 0;
  for (let index = 0; index < 2_000_000; index += 1) sum = (sum * 31 + index) | 0;
  for (let round = 0; round < 30; round += 1) sum += JSON.stringify(JSON.parse(JSON.stringify(DOCUMENT))).length;
  for (let round = 0; round < 8; round += 1) sum += createHash('sha256').update(BYTES).digest()[0] ?? 0;
  return sum;
}

/** Zero where there is no /proc. */
function cpuTicks(): { all: number; stolen: number } {
  try {
    const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
    const ticks = line.split(/\s+/).slice(1, 9).map(Number);
    return { all: ticks.reduce((sum, each) => sum + each, 0), stolen: ticks[7] ?? 0 };
  } catch {
    return { all: 0, stolen: 0 };
  }
}
