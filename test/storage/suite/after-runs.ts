import { describe, expect, it } from 'vitest';
import type { EndedRefinement } from '../../../engine/storage/ports/learning/refinements.ts';
import type { UndoItem } from '../../../engine/storage/types/approvals.ts';
import type { PlaybookVersion } from '../../../engine/storage/types/learning/playbooks.ts';
import type { Refinement } from '../../../engine/storage/types/learning/refinements.ts';
import { ownEvent } from '../../../engine/storage/types/runs.ts';
import type { StorageEngine } from '../engine.ts';
import { accept, eachWithAStore, leased, NOON, step } from '../world.ts';

const version = (number: number): PlaybookVersion => ({
  id: `v-${number}`,
  kind: 'answer',
  number,
  parent_id: null,
  playbook_json: '{}',
  origin: 'refined',
  tainted: 0,
  score: 1,
  created_at: NOON,
});
const REFINEMENT: Refinement = {
  id: 'one',
  kind: 'answer',
  run_id: 'r-a',
  asked_by: 'runs',
  accepted: 1,
  reason: null,
  detail: null,
  from_version: 1,
  to_version: 2,
  from_score: 0,
  to_score: 1,
  examples: 3,
  at: NOON,
};
const ITEM: UndoItem = {
  id: 'u',
  run_id: 'r-a',
  thread_id: 't-a',
  call_id: 'v-2',
  tool: 'playbook version',
  arguments: {},
  result: null,
  state: 'open',
  number: null,
  notice_id: null,
  until: NOON + 1,
  decided_by: null,
  created_at: NOON,
  updated_at: NOON,
};
const ended = (change: Partial<EndedRefinement> = {}): EndedRefinement => ({
  jobId: 'job',
  refinement: REFINEMENT,
  versions: [version(2)],
  drop: [],
  shown: [],
  undo: [ITEM],
  event: ({ accepted }) => ownEvent('playbook_refined', { accepted }),
  jobs: ({ accepted }) => [{ id: `after-${accepted}`, kind: 'k', due_at: NOON, payload: '{}' }],
  ...change,
});

export const afterRunPromises = (engine: StorageEngine): void => {
  const store = eachWithAStore(engine);
  const waiting = () => store().addJobs([{ id: 'job', kind: 'refine', due_at: NOON, payload: '{}' }]);
  const recorded = async () =>
    (await store().runEvents('r-a'))
      .filter(({ type }) => type === 'playbook_refined')
      .map(({ payload_json: json }) => json);
  const due = async () => (await store().dueJobs(NOON, 9)).map(({ id }) => id);

  describe('a hook that has heard of a run', () => {
    it('leaves nothing on the record of a run that works: the places of its next events are its own', async () => {
      await accept(store(), 'a');
      const ended = { runId: 'r-a', hook: 'journal', event: 'run_started', ms: 1 };
      const heard = async () => (await store().runEvents('r-a')).filter(({ type }) => type === 'hook_ended').length;
      await waiting();
      const lease = await leased(store());
      expect(await store().endHook('job', ended, NOON)).toBe(false);
      expect([await heard(), await due()]).toEqual([0, ['job']]);
      await store().finishRun(step(lease, { patch: { status: 'done', outcome: 'final' } }));
      expect(await store().endHook('job', ended, NOON)).toBe(true);
      expect([await heard(), await due()]).toEqual([1, []]);
    });
  });

  describe('an attempt at a better version', () => {
    it('H-22: ends its job with its version, its record and what takes it back, once', async () => {
      await accept(store(), 'a');
      await store().keepPlaybook(version(1));
      await waiting();
      expect(await store().keepRefinement(ended())).toEqual(REFINEMENT);
      expect(await store().keepRefinement(ended())).toBeNull();
      expect((await store().playbookVersions('answer')).map(({ number }) => number)).toEqual([1, 2]);
      expect(await store().refinements('answer', 9)).toEqual([REFINEMENT]);
      expect(await recorded()).toEqual(['{"accepted":1}']);
      expect(await due()).toEqual(['after-1']);
      expect(await store().unnoticedUndo('learned')).toEqual([ITEM]);
    });

    it('H-22: keeps nothing where another version came first, and says so', async () => {
      await accept(store(), 'a');
      for (const number of [1, 2]) await store().keepPlaybook(version(number));
      await waiting();
      const detail = 'another version was kept meanwhile';
      const lost = { ...REFINEMENT, accepted: 0, reason: 'lost_race', detail, to_version: null };
      expect(await store().keepRefinement(ended())).toMatchObject(lost);
      expect(await store().refinements('answer', 9)).toMatchObject([lost]);
      expect([await recorded(), await due()]).toEqual([['{"accepted":0}'], ['after-0']]);
      expect(await store().unnoticedUndo('learned')).toEqual([]);
      expect(await store().eraseLearning(null)).toMatchObject({ versions: 2 });
      expect(await store().refinements('answer', 9)).toEqual([]);
    });
  });
};
