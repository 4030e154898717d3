import { describe, expect, it } from 'vitest';
import { playbookOutcomeJob } from '../../../engine/record/jobs/job-kinds.ts';
import type {
  PlaybookOutcome,
  PlaybookScenario,
  PlaybookVersion,
} from '../../../engine/storage/types/learning/playbooks.ts';
import type { StorageEngine } from '../engine.ts';
import { accept, arrival, arrive, eachWithAStore, MIA, NOON, plan } from '../world.ts';

const version = (number: number, change: Partial<PlaybookVersion> = {}): PlaybookVersion => ({
  id: `v-${number}`,
  kind: 'answer',
  number,
  parent_id: null,
  playbook_json: `{"n":${number}}`,
  origin: 'owner',
  tainted: 0,
  score: null,
  created_at: NOON,
  ...change,
});
const outcome = (run: string, change: Partial<PlaybookOutcome> = {}): PlaybookOutcome => ({
  run_id: run,
  thread_id: 't',
  kind: 'answer',
  version_id: 'v-1',
  mode: 'none',
  succeeded: 1,
  failed: 0,
  used: 0,
  delegated: 0,
  followed: 0,
  model_calls: 2,
  tokens: 20,
  at: NOON,
  ...change,
});
const scenario = (id: string, change: Partial<PlaybookScenario> = {}): PlaybookScenario => ({
  id,
  kind: 'answer',
  run_id: `r-${id}`,
  thread_id: 't',
  verdict: 'good',
  hash: `hash of ${id}`,
  scenario_json: '{}',
  tainted: 0,
  created_at: NOON,
  used_at: NOON,
  ...change,
});

export const learningPromises = (engine: StorageEngine): void => {
  const store = eachWithAStore(engine);

  describe('a playbook', () => {
    it('H-22: is kept once under its number, and one that was made beside it is not', async () => {
      expect(await store().keepPlaybook(version(1))).toBe(true);
      expect(await store().keepPlaybook(version(1, { id: 'other' }))).toBe(false);
      expect(await store().keepPlaybook(version(3))).toBe(false);
      expect(await store().keepPlaybook(version(2))).toBe(true);
      expect((await store().playbookVersions('answer')).map(({ id }) => id)).toEqual(['v-1', 'v-2']);
      expect(await store().playbookVersion('v-2')).toEqual(version(2));
      expect(await store().learnedKinds()).toEqual(['answer']);
    });

    it('H-24: holds as the newest, or as the one that is pinned; a pin whose version is gone is told', async () => {
      expect(await store().playbookInForce('answer', 5)).toBeUndefined();
      for (const number of [1, 2]) await store().keepPlaybook(version(number));
      const inForce = async () => {
        const { version: held, pinned, pinIsGone } = (await store().playbookInForce('answer', 5)) ?? {};
        return [held?.id, pinned, pinIsGone];
      };
      expect(await inForce()).toEqual(['v-2', false, false]);
      await store().pinPlaybook('answer', 'v-1', NOON);
      expect(await inForce()).toEqual(['v-1', true, false]);
      await store().keepPlaybook(version(3), ['v-1']);
      expect(await inForce()).toEqual(['v-3', false, true]);
      await store().pinPlaybook('answer', null, NOON);
      expect(await inForce()).toEqual(['v-3', false, false]);
      expect(await store().pinnedPlaybook('answer')).toBeNull();
    });

    it('H-16: has one outcome for each run, which is judged once, anew, or not at all', async () => {
      await store().keepPlaybook(version(1));
      await store().addJobs([{ id: 'job', kind: 'playbook_outcome', due_at: NOON, payload: '{}' }]);
      await store().recordOutcome(outcome('r-1'), 'job');
      await store().recordOutcome(outcome('r-1', { succeeded: 0 }), 'job');
      await store().recordOutcome(outcome('r-2', { thread_id: 'u', version_id: null }), 'none');
      expect(await store().dueJobs(NOON, 5)).toEqual([]);
      const judge = (verdict: 'good' | 'bad' | null, now = NOON) =>
        store().giveFeedback({ runId: 'r-1', verdict, by: 'mia@member.example', now, jobs: [] });
      for (const now of [NOON, NOON + 1]) await judge('bad', now);
      expect(await store().outcomeOfRun('r-1')).toEqual({ ...outcome('r-1'), verdict: 'bad' });
      expect((await store().playbookInForce('answer', 5))?.outcomes).toHaveLength(1);
      await judge('good');
      expect((await store().outcomeOfRun('r-1'))?.verdict).toBe('good');
      await judge(null);
      expect((await store().playbookOutcomes({ kind: 'answer' }, 5)).map((each) => each.verdict)).toEqual([null, null]);
      expect((await store().newestOutcomeOfKind('answer'))?.run_id).toBe('r-2');
    });

    it('has how those went that it was made of', async () => {
      await store().keepPlaybook(version(1));
      await store().keepPlaybook(version(2, { parent_id: 'v-1' }));
      await store().keepPlaybook(version(3, { parent_id: 'v-2' }));
      await store().recordOutcome(outcome('r-1'), 'none');
      await store().recordOutcome(outcome('r-2', { version_id: 'v-2' }), 'none');
      const { outcomes, inherited } = (await store().playbookInForce('answer', 5)) ?? {};
      expect(outcomes).toEqual([]);
      expect(inherited?.map(({ run_id }) => run_id)).toEqual(['r-2', 'r-1']);
    });

    it('H-16: the run that is judged is the newest of its thread, also while it is not known yet how it went', async () => {
      await accept(store(), 'a');
      for (const id of ['b', 'c']) await accept(store(), id, { thread: 't-a' });
      await accept(store(), 'd');
      expect(await store().runToJudge('t-a')).toBeUndefined();
      await store().recordOutcome(outcome('r-a'), 'none');
      expect(await store().runToJudge('t-a')).toBe('r-a');
      await store().addJobs([playbookOutcomeJob('r-b', NOON)]);
      await store().recordOutcome(outcome('r-d', { thread_id: 't-d' }), 'none');
      expect(await store().runToJudge('t-a')).toBe('r-b');
      await store().giveFeedback({ runId: 'r-b', verdict: 'bad', by: 'x', now: NOON, jobs: [] });
      await store().recordOutcome(outcome('r-b'), playbookOutcomeJob('r-b', NOON).id);
      expect(await store().runToJudge('t-a')).toBe('r-b');
      expect((await store().outcomeOfRun('r-b'))?.verdict).toBe('bad');
    });

    it('H-17: has examples, each once; of too many the one that was not used for longest is let go', async () => {
      const keep = (one: PlaybookScenario) =>
        store().settleScenario(one.run_id, one, { jobId: `of ${one.run_id}`, most: 2 });
      const kept = async () => (await store().playbookScenarios('answer')).map(({ id }) => id);
      await store().addJobs([{ id: 'of r-a', kind: 'playbook_scenario', due_at: NOON, payload: '{}' }]);
      await keep(scenario('a'));
      expect(await store().dueJobs(NOON, 5)).toEqual([]);
      await keep(scenario('b', { hash: 'hash of a' }));
      expect(await kept()).toEqual(['a']);
      await keep(scenario('c'));
      await store().touchScenarios(['a'], NOON + 5);
      await keep(scenario('d'));
      expect(await kept()).toEqual(['a', 'd']);
      // What a run is an example of may become something else, or nothing.
      await keep(scenario('e', { run_id: 'r-d', hash: 'hash of d', verdict: 'bad' }));
      expect(await kept()).toEqual(['a', 'e']);
      await store().settleScenario('r-d', null, { jobId: 'none', most: 2 });
      expect(await kept()).toEqual(['a']);
    });

    it('says of a better version that is looked for already that it is', async () => {
      const jobs = ['one', 'other'].map((id) => ({ id, kind: 'refine', due_at: NOON, payload: '{}' }));
      const settle = (wanted: typeof jobs) =>
        store().settleScenario('r-a', null, { jobId: 'none', most: 2, jobs: wanted });
      expect(await settle(jobs.slice(0, 1))).toEqual([]);
      expect(await settle(jobs)).toEqual(['one']);
      expect((await store().dueJobs(NOON, 5)).map(({ id }) => id).sort()).toEqual(['one', 'other']);
    });

    it('H-17: has examples of several senders beside each other, however many one of them brings about', async () => {
      const keep = async (id: string, sender: string, used_at: number) => {
        const { run, ...mail } = plan(id);
        if (run) await arrive(store(), arrival(id, { sender }), { ...mail, run: { ...run, sender } });
        await store().settleScenario(`r-${id}`, scenario(id, { used_at }), { jobId: 'none', most: 4 });
      };
      await keep('a', MIA, NOON);
      await keep('b', 'bo@member.example', NOON + 1);
      await keep('c', MIA, NOON + 2);
      for (let at = 0; at < 30; at += 1) await keep(`x${at}`, 'loud@elsewhere.example', NOON + 10 + at);
      const kept = async () => (await store().playbookScenarios('answer')).map(({ id }) => id).sort();
      expect(await kept()).toEqual(['b', 'c', 'x28', 'x29']);
      await keep('d', MIA, NOON + 50);
      expect(await kept()).toEqual(['b', 'd', 'x28', 'x29'].toSorted());
      await keep('e', 'new@member.example', NOON + 51);
      expect(await kept()).toEqual(['b', 'd', 'e', 'x29']);
    });

    it.each([
      ['is made private', () => store().setThreadPrivate('t-a', NOON)],
      ['has a mail that is forgotten', () => store().forgetInIndex({ messages: [1] })],
      ['has somebody who is forgotten', () => store().forgetInIndex({ person: MIA })],
    ])(
      'H-17: an example goes when its thread %s, with those that hold words of others, and does not come back',
      async (_, forget) => {
        await accept(store(), 'a');
        const keep = (id: string, thread: string) =>
          store().settleScenario(`r-${id}`, scenario(id, { thread_id: thread }), { jobId: 'none', most: 5 });
        await keep('a', 't-a');
        await keep('b', 't-other');
        await keep('c', '');
        await forget();
        await keep('a', 't-a');
        expect((await store().playbookScenarios('answer')).map(({ id }) => id)).toEqual(['b']);
      },
    );

    it('H-26: is erased with all that belongs to its kind, and with the rest of nothing else', async () => {
      await store().keepPlaybook(version(1));
      await store().keepPlaybook(version(1, { id: 'w', kind: 'draft' }));
      await store().recordOutcome(outcome('r-1'), 'none');
      await store().settleScenario('r-a', scenario('a'), { jobId: 'none', most: 2 });
      await store().giveFeedback({ runId: 'r-1', verdict: 'bad', by: 'x', now: NOON, jobs: [] });
      expect(await store().eraseLearning('answer')).toEqual({ versions: 1, outcomes: 1, scenarios: 1 });
      expect(await store().learnedKinds()).toEqual(['draft']);
      await store().recordOutcome(outcome('r-1'), 'none');
      expect((await store().outcomeOfRun('r-1'))?.verdict).toBeNull();
      expect(await store().eraseLearning(null)).toEqual({ versions: 1, outcomes: 1, scenarios: 0 });
    });
  });
};
