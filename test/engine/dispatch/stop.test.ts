import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Lane, Work } from '../../../engine/dispatch/dispatcher.ts';
import { createDispatcher } from '../../../engine/dispatch/dispatcher.ts';
import { createWorkQueue } from '../../../engine/dispatch/work-queue.ts';
import { systemClock } from '../../../engine/lib/clock.ts';
import { passThrough } from '../../../engine/lib/crash-points.ts';
import { silentLog } from '../../../engine/lib/log/log.ts';
import type { GatewayStore } from '../../../engine/storage/ports/gateway.ts';
import type { Stores } from '../../../engine/storage/ports/store.ts';
import { openGatewayStore } from '../../../engine/storage/sqlite/gateway/store.ts';
import { createStores } from '../../../engine/storage/sqlite/stores.ts';

describe('a dispatcher that is stopped while it waits for a claim', () => {
  let folder: string;
  let gateway: GatewayStore;
  let stores: Stores;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'epistle-stop-'));
    gateway = openGatewayStore(join(folder, 'gateway.db'));
    stores = createStores({ dataDir: folder, maxOpen: 8 });
  });
  afterEach(async () => {
    await stores.close();
    await gateway.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('still does the work that it gets, and only then lets go of the databases', async () => {
    const asked = Promise.withResolvers<void>();
    const claimed = Promise.withResolvers<void>();
    const worked = Promise.withResolvers<void>();
    const seen: string[] = [];
    const lane: Lane = {
      name: 'jobs',
      nextDueAt: ({ jobs: at }) => at,
      limits: () => ({ total: 1, perPersona: 1 }),
      async claim() {
        asked.resolve();
        await claimed.promise;
        const work: Work = async (store) => {
          seen.push('began');
          await worked.promise;
          await store.nextDue({ instance: 'me' });
          seen.push('ended');
        };
        return [work];
      },
    };
    const clock = systemClock();
    const dispatcher = createDispatcher({
      queue: createWorkQueue({ wakeups: gateway, clock, pass: passThrough, onAnnounced: () => {} }),
      stores,
      lanes: [lane],
      holder: { instance: 'me' },
      clock,
      log: silentLog,
      pass: passThrough,
    });
    const job = { id: 'job', kind: 'notice' as const, due_at: 0, payload: '{}' };
    await stores.use('ada', (store) => store.addJobs([job]));
    dispatcher.start();
    dispatcher.wake('ada');
    await asked.promise;
    const stopped = dispatcher.stop(5000).then(() => seen.push('stopped'));
    claimed.resolve();
    setImmediate(() => worked.resolve());
    await stopped;
    expect(seen).toEqual(['began', 'ended', 'stopped']);
  });
});
