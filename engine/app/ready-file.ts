import { rmSync } from 'node:fs';
import { readyPath } from '../queries/gateway/running.ts';

/** For whoever has just taken the lock: what is written there is about a process that is gone. */
export function forgetReady(dataDir: string): void {
  rmSync(readyPath(dataDir), { force: true });
}
