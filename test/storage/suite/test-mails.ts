import { describe, expect, it } from 'vitest';
import { earliestId } from '../../../engine/lib/ids.ts';
import type { NewTest } from '../../../engine/storage/ports/runs.ts';
import { TEST_MAIL } from '../../../engine/storage/types/approvals.ts';
import type { NewRun } from '../../../engine/storage/types/runs.ts';
import { ownEvent } from '../../../engine/storage/types/runs.ts';
import type { StorageEngine } from '../engine.ts';
import {
  approval,
  arrival,
  claim,
  eachWithAStore,
  finish,
  leased,
  MIA,
  message,
  NOON,
  outgoing,
  step,
} from '../world.ts';

const run = (id: string): NewRun => ({
  id: `r-${id}`,
  thread_id: `t-${id}`,
  message: id,
  message_id: `<${id}@x.example>`,
  kind: 'message',
  status: 'queued',
  sender: MIA,
  tier: 'member',
  recursion: 3,
  due_at: NOON,
  created_at: NOON,
});

/** The how manyth it is makes its id, as a clock would. */
const test = (id: string, nth: number, most: NewTest['most'] = null): NewTest => ({
  begins: {
    thread: { id: `t-${id}`, kind: 'thread', subject: 'A try' },
    message: message(id, `t-${id}`, { run_id: `r-${id}` }),
    run: run(id),
    ownerMail: { ground: 'login', names: [] },
  },
  told: {
    id: earliestId(NOON + nth),
    at: NOON,
    actor: MIA,
    event: TEST_MAIL,
    run_id: `r-${id}`,
    approval_id: null,
    tool: null,
    decision: null,
    detail: {},
  },
  most,
});

export function testMailPromises(engine: StorageEngine): void {
  describe('a mail that somebody tries out', () => {
    const store = eachWithAStore(engine);

    it('leaves no mail, no job, no question and nobody who takes part, whatever its steps bring', async () => {
      expect(await store().keepTest(test('a', 1))).toBe(true);
      const lease = await leased(store());
      const more = { jobs: [{ id: 'early', kind: 'notice', due_at: NOON, payload: '{}' }] };
      await store().commitStep(step(lease, more));
      const held = { ...step(lease, { firstSeq: 7 }), held: [approval('ask', 'r-a')] };
      await expect(store().holdRun(held)).rejects.toThrow('a test');
      await finish(store(), lease, outgoing('o1'));
      expect(await store().getRun('r-a')).toMatchObject({ kind: 'test', status: 'done' });
      expect((await store().threadMessages('t-a', 10)).map(({ id }) => id)).toEqual(['o1', 'a']);
      expect(await store().dueJobs(NOON, 10)).toEqual([]);
      expect(await store().unsentOutbox()).toEqual([]);
      expect(await store().listApprovals({ limit: 10 })).toEqual([]);
      expect(await store().knownParticipants('t-a')).toEqual(new Set());
    });

    it('is in no list, is joined by no mail and counts for nobody who writes', async () => {
      await store().keepTest(test('a', 1));
      expect(await store().getThread('t-a')).toMatchObject({ kind: 'test', private_since: NOON });
      expect(await store().listThreads({ limit: 10 })).toEqual([]);
      const found = await store().readForArrival(arrival('b', { references: ['<a@x.example>'] }));
      expect(found).toMatchObject({ threads: [], senderRuns: 0 });
      expect(await store().wasLetIn(MIA)).toBe(false);
      expect(await store().earlierTexts(MIA)).toEqual([]);
      expect(await store().nameOfSender(MIA)).toBe('');
      expect(await store().usageOfSender(0, NOON + 1, MIA)).toBeUndefined();
      expect(await store().usage(0, NOON + 1, 'sender')).toMatchObject([{ key: null, runs: 1 }]);
    });

    it('does not wait where other mail does', async () => {
      await store().keepTest(test('a', 1));
      const waiting = {
        code: 'persona_paused',
        until: null,
        giveUpMs: 1000,
        tell: null,
        cause: null,
        now: NOON,
      } as const;
      expect(await store().deferUnbegun(waiting, { onlyNew: false })).toBe(0);
      const claimed = await claim(store());
      expect(claimed?.run.id).toBe('r-a');
      if (!claimed) return;
      const batch = step({ runId: 'r-a', fence: claimed.run.fence }, {});
      await expect(store().parkRun(batch, { run: claimed.run, waiting, uncount: null })).rejects.toThrow('a test');
    });

    it('is kept no more often than it may be, whoever asks at the same time', async () => {
      const most = { count: 2, since: NOON };
      const asked = ['a', 'b', 'c'].map((id, nth) => store().keepTest(test(id, nth, most)));
      expect((await Promise.all(asked)).toSorted()).toEqual([false, true, true]);
      expect(await store().countTests(MIA, NOON)).toBe(2);
      expect(await store().countTests(MIA, NOON + 2)).toBe(0);
      expect(await store().countTests('somebody@x.example', NOON)).toBe(0);
      // One that would begin no run is told of and counted all the same.
      expect(await store().keepTest({ ...test('d', 9), begins: null })).toBe(true);
      expect(await store().countTests(MIA, NOON)).toBe(3);
      expect(await store().runEvents('r-a')).toMatchObject([{ type: ownEvent('run_queued', {}).type }]);
    });
  });
}
