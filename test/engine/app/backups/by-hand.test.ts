import { afterEach, describe, expect, it } from 'vitest';
import { afterBackup } from '../../../../engine/app/backups/follow-schedule.ts';
import { gatewayDesk } from '../../../../engine/app/console/gateway-desk.ts';
import { repairsOf } from '../../../../engine/queries/gateway/health.ts';
import { backupPlan, backupState, keepBackupState } from '../../../../engine/queries/gateway/upkeep/backups.ts';
import { openSite } from '../../actions/site.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const FAILED = { due_at: 1000, ended_at: 1100, path: null, error: 'the disk is full' };
const STATE = { looked_until: 1000, last: FAILED, failing_since: 1000 };

describe('a backup that an owner has the gateway make', () => {
  it('is none by schedule: what is known of that stays, and is written by nobody else', async () => {
    const { workspace, close } = openSite({
      'configs/system.json': {
        backup: { schedule: '0 3 * * *', to: 'copies' },
        console: { enabled: false },
        log: { level: 'warn', format: 'json' },
      },
    });
    closers.push(close);
    await keepBackupState(workspace, STATE);
    const desk = gatewayDesk({
      workspace,
      mailboxes: {} as never,
      receive: () => Promise.reject(new Error('no mail comes here')),
    });
    expect(desk.backUp('olga@example.com')).toBe(true);
    await expect.poll(() => desk.backupAsked()?.ended?.error, { timeout: 120_000, interval: 50 }).toBeNull();
    await expect.poll(async () => (await backupPlan(workspace)).by_hand_at, { timeout: 60_000 }).not.toBeNull();
    expect(await backupState(workspace, 0)).toEqual(STATE);
    const plan = await backupPlan(workspace);
    expect(plan.last).toMatchObject({ error: 'the disk is full' });
    const healthy = { running: true, mailboxes: [], personas: [], missing_keys: [], config_errors: [] };
    const faults = (backup: object) =>
      repairsOf({ ...healthy, extensions: [], tools_waiting: [], backup } as never).map(({ cause }) => cause);
    expect(faults(plan)).toEqual([]);
    expect(faults({ ...plan, by_hand_at: null })).toEqual(['the last backup failed: the disk is full']);
  }, 240_000);

  it('ends a row of failures, so that owners hear of the next one', () => {
    const next = { dueAt: 5000, endedAt: 5100, path: null, error: 'the disk is full' };
    expect(afterBackup(STATE, next, null)).toMatchObject({ tell: false, state: { failing_since: 1000 } });
    expect(afterBackup(STATE, next, 3000)).toMatchObject({ tell: true, state: { failing_since: 5000 } });
    expect(afterBackup(STATE, next, 900)).toMatchObject({ tell: false });
    const since = { ...STATE, failing_since: 5000 };
    expect(afterBackup(since, { ...next, dueAt: 9000 }, 3000)).toMatchObject({ tell: false });
    expect(afterBackup(since, { ...next, error: null }, null)).toMatchObject({
      tell: false,
      state: { failing_since: null },
    });
  });
});
