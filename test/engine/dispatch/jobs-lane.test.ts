import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { PersonaEntry } from '../../../engine/config/types.ts';
import { createJobsLane } from '../../../engine/dispatch/jobs-lane.ts';
import { silentLog } from '../../../engine/lib/log/log.ts';
import { defineJob, handleJobs } from '../../../engine/record/jobs/jobs.ts';
import type { Store } from '../../../engine/storage/ports/store.ts';
import { openStore } from '../../../engine/storage/sqlite/persona/store.ts';
import { scriptedClock } from '../../fakes/scripted-clock.ts';

const greeting = defineJob('greeting', z.object({ to: z.string() }));
const HOUR = 3_600_000;
let store: Store;
let greeted: string[];
beforeEach(() => {
  store = openStore(':memory:');
  greeted = [];
});
afterEach(() => store.close());

const lane = (clock = scriptedClock(0), kinds = [greeting], fails: () => void = () => {}) =>
  createJobsLane({
    name: 'jobs',
    handlers: async () =>
      kinds.map((kind) =>
        handleJobs(kind, async (_persona, { id, payload }, working) => {
          greeted.push(payload.to);
          fails();
          await working.endJob(id);
        }),
      ),
    holder: { instance: 'me' },
    findPersona: () => ({ state: 'ready', persona: { id: 'ada' } }) as unknown as PersonaEntry,
    clock,
    random: () => 0,
    log: silentLog,
  });
const work = async (from: ReturnType<typeof lane>) => {
  for (const one of await from.claim('ada', store, 1)) await one(store, new AbortController().signal);
};

describe('a job of a kind that nobody here knows', () => {
  it('is parked with a code, and holds up nothing behind it', async () => {
    await store.addJobs([
      { id: 'newer', kind: 'of_a_newer_version', due_at: -1, payload: '{"x":1}' },
      greeting.job({ id: 'g', due_at: 0, payload: { to: 'bob' } }),
    ]);
    await work(lane());
    expect(greeted).toEqual(['bob']);
    expect((await store.overview(0)).parked).toEqual([
      { kind: 'of_a_newer_version', code: 'unknown_job_kind', count: 1 },
    ]);
  });

  it('is done by a version that knows it', async () => {
    await store.addJobs([greeting.job({ id: 'g', due_at: 0, payload: { to: 'bob' } })]);
    const clock = scriptedClock(0);
    await work(lane(clock, []));
    expect(greeted).toEqual([]);
    await work(lane(scriptedClock(HOUR)));
    expect(greeted).toEqual(['bob']);
    expect((await store.overview(0)).parked).toEqual([]);
  });
});

describe('a job whose payload is none of its kind', () => {
  it('is parked as well, as it is', async () => {
    await store.addJobs([{ id: 'g', kind: 'greeting', due_at: 0, payload: '{"whom":"bob"}' }]);
    await work(lane());
    expect((await store.overview(0)).parked).toEqual([{ kind: 'greeting', code: 'unreadable_job', count: 1 }]);
    expect(await store.dueJobs(HOUR, 1)).toMatchObject([{ payload: '{"whom":"bob"}' }]);
  });
});

describe('a job that finds no room to write', () => {
  const noRoom = () => {
    throw Object.assign(new Error('read-only file system'), { code: 'EROFS' });
  };

  it('is tried more often than one that fails for itself, and not for ever', async () => {
    await store.addJobs([greeting.job({ id: 'g', due_at: 0, payload: { to: 'bob' } })]);
    const clock = scriptedClock(0);
    const working = lane(clock, [greeting], noRoom);
    for (let tries = 0; tries < 300; tries += 1) {
      await work(working);
      await clock.advance(HOUR);
    }
    expect(greeted.length).toBeGreaterThan(50);
    expect(greeted.length).toBeLessThan(200);
    expect(await store.dueJobs(Number.MAX_SAFE_INTEGER, 1)).toEqual([]);
  });
});

describe('a job', () => {
  it('is written through its schema', () => {
    expect(() => greeting.job({ id: 'g', due_at: 0, payload: { whom: 'bob' } as unknown as { to: string } })).toThrow();
  });
});
