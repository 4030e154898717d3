import type { Worker } from 'node:worker_threads';

const LOOK_MS = 50;
const MB = 1024 * 1024;

/**
 * Looks at the heap of a thread while it computes, and calls `tooMuch` once when it holds more than `limitMb`. The limit
 * that Node offers for a thread is no such thing: one call of `split` or `replace` on a long text allocates more than it
 * allows for in one piece, and that ends the whole process. So that limit is only the backstop far behind this one.
 */
export function watchHeap(worker: Worker, limitMb: number, tooMuch: () => void): () => void {
  let looking = false;
  let over = false;
  const look = async () => {
    if (looking || over) return;
    looking = true;
    // Rejects when the thread has ended meanwhile.
    const heap = await worker.getHeapStatistics().catch(() => null);
    looking = false;
    if (over || heap === null || heap.used_heap_size <= limitMb * MB) return;
    over = true;
    tooMuch();
  };
  const timer = setInterval(() => void look(), LOOK_MS);
  return () => {
    over = true;
    clearInterval(timer);
  };
}
