import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../../lib/json.ts';
import type { QueryPorts } from '../ports.ts';

const readySchema = z.looseObject({
  pid: z.int(),
  smtp: z.looseObject({ host: z.string(), port: z.int() }).nullable(),
  console: z.looseObject({ url: z.string() }).nullish(),
});

export type ReadyFile = z.infer<typeof readySchema>;

export const readyPath = (dataDir: string): string => join(dataDir, 'ready.json');

/**
 * The gateway that works on the workspace now; null when none does. The lock decides: a killed process leaves its
 * ready.json behind, and its pid may be somebody else's by now.
 */
export function runningGateway({ dataDir, isLocked }: Pick<QueryPorts, 'dataDir' | 'isLocked'>): ReadyFile | null {
  const ready = readReady(dataDir);
  return ready !== null && isAlive(ready.pid) && isLocked() ? ready : null;
}

function readReady(dataDir: string): ReadyFile | null {
  try {
    return parseJson(readySchema, readFileSync(readyPath(dataDir), 'utf8'));
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
