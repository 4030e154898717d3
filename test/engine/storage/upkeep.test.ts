import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { silentLog } from '../../../engine/lib/log/log.ts';
import type { GatewayStore } from '../../../engine/storage/ports/gateway.ts';
import type { Stores } from '../../../engine/storage/ports/store.ts';
import { openGatewayStore } from '../../../engine/storage/sqlite/gateway/store.ts';
import { createStores } from '../../../engine/storage/sqlite/stores.ts';
import { startUpkeep } from '../../../engine/storage/upkeep.ts';

const DAY = 24 * 3_600_000;
const NOW = 100 * DAY;
let dataDir: string;
let stores: Stores;
let gateway: GatewayStore;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'epistle-upkeep-'));
  stores = createStores({ dataDir, maxOpen: 10 });
  gateway = openGatewayStore(':memory:');
});
afterEach(async () => {
  await stores.close();
  await gateway.close();
  rmSync(dataDir, { recursive: true, force: true });
});

it('L2: what strangers leave in the records is bounded by age and number, whatever its rate', async () => {
  const add = (count: number, at: number) =>
    gateway.recordSeen(
      Array.from({ length: count }, (_, n) => ({
        message_id: `<${at}-${n}@x>`,
        persona_id: 'ada',
        recipient: null,
        direction: 'in' as const,
        decision: 'refused' as const,
        code: 'auth_failed',
        from_address: null,
        tier: null,
        detail: null,
        subject: '',
        received_at: at,
        thread_id: null,
        run_id: null,
        mailbox: null,
        uidvalidity: null,
        uid: null,
      })),
    );
  const left = async () => (await gateway.refusalCounts()).map(({ count }) => count);
  await add(1000, NOW - 31 * DAY);
  for (let n = 0; n < 23; n += 1) await add(1000, NOW - 2000 + n);

  // Short pauses are over at once; the long ones end when the test says so, or the upkeep.
  const rounds: (() => void)[] = [];
  const sleep = (ms: number, signal?: AbortSignal) =>
    ms < 1000
      ? Promise.resolve()
      : new Promise<void>((resolve) => {
          if (ms < DAY) rounds.push(resolve);
          if (signal?.aborted) resolve();
          signal?.addEventListener('abort', () => resolve());
        });
  const clock = { now: () => NOW, sleep };
  const upkeep = startUpkeep({
    dataDir,
    stores,
    gateway,
    clock,
    log: silentLog,
    random: () => 0,
    daily: async () => {},
    quarantineDays: () => 14,
  });
  const round = async () => {
    while (rounds.length === 0) await new Promise((resolve) => setImmediate(resolve));
  };
  await round();
  expect(await left()).toEqual([20_000]);
  await add(900, NOW);
  rounds.splice(0).forEach((go) => void go());
  await round();
  expect(await left()).toEqual([20_000]);
  await upkeep.stop();
});

it('lets the row of a refused mail stay for as long as the mail is kept, or nobody would find it', async () => {
  const refused = (id: string, at: number) =>
    gateway.recordSeen([
      {
        message_id: `<${id}@x>`,
        persona_id: 'ada',
        recipient: null,
        direction: 'in' as const,
        decision: 'refused' as const,
        code: 'auth_failed',
        from_address: null,
        tier: null,
        detail: null,
        subject: '',
        received_at: at,
        thread_id: null,
        run_id: null,
        mailbox: null,
        uidvalidity: null,
        uid: null,
      },
    ]);
  await refused('young', NOW - 59 * DAY);
  await refused('old', NOW - 61 * DAY);
  const upkeep = startUpkeep({
    dataDir,
    stores,
    gateway,
    log: silentLog,
    random: () => 0,
    daily: async () => {},
    clock: {
      now: () => NOW,
      sleep: (_ms: number, signal?: AbortSignal) =>
        new Promise<void>((resolve) => {
          // It may have been stopped before it comes to its rest.
          if (signal?.aborted) resolve();
          signal?.addEventListener('abort', () => resolve());
        }),
    },
    quarantineDays: () => 60,
  });
  const rowsOf = async (id: string) => (await gateway.seenByMessageId(`<${id}@x>`)).length;
  await expect.poll(() => rowsOf('old')).toBe(0);
  await upkeep.stop();
  expect(await rowsOf('young')).toBe(1);
});
