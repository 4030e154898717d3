import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Lane, Work } from '../../../engine/dispatch/dispatcher.ts';
import { createDispatcher, type Dispatcher } from '../../../engine/dispatch/dispatcher.ts';
import { createWorkQueue } from '../../../engine/dispatch/work-queue.ts';
import { passThrough } from '../../../engine/lib/crash-points.ts';
import { silentLog } from '../../../engine/lib/log/log.ts';
import type { GatewayStore } from '../../../engine/storage/ports/gateway.ts';
import type { Stores } from '../../../engine/storage/ports/store.ts';
import { openGatewayStore } from '../../../engine/storage/sqlite/gateway/store.ts';
import { createStores } from '../../../engine/storage/sqlite/stores.ts';

const START = 1_790_000_000_000;
/** Longer than a wakeup is kept due after the newest bump. */
const QUIET_MS = 3000;
const DAY_MS = 24 * 3_600_000;

let folder: string;
let gateway: GatewayStore;
let stores: Stores;
let dispatchers: Dispatcher[];
let now: number;
let done: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'epistle-dispatcher-'));
  gateway = openGatewayStore(join(folder, 'gateway.db'));
  stores = createStores({ dataDir: folder, maxOpen: 8 });
  dispatchers = [];
  done = [];
  now = START;
});
afterEach(async () => {
  for (const dispatcher of dispatchers) await dispatcher.stop(0);
  await stores.close();
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Jobs are the simplest rows that are due. */
const jobs: Lane = {
  name: 'jobs',
  nextDueAt: ({ jobs: at }) => at,
  limits: () => ({ total: 8, perPersona: 1 }),
  async claim(personaId, store) {
    const [job] = await store.dueJobs(now, 1);
    if (!job) return [];
    const work: Work = async (working) => {
      await working.endJob(job.id);
      done.push(`${personaId} ${job.id}`);
    };
    return [work];
  },
};

function startDispatcher(lanes: readonly Lane[] = [jobs]): Dispatcher {
  const clock = { now: () => now, sleep: () => Promise.resolve() };
  const dispatcher: Dispatcher = createDispatcher({
    queue: createWorkQueue({ wakeups: gateway, clock, pass: passThrough, onAnnounced: (id) => dispatcher.wake(id) }),
    stores,
    lanes,
    holder: { instance: 'me', deadHolders: 'all others' },
    clock,
    log: silentLog,
    pass: passThrough,
  });
  dispatchers.push(dispatcher);
  dispatcher.start();
  return dispatcher;
}

const commit = (personaId: string, id: string, dueAt = now) =>
  stores.use(personaId, (store) => store.addJobs([{ id, kind: 'notice', due_at: dueAt, payload: '{}' }]));

const dueNow = async () => (await gateway.dueWakeups(now, 100)).map(({ personaId }) => personaId);

describe('a wakeup that was bumped', () => {
  it('is worked, stays due for a while and is lowered when nothing more comes', async () => {
    await gateway.bumpWakeup('ada', now);
    await commit('ada', 'one');
    const dispatcher = startDispatcher();
    await dispatcher.idle();
    expect(done).toEqual(['ada one']);
    expect(await dueNow()).toEqual(['ada']);

    now += QUIET_MS;
    await dispatcher.idle();
    expect(await dueNow()).toEqual([]);
    expect(await gateway.nextWakeupAt()).toBeNull();
  });

  it('is lowered to when its rows are due next', async () => {
    await gateway.bumpWakeup('ada', now);
    await commit('ada', 'later', now + 60_000);
    const dispatcher = startDispatcher();
    await dispatcher.idle();
    now += QUIET_MS;
    await dispatcher.idle();
    expect(await gateway.nextWakeupAt()).toBe(START + 60_000);
  });

  it('works what falls due while it is still kept due', async () => {
    await gateway.bumpWakeup('ada', now);
    await commit('ada', 'soon', now + 500);
    const dispatcher = startDispatcher();
    await dispatcher.idle();
    expect(done).toEqual([]);
    now += 600;
    await dispatcher.idle();
    expect(done).toEqual(['ada soon']);
  });

  it('is not forgotten over work that takes longer than it is kept due, and leaves more for soon', async () => {
    const [begun, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await gateway.bumpWakeup('ada', now);
    await commit('ada', 'long');
    const holder = { instance: 'me', deadHolders: 'all others' } as const;
    const leased: Lane = {
      ...jobs,
      async claim(_, store) {
        const job = await store.claimJob({ ...holder, now, leaseMs: DAY_MS });
        if (!job) return [];
        const work: Work = async (working) => {
          if (job.id === 'long') {
            begun.resolve();
            await mayEnd.promise;
            await working.addJobs([{ id: 'soon', kind: 'notice', due_at: now + 500, payload: '{}' }]);
          }
          await working.endJob(job.id);
          done.push(job.id);
        };
        return [work];
      },
    };
    const dispatcher = startDispatcher([leased]);
    await begun.promise;
    await vi.waitFor(async () => {
      now += QUIET_MS;
      expect(await dueNow()).toEqual([]);
    }, 90_000);
    mayEnd.resolve();
    await dispatcher.idle();
    expect(done).toEqual(['long']);
    now += 600;
    await dispatcher.idle();
    expect(done).toEqual(['long', 'soon']);
  });

  it('is not lowered when it is bumped again meanwhile', async () => {
    await gateway.bumpWakeup('ada', now);
    const dispatcher = startDispatcher();
    await dispatcher.idle();
    now += QUIET_MS / 2;
    await gateway.bumpWakeup('ada', now);
    await dispatcher.idle();
    now += QUIET_MS / 2;
    await dispatcher.idle();
    expect(await dueNow()).toEqual(['ada']);
  });

  it('still leads a new process to work that was committed after the old one had looked and died', async () => {
    await gateway.bumpWakeup('ada', now);
    const dying = startDispatcher();
    await dying.idle();
    await commit('ada', 'announced before, committed after');
    await dying.stop(0);
    await startDispatcher().idle();
    expect(done).toEqual(['ada announced before, committed after']);
  });

  it('does not hide others behind it, however many there are', async () => {
    const personas = Array.from({ length: 150 }, (_, index) => `p${String(index).padStart(3, '0')}`);
    for (const persona of personas) await gateway.bumpWakeup(persona, now);
    await commit('p149', 'last');
    const dispatcher = startDispatcher();
    for (let poll = 0; poll < 5; poll += 1) await dispatcher.idle();
    expect(done).toEqual(['p149 last']);
  });
});

describe('announcing mail after mail', () => {
  const generation = async () => (await gateway.dueWakeups(now, 1))[0]?.generation;

  it('writes once while the wakeup is sure to stay due', async () => {
    await gateway.ensureDueNow('ada', now);
    const first = await generation();
    now += 500;
    await gateway.ensureDueNow('ada', now);
    expect(await generation()).toBe(first);
    now += 1000;
    await gateway.ensureDueNow('ada', now);
    expect(await generation()).not.toBe(first);
  });
});

describe('room that was kept for a claim', () => {
  it('and is not needed is given to whoever waits for it', async () => {
    await commit('ada', 'one');
    await commit('bob', 'two');
    const [adaAsked, bobLooked, adaFound, bobAsked] = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
    const asked: string[] = [];
    let looks = 0;
    const dispatcher = startDispatcher([
      {
        name: 'jobs',
        nextDueAt: ({ jobs: at }) => at,
        limits() {
          looks += 1;
          if (looks === 2) bobLooked?.resolve();
          return { total: 1, perPersona: 1 };
        },
        async claim(personaId) {
          asked.push(personaId);
          (personaId === 'bob' ? bobAsked : adaAsked)?.resolve();
          await adaFound?.promise;
          return [];
        },
      },
    ]);
    dispatcher.wake('ada');
    await adaAsked?.promise;
    dispatcher.wake('bob');
    await bobLooked?.promise;
    expect(asked).toEqual(['ada']);
    adaFound?.resolve();
    await bobAsked?.promise;
    expect(asked).toEqual(['ada', 'bob']);
  });
});
