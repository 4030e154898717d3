import { parentPort, workerData } from 'node:worker_threads';
import type { ShellAnswer, ShellRequest } from './protocol.ts';
import { runCommand } from './run.ts';

const request: ShellRequest = workerData;
const stopped = new AbortController();
// Whatever is said means: end it.
parentPort?.once('message', () => stopped.abort());

const failed = (error: unknown): ShellAnswer => ({ kind: 'failed', message: String(error).slice(0, 500) });
parentPort?.postMessage(await runCommand(request, stopped.signal).catch(failed));
parentPort?.close();
