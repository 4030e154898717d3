import type { Worker } from 'node:worker_threads';

/** A thread may take this many times what it may compute, while the machine works for others or it waits in vain. */
const MOST_TIMES = 5;
const LOOK_MS = 10;

/**
 * Calls `late` once when the thread has computed for `ms` since it was started, or has not ended after five times as
 * long: on a busy machine time passes while a thread has hardly computed, and that is not the fault of its work. The
 * function that comes back ends the watch.
 */
export function watchTime(worker: Worker, ms: number, late: () => void): () => void {
  const began = performance.now();
  let over = false;
  let timer: NodeJS.Timeout | undefined;
  const end = () => {
    over = true;
    clearTimeout(timer);
  };
  const tooLate = () => {
    if (over) return;
    end();
    late();
  };
  const elapsed = () => performance.now() - began;
  const wait = (forMs: number, then: () => void) => {
    clearTimeout(timer);
    timer = setTimeout(then, Math.max(0, forMs));
  };
  const look = async () => {
    // Also when the thread does not even tell what it has computed.
    wait(MOST_TIMES * ms - elapsed(), tooLate);
    // Rejects when it has ended meanwhile.
    const used = await worker.cpuUsage().catch(() => null);
    if (over || used === null) return;
    const left = ms - (used.user + used.system) / 1000;
    if (left <= 0) tooLate();
    else wait(Math.min(Math.max(left, LOOK_MS), MOST_TIMES * ms - elapsed()), () => void look());
  };
  wait(ms, () => void look());
  return end;
}
