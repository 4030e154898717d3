import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BudgetLimits, Reservation } from '../../../engine/storage/types/budget.ts';
import type { StorageEngine } from '../engine.ts';
import { accept, claim, DAY, eachWithAStore, leased, MIA, NOON, step, ZOE } from '../world.ts';

const LIMITS: BudgetLimits = { usd_per_run: null, usd_per_day: 1, tokens_per_run: null, runs_per_day: null };
const want = (runId: string, change: Partial<Reservation> = {}): Reservation => ({
  runId,
  day: DAY,
  inputTokens: 10,
  inputUsd: 0.1,
  usdPerOutputToken: 0.001,
  outputTokens: 200,
  leastOutputTokens: 100,
  ...change,
});

export const budgetPromises = (engine: StorageEngine): void => {
  describe('a budget', () => {
    const store = eachWithAStore(engine);

    it('is never promised twice, whatever runs want at the same time', async () => {
      const wants = fc.array(fc.record({ input: fc.nat({ max: 80 }), output: fc.integer({ min: 1, max: 900 }) }), {
        minLength: 1,
        maxLength: 12,
      });
      await fc.assert(
        fc.asyncProperty(wants, async (all) => {
          const own = await engine.openStore();
          for (const n of all.keys()) await accept(own, String(n));
          const granted = await Promise.all(
            all.map(({ input, output }, n) =>
              own.reserveBudget(
                want(`r-${n}`, { inputUsd: input / 100, outputTokens: output, leastOutputTokens: 1 }),
                LIMITS,
              ),
            ),
          );
          const promised = granted.flatMap((one) => (one !== 'in_use' && 'usd' in one ? [one.usd] : []));
          const sum = promised.reduce((total, usd) => total + usd, 0);
          expect(sum).toBeLessThanOrEqual(1 + 1e-3);
          expect((await own.budgetOfDay(DAY))?.reserved_usd ?? 0).toBeCloseTo(sum);
          await own.close();
        }),
        { numRuns: 25 },
      );
    });

    it('is spent as it turned out, and what was set aside beyond that is free again', async () => {
      await accept(store(), 'a');
      const lease = await leased(store());
      expect(await store().reserveBudget(want('r-a'), LIMITS)).toMatchObject({ outputTokens: 200, capped: null });
      await store().commitStep(step(lease, { spent: { day: DAY, usd: 0.25, tokens: 60 } }));
      expect(await store().budgetOfDay(DAY)).toMatchObject({ usd: 0.25, reserved_usd: 0, tokens: 60 });
      await store().bookLate({ runId: 'r-a', day: DAY, usd: 0.5, tokens: 1 });
      expect(await store().budgetOfDay(DAY)).toMatchObject({ usd: 0.75, tokens: 61 });
    });

    it('tells what others have only set aside from what is spent', async () => {
      for (const id of ['a', 'b', 'c']) await accept(store(), id);
      await store().reserveBudget(want('r-a', { outputTokens: 850 }), LIMITS);
      expect(await store().reserveBudget(want('r-b'), LIMITS)).toBe('in_use');
      await store().bookLate({ runId: 'r-c', day: DAY, usd: 0.95, tokens: 0 });
      expect(await store().reserveBudget(want('r-b'), LIMITS)).toEqual({ spent: 'usd_per_day' });
    });

    it('gives back what a dead process had set aside, once', async () => {
      await accept(store(), 'a');
      await store().reserveBudget(want('r-a'), LIMITS);
      await claim(store(), { instance: 'two' });
      await store().reserveBudget(want('r-a'), LIMITS);
      expect((await store().budgetOfDay(DAY))?.reserved_usd).toBeCloseTo(0.3);
    });

    it('warns once a day, whoever notices at the same time', async () => {
      await accept(store(), 'a');
      await claim(store());
      const job = (id: string) => ({ id, kind: 'waiting_notice', due_at: NOON, payload: '{}' });
      await Promise.all(['w1', 'w2'].map((id) => store().warnOnce(DAY, NOON, job(id))));
      expect((await store().dueJobs(NOON, 9)).map(({ id }) => id)).toEqual(['w1']);
    });

    it('is told of by day, and what runs cost by their sender, the dearest first', async () => {
      for (const [id, usd] of [
        ['a', 0.2],
        ['b', 0.5],
      ] as const) {
        await accept(store(), id, { after: 1 });
        const lease = await leased(store(), { now: NOON + 1 });
        const spent = { day: DAY, usd, tokens: 7 };
        await store().commitStep(step(lease, { patch: { cost_usd: usd, status: 'done' }, spent }));
      }
      const { spent } = await store().overview(NOON);
      expect(spent).toEqual([{ day: DAY, runs: 2, tokens: 14, usd: 0.7, reserved_usd: 0 }]);
      const dearest = await store().dearestRuns(0, NOON + 2, 5);
      expect(dearest.map(({ id, cost_usd }) => [id, cost_usd])).toEqual([
        ['r-b', 0.5],
        ['r-a', 0.2],
      ]);
      expect(await store().dearestRuns(0, NOON, 5)).toEqual([]);
      expect(await store().usageOfSender(0, NOON + 2, MIA)).toMatchObject({ key: MIA, runs: 2, cost_usd: 0.7 });
      expect(await store().usageOfSender(0, NOON + 2, ZOE)).toBe(undefined);
      expect((await store().listRuns({ limit: 5, sender: MIA })).map(({ id }) => id)).toEqual(['r-b', 'r-a']);
      expect(await store().listRuns({ limit: 5, sender: ZOE })).toEqual([]);
    });
  });
};
