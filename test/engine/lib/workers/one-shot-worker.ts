import { parentPort, workerData } from 'node:worker_threads';

const { does, ms }: { readonly does: 'wait' | 'hang'; readonly ms: number } = workerData;

// Stands still without computing, as where a machine works for others; or computes for ever.
if (does === 'wait') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
else for (;;) Math.random();
parentPort?.postMessage('done');
