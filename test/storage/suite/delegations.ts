import { describe, expect, it } from 'vitest';
import type { Store } from '../../../engine/storage/ports/store.ts';
import type { NewDelegation, Suspension } from '../../../engine/storage/types/suspensions.ts';
import type { StorageEngine } from '../engine.ts';
import { accept, claim, DAY, eachWithAStore, leased, MIA, message, NOON, step } from '../world.ts';

const RESTS = { status: 'waiting_approval', leased_by: null, leased_until: null, tool_calls: 1 } as const;
const LIMITS = { usd_per_run: 1, usd_per_day: null, tokens_per_run: null, runs_per_day: null };

const child = (id: string, parent: string): NewDelegation => ({
  thread: { id: `t-${id}`, kind: 'thread', subject: 'A part' },
  message: message(id, `t-${id}`, { run_id: `r-${id}`, from_address: null }),
  run: {
    id: `r-${id}`,
    thread_id: `t-${id}`,
    message: id,
    message_id: `<${id}@x.example>`,
    kind: 'delegation',
    status: 'queued',
    sender: MIA,
    tier: 'member',
    recursion: 3,
    due_at: NOON,
    created_at: NOON,
    parent_run_id: parent,
  },
  packet: {
    task: 'one',
    tools: ['look'],
    files: [],
    attachments: [],
    depth: 1,
    read: [],
    readers: [],
    tainted: false,
    usd: null,
    tokens: null,
    sha256: '0'.repeat(64),
  },
});
const waitFor = (id: string, parent: string): Suspension => ({
  id: `s-${id}`,
  run_id: parent,
  call_id: `c-${id}`,
  tool: 'delegate',
  kind: 'delegation',
  state: 'open',
  payload: { run_id: `r-${id}`, timeout_s: 60 },
  due_at: NOON + 60_000,
  result: null,
  created_at: NOON,
  ended_at: null,
});

async function handedOn(store: Store, parent: string, ...ids: readonly string[]): Promise<void> {
  const batch = step(await leased(store), { patch: RESTS });
  const suspended = ids.map((id) => waitFor(id, parent));
  await store.holdRun({ ...batch, suspended, delegated: ids.map((id) => child(id, parent)), held: [] });
}
const statusOf = async (store: Store, id: string) => {
  const run = await store.getRun(id);
  return [run?.status, run?.cancelled_by];
};

export const delegationPromises = (engine: StorageEngine): void => {
  describe('a run that another one begins', () => {
    const store = eachWithAStore(engine);

    it('is due with the wait for it, knows what it was handed, and is found by no search', async () => {
      await accept(store(), 'a');
      await handedOn(store(), 'r-a', 'x', 'y');
      const first = await claim(store());
      expect(first).toMatchObject({ run: { parent_run_id: 'r-a', kind: 'delegation' } });
      expect(first?.trigger).toMatchObject({ kind: 'delegation', parentRunId: 'r-a', packet: { tools: ['look'] } });
      expect(await claim(store())).toMatchObject({ run: { parent_run_id: 'r-a' } });
      expect(await claim(store())).toBeUndefined();
    });

    it('is taken out of all hands with those below it when nobody waits for it any more', async () => {
      await accept(store(), 'a');
      await handedOn(store(), 'r-a', 'x', 'y');
      const lease = await leased(store());
      const of = lease.runId.slice(2);
      const more = { suspended: [waitFor('z', lease.runId)], delegated: [child('z', lease.runId)] };
      await store().holdRun({ ...step(lease, { patch: RESTS }), ...more, held: [] });
      const end = { id: `s-${of}`, state: 'timed_out', result: null, by: 'timer', now: NOON } as const;
      expect(await store().endSuspension(end, 'none')).toBe(true);
      expect(await statusOf(store(), `r-${of}`)).toEqual(['queued', 'timer']);
      expect(await statusOf(store(), 'r-z')).toEqual(['queued', 'timer']);
      expect(await statusOf(store(), of === 'x' ? 'r-y' : 'r-x')).toEqual(['queued', null]);
    });

    it('is over with the run that began it, when somebody ends that', async () => {
      await accept(store(), 'a');
      await handedOn(store(), 'r-a', 'x');
      const lease = await leased(store());
      const seizure = { id: 'r-a', day: DAY, now: NOON, by: 'cli', instance: 'second', leaseMs: 60_000 };
      const seized = await store().seizeRun(seizure);
      if (typeof seized === 'string') throw new Error(seized);
      const own = { runId: 'r-a', fence: seized.run.fence };
      const closing = { actor: 'cli', reason: 'cancelled' };
      const firstSeq = seized.events.length;
      await store().finishRun({ ...step(own, { patch: { status: 'cancelled', leased_by: null }, firstSeq }), closing });
      expect(await statusOf(store(), 'r-x')).toEqual(['queued', 'cli']);
      await expect(store().commitStep(step(lease))).rejects.toThrow();
    });

    it('spends of the budget of all of them, what is set aside just now included', async () => {
      await accept(store(), 'a');
      await handedOn(store(), 'r-a', 'x', 'y');
      const [one, other] = [await leased(store()), await leased(store())];
      const want = {
        day: DAY,
        inputTokens: 0,
        inputUsd: 0,
        usdPerOutputToken: 0.1,
        outputTokens: 8,
        leastOutputTokens: 4,
      };
      const reserve = ({ runId }: { readonly runId: string }) =>
        store().reserveBudget({ ...want, runId, tree: LIMITS }, LIMITS);
      expect(await reserve(one)).toMatchObject({ outputTokens: 8 });
      expect(await reserve(other)).toBe('in_use');
      await store().commitStep(step(one, { patch: { cost_usd: 0.8 }, spent: { day: DAY, usd: 0.8, tokens: 8 } }));
      expect(await reserve(other)).toEqual({ spent: 'usd_per_run' });
    });
  });
};
