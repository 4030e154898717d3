import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

/** The longest time that an event loop did nothing else, in ms. */
export interface Standstill {
  readonly late_ms: number;
  /** The most that its thread computed at a stretch; what is missing it waited for the disk or for a processor. */
  readonly cpu_ms: number;
  /** The longest without what the machine did not let it have: what the gateway brought upon itself. */
  readonly own_ms: number;
}

const WATCH = new URL('./loop-watch.ts', import.meta.url);

/** To be started with: makes a gateway write down into `file` how its event loop fares. */
export const watched = (file: string): Readonly<Record<string, string>> => {
  const url = new URL(WATCH);
  url.searchParams.set('into', file);
  return { NODE_OPTIONS: `--import=${url.href}` };
};

/**
 * The same once the loop turns again, or after a minute at most: how much of a standstill was its own is known when it is
 * over, and from outside a gateway that waits for a processor looks like one that computes.
 */
export async function standstillOver(file: string, since: number): Promise<Standstill> {
  for (let looks = 0; looks < 3000 && lastingMs(file) > 0; looks += 1) await sleep(20);
  return standstillSince(file, since);
}

/** The longest of those that were over after `since` (ms), and of what lasts still. */
export function standstillSince(file: string, since: number): Standstill {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  const found = lines
    .map((line) => line.split(' ').map(Number))
    .filter(([at = 0]) => at >= since)
    .map(([, late = 0, cpu = 0, queued = 0]) => ({ late_ms: late, cpu_ms: cpu, own_ms: Math.max(cpu, late - queued) }));
  const lasting = lastingMs(file);
  const all = [...found, { late_ms: lasting, cpu_ms: lasting, own_ms: lasting }];
  const most = (key: keyof Standstill) => Math.round(Math.max(...all.map((one) => one[key])));
  return { late_ms: most('late_ms'), cpu_ms: most('cpu_ms'), own_ms: most('own_ms') };
}

/** How long ago its loop last turned, where that is worth a word. */
function lastingMs(file: string): number {
  const beat = existsSync(`${file}.beat`) ? readFileSync(`${file}.beat`) : Buffer.alloc(0);
  if (beat.length < 8) return 0;
  const since = Date.now() - beat.readDoubleLE(0);
  return since > 100 ? Math.round(since) : 0;
}

/** A loop with nothing to do, on the same machine: how late it is, nobody's mail is to blame for. */
export function startControl(file: string) {
  const worker = new Worker(WATCH, { workerData: { watchInto: file } });
  return {
    lateMs: (since: number): number => standstillSince(file, since).late_ms,
    stop: () => worker.terminate(),
  };
}
