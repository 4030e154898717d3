import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HookDefinition } from '#contract';
import type { PersonaEntry } from '../../../../engine/config/types.ts';
import { createJobsLane } from '../../../../engine/dispatch/jobs-lane.ts';
import { createGuard, guardedHook } from '../../../../engine/extensions/guard/guard.ts';
import { createRegistry } from '../../../../engine/extensions/registry.ts';
import type { RegisteredHook } from '../../../../engine/extensions/types.ts';
import { groupOfHookJob, hookJobs } from '../../../../engine/harness/hooks/hook-jobs.ts';
import { createHookRunner } from '../../../../engine/harness/hooks/run-hook.ts';
import { silentLog } from '../../../../engine/lib/log/log.ts';
import { hookJob } from '../../../../engine/record/jobs/job-kinds.ts';
import type { Store } from '../../../../engine/storage/ports/store.ts';
import { openStore } from '../../../../engine/storage/sqlite/persona/store.ts';
import { scriptedClock } from '../../../fakes/scripted-clock.ts';

const HANGS: HookDefinition = { on: ['run_ended'], handle: () => new Promise<never>(() => {}) };
let store: Store;
let told: string[];
beforeEach(() => {
  store = openStore(':memory:');
  told = [];
});
afterEach(() => store.close());

function hook(name: string, definition: HookDefinition): RegisteredHook {
  const code = { kind: 'hook', name, source: 'workspace', folder: '/x', file: 'x' } as const;
  const guard = createGuard(code, (failed) => void told.push(`${name}: ${failed.silenced()}`));
  return {
    name,
    manifest: { name, kind: 'hook', api: 1, summary: name, entry: 'x' } as RegisteredHook['manifest'],
    definition: guardedHook(definition, guard),
    config: {},
    secrets: () => ({}),
    log: silentLog,
    failure: guard.failure,
    silenced: guard.silenced,
    silence: guard.silence,
  };
}

function laneOf(...hooks: readonly RegisteredHook[]) {
  const registry = createRegistry(hooks);
  const clock = scriptedClock(0);
  const lane = createJobsLane({
    name: 'hooks',
    handlers: async () => [createHookRunner({ hooks: () => registry, clock, timeoutMs: 5 })],
    kinds: { names: [hookJob.name], only: true },
    limits: { total: 16, perPersona: 4 },
    groups: { most: 2, of: ({ id }) => groupOfHookJob(id) },
    holder: { instance: 'me' },
    findPersona: () => ({ state: 'ready', persona: { id: 'ada', timezone: 'UTC' } }) as unknown as PersonaEntry,
    clock,
    random: () => 0,
    log: silentLog,
  });
  const tell = (about: string) =>
    store.addJobs(
      hookJobs(
        registry,
        { name: 'run_ended', persona: 'ada', runId: null, data: {} } as unknown as Parameters<typeof hookJobs>[1],
        about,
        0,
      ),
    );
  const claim = (persona = 'ada') => lane.claim(persona, store, 4);
  const work = async (all: Awaited<ReturnType<typeof claim>>) => {
    await Promise.all(all.map((one) => one(store, new AbortController().signal)));
  };
  return { tell, claim, work, registry, clock };
}

describe('a hook that is late', () => {
  it('three times in a row hears of nothing any more, and its owners are told once', async () => {
    const { tell, claim, work, clock } = laneOf(
      hook('slow', HANGS),
      hook('quick', { on: ['run_ended'], handle: () => {} }),
    );
    for (const about of ['1', '2', '3', '4']) await tell(about);
    for (let turn = 0; turn < 8; turn += 1) {
      await work(await claim());
      await clock.advance(3_600_000);
    }
    expect(told).toEqual(['slow: it was late 3 times in a row: it has 0.005 s for an event']);
    // What it had not heard yet is let go of, and nothing new is kept for it.
    await tell('5');
    expect((await store.dueJobs(Number.MAX_SAFE_INTEGER, 10)).map(({ id }) => id)).toEqual(['hook:quick:run_ended:5']);
  });

  it('holds up no other hook, and of itself one event for each persona', async () => {
    const heard: string[] = [];
    const { tell, claim } = laneOf(
      hook('slow', HANGS),
      hook('quick', { on: ['run_ended'], handle: () => void heard.push('quick') }),
    );
    for (const about of ['1', '2']) await tell(about);
    const first = await claim();
    expect(first).toHaveLength(2);
    const worked = Promise.all(first.map((one) => one(store, new AbortController().signal)));
    await new Promise((resolve) => setImmediate(resolve));
    expect(heard).toEqual(['quick']);
    await worked;
  });
});

describe('a hook that is late now and then', () => {
  it('hears on', async () => {
    const turns = [true, true, false, true, true];
    const { tell, claim, work, clock } = laneOf(
      hook('moody', { on: ['run_ended'], handle: () => (turns.shift() ? new Promise<never>(() => {}) : undefined) }),
    );
    for (const about of ['1', '2', '3']) await tell(about);
    for (let turn = 0; turn < 8; turn += 1) {
      await work(await claim());
      await clock.advance(3_600_000);
    }
    expect(told).toEqual([]);
    expect(turns).toEqual([]);
  });
});
