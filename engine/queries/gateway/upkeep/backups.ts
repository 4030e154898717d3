import { resolve } from 'node:path';
import { z } from 'zod';
import { iso } from '../../../lib/clock.ts';
import { readJson } from '../../../lib/json.ts';
import { readCron } from '../../../lib/schedule/cron-walls.ts';
import { nextDue } from '../../../lib/schedule/due-times.ts';
import type { Schedule } from '../../../lib/schedule/schedule.ts';
import { systemZone } from '../../../lib/schedule/zone.ts';
import type { QueryPorts } from '../../ports.ts';
import { isoOrNull } from '../../shapes.ts';

const stateSchema = z.object({
  /** Due times up to here are done with. */
  looked_until: z.number(),
  last: z
    .object({ due_at: z.number(), ended_at: z.number(), path: z.string().nullable(), error: z.string().nullable() })
    .nullable(),
  /** Since when each one has failed; null: the last one is whole. */
  failing_since: z.number().nullable(),
});

/** What became of backups by schedule. */
export type BackupState = z.infer<typeof stateSchema>;

const KEY = 'scheduled_backup';

/** `now` where none was due yet: a schedule begins when the gateway first sees it. */
export async function backupState({ gateway }: Pick<QueryPorts, 'gateway'>, now: number): Promise<BackupState> {
  const fresh: BackupState = { looked_until: now, last: null, failing_since: null };
  return readJson(stateSchema, await gateway.setting(KEY, () => JSON.stringify(fresh))) ?? fresh;
}

export const keepBackupState = ({ gateway }: Pick<QueryPorts, 'gateway'>, state: BackupState): Promise<void> =>
  gateway.changeSetting(KEY, JSON.stringify(state));

const BY_HAND = 'backup_by_hand';
const byHandSchema = z.object({ ended_at: z.number() });

/** When the last whole backup was made that somebody asked the gateway for; null: none was. A key of its own: two may be made at once. */
export const backupByHandAt = async ({ gateway }: Pick<QueryPorts, 'gateway'>): Promise<number | null> =>
  readJson(byHandSchema, (await gateway.findSetting(BY_HAND)) ?? 'null')?.ended_at ?? null;

export const keepBackupByHand = ({ gateway }: Pick<QueryPorts, 'gateway'>, endedAt: number): Promise<void> =>
  gateway.changeSetting(BY_HAND, JSON.stringify({ ended_at: endedAt } satisfies z.infer<typeof byHandSchema>));

/** Pure. The schedule of backups; null where there is none. */
export function backupSchedule(text: string | null): Schedule | null {
  const read = text === null ? null : readCron(text);
  return text !== null && read?.ok ? { kind: 'cron', text, walls: read.walls } : null;
}

export interface BackupPlan {
  readonly schedule: string | null;
  readonly to: string;
  readonly keep: number;
  readonly secrets: boolean;
  readonly next_at: string | null;
  /** The last one by schedule. */
  readonly last: { readonly at: string; readonly path: string | null; readonly error: string | null } | null;
  /** When the gateway has made the last whole one that somebody asked for. */
  readonly by_hand_at: string | null;
}

/** When backups are made by themselves, and how the last one went. */
export async function backupPlan(ports: Pick<QueryPorts, 'gateway' | 'live' | 'clock' | 'root'>): Promise<BackupPlan> {
  const { schedule: text, to, keep, secrets } = ports.live.current().system.backup;
  const now = ports.clock.now();
  const schedule = backupSchedule(text);
  const next = schedule === null ? null : nextDue(schedule, systemZone(), now);
  const last = schedule === null ? null : (await backupState(ports, now)).last;
  return {
    schedule: text,
    to: resolve(ports.root, to),
    keep,
    secrets,
    next_at: next === null ? null : iso(next),
    last: last === null ? null : { at: iso(last.ended_at), path: last.path, error: last.error },
    by_hand_at: isoOrNull(await backupByHandAt(ports)),
  };
}
