import { parentPort, workerData } from 'node:worker_threads';
import { answerIn } from './answer-in.ts';

// Structured clone of what answer-table.ts handed over.
parentPort?.postMessage(await answerIn(workerData));
