import { parentPort, workerData } from 'node:worker_threads';
import { pageToReadable } from '../../mail/html/to-text.ts';

parentPort?.postMessage(pageToReadable(String(workerData)));
