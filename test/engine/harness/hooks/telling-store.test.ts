import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { HookEventName } from '#contract';
import { createRegistry } from '../../../../engine/extensions/registry.ts';
import type { RegisteredHook } from '../../../../engine/extensions/types.ts';
import { tellingStores } from '../../../../engine/harness/hooks/telling-store.ts';
import { silentLog } from '../../../../engine/lib/log/log.ts';
import type { StepBatch } from '../../../../engine/storage/ports/runs.ts';
import type { Store } from '../../../../engine/storage/ports/store.ts';
import { createStores } from '../../../../engine/storage/sqlite/stores.ts';

const hook = (...on: HookEventName[]): RegisteredHook => ({
  name: 'one',
  manifest: { name: 'one', kind: 'hook', api: 1, summary: 's', entry: 'index.ts', secrets: {}, config: {} },
  definition: { on, handle() {} },
  config: {},
  secrets: () => ({}),
  log: silentLog,
});

const BATCH: StepBatch = {
  lease: { runId: 'r1', fence: 1 },
  firstSeq: 7,
  events: [
    { type: 'context_built', v: 1, payload_json: JSON.stringify({}) },
    {
      type: 'tool_call_intended',
      v: 1,
      payload_json: JSON.stringify({ call_id: 'c1', tool: 'read_file', risk: 'read' }),
    },
    {
      type: 'tool_call_ended',
      v: 1,
      payload_json: JSON.stringify({ call_id: 'c1', tool: 'read_file', ok: true, code: null, ms: 3 }),
    },
  ],
  patch: {},
  now: 5,
};

/** What reaches the real store of a step, and what was read for it. */
async function written(hooks: readonly RegisteredHook[]) {
  const dataDir = mkdtempSync(join(tmpdir(), 'epistle-hooks-'));
  const real = createStores({ dataDir, maxOpen: 1 });
  onTestFinished(async () => {
    await real.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const heard: { batch: StepBatch | null; reads: number; store: Store | null } = { batch: null, reads: 0, store: null };
  const watched = (store: Store): Store => ({
    ...store,
    getRun: async () => {
      heard.reads += 1;
      return undefined;
    },
    commitStep: async (batch) => {
      heard.batch = batch;
    },
  });
  const registry = createRegistry(hooks);
  const stores = tellingStores(
    {
      ...real,
      use: (id, work) =>
        real.use(id, (store) => {
          heard.store = watched(store);
          return work(heard.store);
        }),
    },
    { isSilent: () => registry.size === 0, load: async () => registry },
  );
  const used = await stores.use('ada', async (store) => {
    await store.commitStep(BATCH);
    return store;
  });
  return { ...heard, isItself: used === heard.store };
}

it('is the store itself where there is no hook', async () => {
  expect(await written([])).toMatchObject({ isItself: true, reads: 0 });
});

it('hands a step on as it is, and reads nothing, where no hook listens to what is in it', async () => {
  const { batch, reads } = await written([hook('run_ended', 'delivery_sent')]);
  expect(batch).toBe(BATCH);
  expect(reads).toBe(0);
});

it('adds a job for each event that a hook listens to, in the batch of the step', async () => {
  const { batch } = await written([hook('tool_called', 'tool_ended')]);
  expect(batch?.jobs).toEqual([
    expect.objectContaining({ id: 'hook:one:tool_called:r1:8', kind: 'hook', due_at: 5 }),
    expect.objectContaining({ id: 'hook:one:tool_ended:r1:9' }),
  ]);
});
