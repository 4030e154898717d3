import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writeDurably } from '../lib/files/durable-file.ts';
import { readJson } from '../lib/json.ts';
import { personaMigrations } from '../storage/schema/persona.ts';
import { gatewayMigrations } from '../storage/sqlite/gateway/migrations.ts';
import { isWorkspaceLocked } from '../storage/sqlite/workspace-lock.ts';

const MARKER = 'schema.json';

const markerSchema = z.object({ gateway: z.int(), persona: z.int() });

/** The version to which this program brings each database. */
export const CURRENT = { gateway: gatewayMigrations.length, persona: personaMigrations.length };

/** Whether databases of a workspace were last used by a program of this version of them. */
export function isMarkedCurrent(dataDir: string): boolean {
  const path = join(dataDir, MARKER);
  const marker = existsSync(path) ? readJson(markerSchema, readFileSync(path, 'utf8')) : undefined;
  return marker?.gateway === CURRENT.gateway && marker.persona === CURRENT.persona;
}

/** Does nothing where it cannot: whoever may only read a workspace changes no database either. */
export function markCurrent(dataDir: string): void {
  try {
    writeDurably(dataDir, join(dataDir, MARKER), Buffer.from(`${JSON.stringify(CURRENT)}\n`));
  } catch {}
}

/** Whether a gateway works on it now, of whatever version. */
export const isWorkedOn = (dataDir: string): boolean => isWorkspaceLocked(dataDir);
