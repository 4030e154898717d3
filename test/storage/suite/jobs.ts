import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JobStore } from '../../../engine/storage/ports/jobs.ts';
import type { AuditRecord } from '../../../engine/storage/types/approvals.ts';
import type { NewJob } from '../../../engine/storage/types/jobs.ts';
import { NOON } from '../world.ts';

type Jobs = Pick<
  JobStore,
  'addJobs' | 'dueJobs' | 'endJob' | 'jobsNamed' | 'withdrawJob' | 'postponeJob' | 'delayJob' | 'gathered'
>;

const row: Omit<AuditRecord, 'id'> = {
  at: NOON,
  actor: 'cli',
  event: 'decision_taken_back',
  run_id: null,
  approval_id: null,
  tool: null,
  decision: null,
  detail: {},
};
const audit = (id: string): AuditRecord => ({ id, ...row });

const job = (id: string, change: Partial<NewJob> = {}): NewJob => ({
  id,
  kind: 'notice',
  due_at: NOON,
  payload: `about ${id}`,
  ...change,
});
const HOUR = 3_600_000;

/** Of a store of jobs; `open` gives an empty one. */
export const jobPromises = (open: () => Promise<Jobs & { close(): Promise<void> }>): void => {
  describe('jobs', () => {
    let jobs: Awaited<ReturnType<typeof open>>;
    beforeEach(async () => {
      jobs = await open();
    });
    afterEach(() => jobs.close());
    const due = async (now = NOON) => (await jobs.dueJobs(now, 100)).map(({ id }) => id);

    it('are there once per id, as they were first asked for', async () => {
      await Promise.all([
        jobs.addJobs([job('a'), job('b')]),
        jobs.addJobs([job('a', { payload: 'another', due_at: NOON - 1 })]),
      ]);
      expect(await jobs.dueJobs(NOON, 10)).toMatchObject([
        { id: 'a', payload: 'about a', due_at: NOON, attempts: 0 },
        { id: 'b' },
      ]);
    });

    it('are found by their ids, and taken back until they are due', async () => {
      await jobs.addJobs([job('a', { due_at: NOON + 10 }), job('b'), job('c', { due_at: NOON + 10 })]);
      expect((await jobs.jobsNamed(['c', 'none', 'a'])).map(({ id, payload }) => [id, payload])).toEqual([
        ['a', 'about a'],
        ['c', 'about c'],
      ]);
      expect(await jobs.jobsNamed([])).toEqual([]);
      expect(await jobs.withdrawJob('a', NOON + 9, audit('w-1'))).toBe(true);
      expect(await jobs.withdrawJob('a', NOON + 9, audit('w-2'))).toBe(false);
      expect(await jobs.withdrawJob('c', NOON + 10, audit('w-3'))).toBe(false);
      expect(await due(NOON + 10)).toEqual(['b', 'c']);
    });

    it('are due at their time, the longest due first', async () => {
      await fc.assert(
        fc.asyncProperty(fc.uniqueArray(fc.integer({ min: -50, max: 50 })), async (times) => {
          const own = await open();
          await own.addJobs(times.map((at) => job(`at ${at}`, { due_at: NOON + at })));
          const found = (await own.dueJobs(NOON, 100)).map(({ due_at }) => due_at - NOON);
          expect(found).toEqual(times.filter((at) => at <= 0).toSorted((a, b) => a - b));
          await own.close();
        }),
        { numRuns: 25 },
      );
    });

    it('that failed are counted, those that were only too early are not', async () => {
      await jobs.addJobs([job('a')]);
      await jobs.postponeJob('a', NOON + 5);
      expect(await due()).toEqual([]);
      await jobs.delayJob('a', NOON + 6);
      expect(await jobs.dueJobs(NOON + 6, 10)).toMatchObject([{ id: 'a', attempts: 1 }]);
      await jobs.endJob('a');
      await jobs.endJob('a');
      expect(await due(NOON + 1e9)).toEqual([]);
    });

    it('that are gathered come as the first of an hour, and one for all that came after it', async () => {
      const kind = 'undelivered' as const;
      const later = ({ since, dueAt }: { since: number; dueAt: number }) => job(`later ${since}`, { due_at: dueAt });
      const tell = (id: string, at: number) => jobs.addJobs([job(id, { due_at: at, gather: { kind, later } })]);
      for (const [n, id] of ['a', 'b', 'c'].entries()) await tell(id, NOON + n);
      expect(await due(NOON + 10)).toEqual(['a']);
      expect(await due(NOON + HOUR)).toEqual(['a', `later ${NOON}`]);
      expect(await jobs.gathered(kind)).toMatchObject({ count: 2, first_at: NOON + 1, since: NOON });
    });
  });
};
