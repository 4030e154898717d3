import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PersonaEntry } from '../../../engine/config/types.ts';
import { createOverviews } from '../../../engine/queries/overviews.ts';
import { openGatewayStore } from '../../../engine/storage/sqlite/gateway/store.ts';
import { createStores } from '../../../engine/storage/sqlite/stores.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const DAY = Date.parse('2026-11-21T00:00:00Z');
const IDS = ['ada', 'bob', 'carol'];

let dataDir: string;
let ends: (() => Promise<void>)[] = [];
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'epistle-overviews-'));
});
afterEach(async () => {
  for (const end of ends.toReversed()) await end();
  ends = [];
  rmSync(dataDir, { recursive: true, force: true });
});

/** A process that works with the folder. `late`: all its file times are long ago. */
function open({ late = true, maxOpen = 10 } = {}) {
  const read: string[] = [];
  const timers: (() => void)[] = [];
  const time = { now: 0 };
  const gateway = openGatewayStore(join(dataDir, 'gateway.db'));
  const stores = createStores({
    dataDir,
    maxOpen,
    onWrite: (id) => overviews.changed(id),
    onClose: (id) => overviews.closed(id),
    fileTime: () => Date.now() + (late ? 60_000 : 0),
  });
  const overviews = createOverviews({
    gateway,
    stores: {
      stampOf: stores.stampOf,
      use: (id, work) => {
        read.push(id);
        return stores.use(id, work);
      },
    },
    pass: () => {},
    timing: {
      now: () => time.now,
      after(_, work) {
        timers.push(work);
        return () => void timers.splice(timers.indexOf(work), 1);
      },
    },
  });
  const end = async () => {
    await stores.close();
    await gateway.close();
  };
  return {
    overviews,
    end,
    /** What waits, by persona, and whom that took to be opened. */
    async look(day = DAY) {
      read.length = 0;
      const found = await overviews.of(IDS, day);
      const parked = Object.fromEntries([...found].map(([id, one]) => [id, one.parked[0]?.count ?? 0]));
      return { parked, read: [...read] };
    },
    async park(persona: string, job: string) {
      await stores.use(persona, async (store) => {
        await store.addJobs([{ id: job, kind: 'of_nobody', due_at: NOON, payload: '{}' }]);
        await store.parkJob(job, { code: 'unknown_kind', dueAt: NOON });
      });
    },
    /** Mails that wait, of these personas as they stand in a directory. */
    async count(directory: { all(): MapIterator<PersonaEntry> }) {
      read.length = 0;
      const { outbox } = await overviews.counts(directory);
      return { queued: outbox.queued, read: [...read] };
    },
    queue: (persona: string, id: string) =>
      stores.use(persona, (store) =>
        store.queueNotice('none', {
          recipients: ['bob@example.com'],
          row: {
            id,
            run_id: '',
            purpose: id,
            ordinal: 0,
            message_id: `<${id}@agents.example>`,
            kind: 'notice',
            envelope_from: '',
            raw: Buffer.from('x'),
            state: 'queued',
            next_attempt_at: NOON,
            created_at: NOON,
            updated_at: NOON,
          },
        }),
      ),
    /** All that is planned is done, and what it plans. */
    async pass(ms: number) {
      time.now += ms;
      for (const work of timers.splice(0)) work();
      await overviews.of([], DAY);
    },
  };
}

/** Another process, which is over afterwards. */
async function beside<Result>(work: (process: ReturnType<typeof open>) => Promise<Result>, how = {}): Promise<Result> {
  const process = open(how);
  try {
    return await work(process);
  } finally {
    await process.end();
  }
}

const gatewayAtWork = () => {
  const process = open();
  ends.push(process.end);
  const stop = process.overviews.watch(() => IDS);
  return { ...process, stop };
};

describe('a process that looks over all personas', () => {
  it('opens those that were written since the last one looked, and no other', async () => {
    await beside(async ({ park }) => {
      await park('ada', '1');
      await park('bob', '1');
    });
    expect(await beside(({ look }) => look())).toEqual({ parked: { ada: 1, bob: 1 }, read: ['ada', 'bob'] });
    expect(await beside(({ look }) => look())).toEqual({ parked: { ada: 1, bob: 1 }, read: [] });
    await beside(({ park }) => park('bob', '2'));
    expect(await beside(({ look }) => look())).toEqual({ parked: { ada: 1, bob: 2 }, read: ['bob'] });
    expect(await beside(({ look }) => look())).toEqual({ parked: { ada: 1, bob: 2 }, read: [] });
  });

  it('keeps nothing of a database that was written so lately that another write may have the same time', async () => {
    await beside(({ park }) => park('ada', '1'));
    const quick = { late: false };
    expect((await beside(({ look }) => look(), quick)).read).toEqual(['ada']);
    expect((await beside(({ look }) => look(), quick)).read).toEqual(['ada']);
  });

  it('sees what it has changed itself', async () => {
    const process = open();
    ends.push(process.end);
    await process.park('ada', '1');
    await process.look();
    await process.park('ada', '2');
    expect((await process.look()).parked).toEqual({ ada: 2 });
  });

  it('opens a database that was put back from a copy, and one under another name', async () => {
    const file = (id: string, more = '') => join(dataDir, 'personas', id, `persona.db${more}`);
    await beside(async ({ park }) => {
      await park('ada', '1');
      await park('bob', '1');
    });
    copyFileSync(file('ada'), file('ada', '.copy'));
    await beside(({ park }) => park('ada', '2'));
    await beside(({ look }) => look());
    renameSync(file('ada', '.copy'), file('ada'));
    expect(await beside(({ look }) => look())).toEqual({ parked: { ada: 1, bob: 1 }, read: ['ada'] });
    renameSync(join(dataDir, 'personas', 'bob'), join(dataDir, 'personas', 'carol'));
    expect(await beside(({ look }) => look())).toEqual({ parked: { ada: 1, carol: 1 }, read: ['carol'] });
  });

  it('counts runs of another day anew only where there are some since then', async () => {
    await beside(({ park }) => park('ada', '1'));
    await beside(({ look }) => look());
    expect((await beside(({ look }) => look(DAY + 86_400_000))).read).toEqual([]);
  });
});

/** Another directory for each change of the files. */
const directoryOf = (...ids: string[]) => {
  const entries = ids.map((id): PersonaEntry => ({ state: 'error', id, addresses: [], problems: [] }));
  return { all: () => new Map(entries.map((one) => [one.id, one])).values() };
};

describe('the gateway, which counts again and again', () => {
  it('adds up what has changed, and nothing of a persona that is gone', async () => {
    const gateway = gatewayAtWork();
    const directory = directoryOf('ada', 'bob');
    await gateway.queue('ada', '1');
    await gateway.queue('bob', '2');
    expect(await gateway.count(directory)).toEqual({ queued: 2, read: ['ada', 'bob'] });
    await gateway.queue('bob', '3');
    expect(await gateway.count(directory)).toEqual({ queued: 3, read: ['bob'] });
    await beside(({ queue }) => queue('ada', '4'));
    expect(await gateway.count(directory)).toMatchObject({ queued: 4 });
    expect(await gateway.count(directory)).toEqual({ queued: 4, read: [] });
    expect(await gateway.count(directoryOf('ada'))).toMatchObject({ queued: 2 });
  });

  it('hears of a persona that has its first mail', async () => {
    const gateway = gatewayAtWork();
    const directory = directoryOf('ada', 'carol');
    expect(await gateway.count(directory)).toEqual({ queued: 0, read: [] });
    await gateway.queue('carol', '1');
    await beside(({ queue }) => queue('ada', '2'));
    expect(await gateway.count(directory)).toMatchObject({ queued: 2 });
  });
});

describe('the gateway, which looks again and again', () => {
  it('opens whom it has written to, and nobody else, whatever their files look like', async () => {
    const gateway = gatewayAtWork();
    await gateway.park('ada', '1');
    expect((await gateway.look()).parked).toEqual({ ada: 1 });
    await gateway.park('bob', '1');
    expect(await gateway.look()).toEqual({ parked: { ada: 1, bob: 1 }, read: ['bob'] });
    expect((await gateway.look()).read).toEqual([]);
  });

  it('hears whom another process has written to', async () => {
    const gateway = gatewayAtWork();
    await gateway.park('ada', '1');
    await gateway.look();
    await gateway.look();
    await beside(({ park }) => park('carol', '1'));
    expect((await gateway.look()).parked).toEqual({ ada: 1, carol: 1 });
  });

  it('notices a change of which a killed process could not tell', async () => {
    const gateway = gatewayAtWork();
    await gateway.park('ada', '1');
    await gateway.look();
    const stores = createStores({ dataDir, maxOpen: 1 });
    await stores.use('ada', (store) => store.parkJob('1', { code: 'another', dueAt: NOON }));
    await stores.use('ada', (store) => store.endJob('1'));
    await stores.close();
    await gateway.look();
    expect((await gateway.look()).parked).toEqual({ ada: 0 });
  });

  it('keeps for all processes whom nobody has written to for a while', async () => {
    const gateway = gatewayAtWork();
    await gateway.park('ada', '1');
    await gateway.look();
    await gateway.park('ada', '2');
    await gateway.pass(1);
    expect((await beside(({ look }) => look())).read).toEqual(['ada']);
    await gateway.park('ada', '3');
    await gateway.pass(5000);
    expect(await beside(({ look }) => look())).toEqual({ parked: { ada: 3 }, read: [] });
  });

  it('reads in the background what an earlier build has left', async () => {
    await beside(async ({ park }) => {
      await park('ada', '1');
      await park('bob', '1');
    });
    const gateway = gatewayAtWork();
    await gateway.pass(250);
    expect(await beside(({ look }) => look())).toEqual({ parked: { ada: 1, bob: 1 }, read: [] });
  });

  it('is right again after it has stopped, and a process that does not hear of it has changed something', async () => {
    const gateway = gatewayAtWork();
    await gateway.park('ada', '1');
    await gateway.look();
    await gateway.stop();
    await beside(({ park }) => park('ada', '2'));
    expect((await gateway.look()).parked).toEqual({ ada: 2 });
  });
});
