import { appendFileSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { isMainThread, workerData } from 'node:worker_threads';

/**
 * Loaded into a gateway with `--import=<this file>?into=<file>`: a timer that is late tells how long the event loop
 * stood still. `<file>` gets a line for each time (when it was over; in ms how long, how much of it this thread computed,
 * how much of it it was ready to compute and the machine did not let it). `<file>.beat` holds the time of the last tick, so that a loop that stands still for ever is seen from outside.
 */

const EVERY_MS = 5;
const WORTH_MS = 15;

function watch(file: string): void {
  const beat = openSync(`${file}.beat`, 'w');
  writeFileSync(file, '');
  const now = new Float64Array(1);
  let last = performance.now();
  let cpu = process.threadCpuUsage();
  let queued = queuedMs();
  const tick = () => {
    const at = performance.now();
    const late = at - last - EVERY_MS;
    const used = process.threadCpuUsage(cpu);
    if (late > WORTH_MS) {
      const computed = (used.user + used.system) / 1000;
      const inQueue = queuedMs() - queued;
      appendFileSync(file, `${Date.now()} ${late.toFixed(1)} ${computed.toFixed(1)} ${inQueue.toFixed(1)}\n`);
    }
    now[0] = Date.now();
    writeSync(beat, now, 0, 8, 0);
    cpu = process.threadCpuUsage();
    queued = queuedMs();
    last = performance.now();
  };
  const timer = setInterval(tick, EVERY_MS);
  if (isMainThread) timer.unref();
}

/** How long this thread has waited for a processor so far. Nothing where the system does not tell. */
function queuedMs(): number {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

// A gateway's threads load this too; only one that was told where to write watches itself.
const into: unknown = isMainThread ? new URL(import.meta.url).searchParams.get('into') : workerData?.watchInto;
if (typeof into === 'string') watch(into);
