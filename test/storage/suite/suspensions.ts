import { describe, expect, it } from 'vitest';
import type { Store } from '../../../engine/storage/ports/store.ts';
import { ownEvent } from '../../../engine/storage/types/runs.ts';
import type { Suspension, SuspensionEnd } from '../../../engine/storage/types/suspensions.ts';
import type { StorageEngine } from '../engine.ts';
import { accept, approval, claim, eachWithAStore, leased, NOON, step } from '../world.ts';

const RESTS = { status: 'waiting_approval', leased_by: null, leased_until: null, tool_calls: 1 } as const;

const waiting = (id: string): Suspension => ({
  id,
  run_id: 'r-a',
  call_id: `c-${id}`,
  tool: 'render',
  kind: 'external',
  state: 'open',
  payload: { id: 'job' },
  due_at: NOON + 60_000,
  result: null,
  created_at: NOON,
  ended_at: null,
});
const job = (id: string) => ({ id: `due-${id}`, kind: 'suspension_due', due_at: NOON, payload: '{}' });
const came = (id: string, result: object = { ok: true, result: 1 }): SuspensionEnd => ({
  id,
  state: 'resolved',
  by: 'check',
  now: NOON,
  result: { ...result },
});

async function suspended(store: Store, ...rows: readonly Suspension[]): Promise<void> {
  await accept(store, 'a');
  const events = rows.map(({ id }) => ownEvent('suspended', { suspension_id: id }));
  const jobs = rows.map(({ id }) => job(id));
  const batch = step(await leased(store), { patch: RESTS, events });
  await store.holdRun({ ...batch, suspended: rows, jobs, held: [] });
}

export const suspensionPromises = (engine: StorageEngine): void => {
  describe('a call that waits for what it began elsewhere', () => {
    const store = eachWithAStore(engine);

    it('ends once, whoever brings a result at the same time, and its run goes on', async () => {
      await suspended(store(), waiting('x'));
      expect(await claim(store())).toBeUndefined();
      const ends = [1, 2, 3].map((result) => store().endSuspension(came('x', { ok: true, result }), 'due-x'));
      expect(await Promise.all(ends)).toEqual([true, false, false]);
      expect(await store().getSuspension('x')).toMatchObject({ state: 'resolved', result: { result: 1 } });
      const resumed = (await store().runEvents('r-a')).filter(({ type }) => type === 'resumed');
      expect(resumed).toHaveLength(1);
      expect(await store().dueJobs(NOON, 10)).toEqual([]);
      expect(await claim(store())).toMatchObject({ run: { id: 'r-a' }, suspensions: [{ id: 'x' }] });
    });

    it('keeps the hash of the newest token from before it waits until it is over', async () => {
      await accept(store(), 'a');
      const lease = await leased(store());
      await store().beginSuspension({ ...waiting('x'), state: 'begun', payload: null }, 3);
      for (const sha256 of ['older', 'newer']) await store().keepToken({ id: 'x', sha256 });
      expect(await store().suspensionTokens()).toEqual([{ id: 'x', state: 'begun', sha256: 'newer' }]);
      await store().holdRun({ ...step(lease, { patch: RESTS }), suspended: [waiting('x'), waiting('y')], held: [] });
      await store().keepToken({ id: 'x', sha256: 'too late' });
      expect(await store().suspensionTokens()).toEqual([{ id: 'x', state: 'open', sha256: 'newer' }]);
      const { parts, runs, newest, day } = await store().overview(NOON);
      expect({ parts, runs, newest: newest.runs, day: day.runs }).toEqual({
        parts: [{ kind: 'external', count: 2 }],
        runs: [{ status: 'waiting_approval', count: 1 }],
        newest: { waiting_approval: 'r-a' },
        day: 1,
      });
      await store().endSuspension(came('x'), 'due-x');
      expect(await store().suspensionTokens()).toEqual([]);
      expect((await store().overview(NOON)).parts).toEqual([{ kind: 'external', count: 1 }]);
    });

    it('lets its run go on only when nothing else is open, of people or of the world', async () => {
      await accept(store(), 'a');
      const batch = step(await leased(store()), { patch: RESTS });
      const both = { suspended: [waiting('x'), waiting('y')], held: [approval('asked', 'r-a')] };
      await store().holdRun({ ...batch, ...both });
      await store().endSuspension(came('x'), 'due-x');
      await store().decideApprovals([{ id: 'asked', state: 'approved', by: 'owner', reason: null }], [], NOON);
      expect(await claim(store())).toBeUndefined();
      await store().endSuspension(came('y'), 'due-y');
      expect(await claim(store())).toMatchObject({ run: { id: 'r-a' } });
    });

    it('keeps no run waiting whose result came before it rested', async () => {
      await accept(store(), 'a');
      const lease = await leased(store());
      await store().commitStep(step(lease, { suspended: [waiting('x')], jobs: [job('x')] }));
      await store().endSuspension(came('x'), 'due-x');
      const firstSeq = (await store().runEvents('r-a')).length;
      await store().holdRun({ ...step(lease, { patch: RESTS, firstSeq }), held: [] });
      expect(await claim(store())).toMatchObject({ run: { id: 'r-a' } });
    });

    it('has a place from before it begins, of as many as may be under way', async () => {
      await accept(store(), 'a');
      const place = (id: string, change: Partial<Suspension> = {}) =>
        store().beginSuspension({ ...waiting(id), payload: null, ...change }, 2);
      expect(await Promise.all(['x', 'y', 'z'].map((id) => place(id)))).toEqual([true, true, false]);
      expect(await place('x')).toBe(true);
      expect(await place('w', { kind: 'another' })).toBe(true);
      expect([await store().suspensionsOfRun('r-a'), await store().openSuspensions('external')]).toEqual([[], []]);
      await store().dropBegun('y');
      expect(await place('z')).toBe(true);
      const batch = step(await leased(store()), { patch: RESTS });
      await store().holdRun({ ...batch, suspended: [waiting('x')], held: [] });
      expect(await store().openSuspensions('external')).toEqual([waiting('x')]);
      await store().dropBegun('x');
      expect(await place('y')).toBe(false);
    });

    it('keeps no place for a run that is over', async () => {
      await accept(store(), 'a');
      await accept(store(), 'b');
      expect(await store().beginSuspension({ ...waiting('x'), payload: null }, 1)).toBe(true);
      const of = (id: string) => ({ ...waiting(id), payload: null, run_id: 'r-b' });
      expect(await store().beginSuspension(of('y'), 1)).toBe(false);
      await store().finishRun(step(await leased(store()), { patch: { status: 'done', leased_by: null } }));
      expect(await store().beginSuspension(of('y'), 1)).toBe(true);
    });
  });
};
