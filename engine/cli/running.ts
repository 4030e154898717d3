import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isWorkspaceLocked } from '../storage/sqlite/workspace-lock.ts';

const readySchema = z.looseObject({
  pid: z.int(),
  smtp: z.looseObject({ host: z.string(), port: z.int() }).nullable(),
});

export type ReadyFile = z.infer<typeof readySchema>;

export const readyPath = (dataDir: string): string => join(dataDir, 'ready.json');

/**
 * The gateway that works on the workspace now; null when none does. The lock decides: a killed process leaves its
 * ready.json behind, and its pid may be somebody else's by now.
 */
export function runningGateway(dataDir: string): ReadyFile | null {
  const ready = readReady(dataDir);
  return ready !== null && isAlive(ready.pid) && isWorkspaceLocked(dataDir) ? ready : null;
}

/** For whoever has just taken the lock: what is written there is about a process that is gone. */
export function forgetReady(dataDir: string): void {
  rmSync(readyPath(dataDir), { force: true });
}

function readReady(dataDir: string): ReadyFile | null {
  try {
    return readySchema.parse(JSON.parse(readFileSync(readyPath(dataDir), 'utf8')));
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
