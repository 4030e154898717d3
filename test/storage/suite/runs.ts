import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { FencedError } from '../../../engine/storage/ports/runs.ts';
import type { Store } from '../../../engine/storage/ports/store.ts';
import { relayOf } from '../../../engine/storage/types/jobs.ts';
import type { Lease } from '../../../engine/storage/types/runs.ts';
import { mayBeTriedAgain, ownEvent } from '../../../engine/storage/types/runs.ts';
import type { StorageEngine } from '../engine.ts';
import { accept, claim, DAY, eachWithAStore, finish, leased, message, NOON, outgoing, step } from '../world.ts';

/** A mail for each, the first of a thread beginning it. */
async function acceptInThreads(store: Store, threads: readonly number[]): Promise<void> {
  for (const [n, thread] of threads.entries()) {
    const isNew = threads.indexOf(thread) === n;
    await accept(store, isNew ? `${thread}` : `${thread}-${n}`, isNew ? {} : { thread: `t-${thread}` });
  }
}

async function makeMove(store: Store, move: 'claim' | 'release' | 'finish', held: Lease[]): Promise<void> {
  if (move === 'claim') {
    const claimed = await claim(store);
    if (claimed) held.push({ runId: claimed.run.id, fence: claimed.run.fence });
    return;
  }
  const lease = held.shift();
  if (!lease) return;
  if (move === 'release') await store.releaseRun(lease, NOON);
  else await store.commitStep(step(lease, { patch: { status: 'done' } }));
}

export const runPromises = (engine: StorageEngine): void => {
  describe('looking runs up', () => {
    const store = eachWithAStore(engine);

    it('finds ids by their beginning or end, newest first, and what runs are about', async () => {
      for (const id of ['a1', 'b1', 'b2', 'b_']) await accept(store(), id);
      const like = (part: string, limit = 5) => store().idsLike({ of: 'runs', part, limit });
      expect(await like('r-b')).toEqual(['r-b_', 'r-b2', 'r-b1']);
      expect(await like('1')).toEqual(['r-b1', 'r-a1']);
      expect(await like('_')).toEqual(['r-b_']);
      expect(await like('', 1)).toEqual(['r-b_']);
      expect(await like('x')).toEqual([]);
      const { from_address: from, subject } = message('a1', 't-a1');
      expect(await store().subjectsOfRuns(['r-a1', 'r-nothing'])).toEqual([
        { run_id: 'r-a1', from, subject, helps: null },
      ]);
      expect(await store().subjectsOfRuns([])).toEqual([]);
    });
  });

  describe('claiming runs', () => {
    const store = eachWithAStore(engine);

    it('gives each to one worker, oldest first, and one per thread', async () => {
      await accept(store(), 'a');
      await accept(store(), 'b', { thread: 't-a' });
      await accept(store(), 'c');
      const claimed = await Promise.all([1, 2, 3, 4].map(() => claim(store())));
      expect(claimed.map((one) => one?.run.id)).toEqual(['r-a', 'r-c', undefined, undefined]);
      expect(await claim(store())).toBeUndefined();
    });

    it('never has two runs of one thread under way, whatever comes and goes', async () => {
      const moves = fc.array(fc.constantFrom('claim', 'release', 'finish'), { maxLength: 12 });
      const threads = fc.array(fc.nat({ max: 2 }), { minLength: 1, maxLength: 6 });
      await fc.assert(
        fc.asyncProperty(threads, moves, async (mails, todo) => {
          const own = await engine.openStore();
          await acceptInThreads(own, mails);
          const held: Lease[] = [];
          for (const move of todo) {
            await makeMove(own, move, held);
            const running = await own.listRuns({ limit: 50, status: 'running' });
            expect(new Set(running.map(({ thread_id }) => thread_id)).size).toBe(running.length);
          }
          await own.close();
        }),
        { numRuns: 25 },
      );
    });

    it('takes a dead process’s runs over at once and a live one’s only after its lease', async () => {
      await accept(store(), 'a');
      expect(await claim(store())).toMatchObject({ run: { fence: 1 }, crashes: 0 });
      expect(await claim(store(), { now: NOON + 999 })).toBeUndefined();
      expect(await claim(store(), { instance: 'two', now: NOON + 1 })).toMatchObject({ run: { fence: 2 }, crashes: 1 });
      expect(await claim(store(), { instance: 'two', now: NOON + 1001 })).toMatchObject({
        run: { fence: 3 },
        crashes: 2,
      });
    });

    it('counts a run on its day once, with its number, however many begin at once', async () => {
      for (const id of ['a', 'b', 'c', 'd']) await accept(store(), id);
      const begun = await Promise.all([1, 2, 3, 4].map(() => claim(store())));
      const numbers = begun.map((one) => {
        const started = one?.events.find(({ type }) => type === 'run_started');
        return JSON.parse(started?.payload_json ?? '{}').run_of_day;
      });
      expect(numbers).toEqual([1, 2, 3, 4]);
      await claim(store(), { instance: 'two' });
      expect(await store().budgetOfDay(DAY)).toMatchObject({ runs: 4 });
    });
  });

  describe('a worker whose lease was taken', () => {
    const store = eachWithAStore(engine);

    it('can neither commit, finish, hold, park nor put back, and nothing of what it tried is there', async () => {
      await accept(store(), 'a');
      const lease = await leased(store());
      await claim(store(), { instance: 'two' });
      const spent = { day: DAY, usd: 1, tokens: 5 };
      await expect(store().commitStep(step(lease, { spent }))).rejects.toThrow(FencedError);
      await expect(finish(store(), lease, outgoing('o1'))).rejects.toThrow(FencedError);
      await expect(store().holdRun({ ...step(lease), held: [] })).rejects.toThrow(FencedError);
      await expect(store().releaseFaulted(lease, NOON)).rejects.toThrow(FencedError);
      await expect(store().releaseRun(lease, NOON)).rejects.toThrow(FencedError);
      expect(await store().holdsLease(lease)).toBe(false);
      // The second start is that of the worker who took it.
      const events = await store().runEvents('r-a');
      expect(events.map(({ type }) => type)).toEqual(['run_queued', 'run_started', 'run_started']);
      expect(events.map(({ payload_json }) => JSON.parse(payload_json).taken_over)).toEqual([
        undefined,
        undefined,
        true,
      ]);
      expect(await store().listOutbox({ limit: 10 })).toEqual([]);
      expect(await store().dueJobs(NOON, 10)).toEqual([]);
      expect(await store().threadMessages('t-a', 10)).toHaveLength(1);
      expect(await store().budgetOfDay(DAY)).toMatchObject({ usd: 0, tokens: 0 });
    });

    it('does not take down what others commit at the same time', async () => {
      await accept(store(), 'a');
      await accept(store(), 'b');
      await claim(store());
      const live = await leased(store());
      const stale = { runId: 'r-a', fence: 99 };
      const tried = [stale, live, stale].map((lease) => store().commitStep(step(lease, { firstSeq: 2 })));
      expect((await Promise.allSettled(tried)).map(({ status }) => status)).toEqual([
        'rejected',
        'fulfilled',
        'rejected',
      ]);
      expect(await store().runEvents(live.runId)).toHaveLength(3);
    });

    it('writes nothing that is there already: two steps under one number are one', async () => {
      await accept(store(), 'a');
      const lease = await leased(store());
      const twice = [1, 2].map(() => store().commitStep(step(lease)));
      expect((await Promise.allSettled(twice)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    });
  });

  describe('a run that somebody ends by hand', () => {
    const store = eachWithAStore(engine);
    const seizure = { id: 'r-a', day: DAY, now: NOON, by: 'owner', instance: 'cli', leaseMs: 1000 };

    it('is in the hands of whoever seized it, and of no worker', async () => {
      await accept(store(), 'a');
      const lease = await leased(store());
      const seized = await store().seizeRun(seizure);
      expect(seized).toMatchObject({ run: { id: 'r-a', cancelled_by: 'owner', status: 'running' } });
      await expect(store().commitStep(step(lease))).rejects.toThrow(FencedError);
      expect(await store().seizeRun({ ...seizure, id: 'none' })).toBe('not_found');
    });

    it('stays ended', async () => {
      await accept(store(), 'a');
      await finish(store(), await leased(store()), outgoing('o1'));
      expect(await store().seizeRun(seizure)).toBe('ended');
      expect(await store().getRun('r-a')).toMatchObject({ status: 'done', cancelled_by: null });
    });

    it('is ended with what it leaves, or not at all where it got further since it was looked at', async () => {
      await accept(store(), 'a');
      await accept(store(), 'b');
      const lease = await leased(store());
      await store().commitStep(step(lease, { firstSeq: 2, patch: { tool_calls: 1 } }));
      const ended = () => [{ id: 'ended', kind: 'task_ended', due_at: NOON, payload: '{}' }];
      const cancel = { day: DAY, now: NOON, by: 'owner', ended };
      const look = async () => {
        const open = new Map((await store().openRuns()).map((one) => [one.run.id, one.loaded]));
        expect([open.size, open.get('r-b')]).toEqual([2, null]);
        const events = [ownEvent('tool_call_ended', { call_id: 'c' })];
        return [{ ...lease, lastSeq: open.get('r-a')?.events.at(-1)?.seq ?? -1, left: { events, toolEvents: [] } }];
      };
      const old = await look();
      await store().commitStep(step(lease, { firstSeq: 3 }));
      expect(await store().cancelRuns(cancel, old)).toBeNull();
      expect(await store().cancelRuns(cancel, [])).toBeNull();
      expect((await store().listRuns({ limit: 9 })).map(({ status }) => status)).toEqual(['queued', 'running']);
      expect((await store().cancelRuns(cancel, await look()))?.toSorted()).toEqual(['r-a', 'r-b']);
      const types = (await store().runEvents('r-a')).map(({ type }) => type);
      expect(types.slice(-2)).toEqual(['tool_call_ended', 'run_ended']);
    });

    it.each([
      ['failed', null],
      ['cancelled', 'cancelled'],
      ['done', 'partial'],
      ['done', 'silent:taken'],
      ['done', 'silent:nothing_to_say'],
      ['done', 'final'],
      ['done', 'clarification'],
      ['queued', null],
      ['waiting_approval', null],
    ] as const)(
      'that is %s with the outcome %s is tried again where `mayBeTriedAgain` says so',
      async (status, outcome) => {
        await accept(store(), 'a');
        await store().commitStep(step(await leased(store()), { patch: { status, outcome } }));
        const run = await store().getRun('r-a');
        if (!run) throw new Error('it is gone');
        const retried = await store().retryRun({ id: 'r-a', newId: 'n1', now: NOON, by: 'owner' });
        const isTried = typeof retried !== 'string';
        expect(mayBeTriedAgain(run)).toBe(isTried);
        expect(isTried).toBe(
          status === 'failed' || status === 'cancelled' || /^(?:partial|silent:.*)$/.test(outcome ?? ''),
        );
        expect(mayBeTriedAgain({ ...run, kind: 'delegation' })).toBe(false);
      },
    );

    it('is tried again once, whoever asks at the same time', async () => {
      await accept(store(), 'a');
      const lease = await leased(store());
      await store().commitStep(step(lease, { patch: { status: 'failed' } }));
      const retries = ['n1', 'n2', 'n3'].map((newId) => store().retryRun({ id: 'r-a', newId, now: NOON, by: 'owner' }));
      const made = (await Promise.all(retries)).map((one) => (typeof one === 'string' ? one : one.id));
      expect(made.toSorted()).toEqual(['n1', 'retried', 'retried']);
    });
  });

  describe('the end of a run', () => {
    const open: Store[] = [];
    afterEach(async () => {
      await Promise.all(open.splice(0).map((store) => store.close()));
    });

    it('is there with its reply, its mail and its jobs, also after the process is gone', async () => {
      const store = await engine.openStore('kept');
      open.push(store);
      await accept(store, 'a');
      await finish(store, await leased(store), outgoing('o1'));
      const again = await engine.openStore('kept');
      open.push(again);
      expect(await again.getRun('r-a')).toMatchObject({ status: 'done', outcome: 'final' });
      expect((await again.threadMessages('t-a', 10)).map(({ id }) => id)).toEqual(['o1', 'a']);
      expect(Buffer.from((await again.outboxRaw('o1'))?.raw ?? []).toString()).toBe('bytes of o1');
      expect((await again.dueJobs(NOON, 10)).map(({ id }) => id)).toEqual(['job']);
    });

    it('hastens what tells of the answer to a mail of ours, in a thread that a run began', async () => {
      const store = await engine.openStore('relayed');
      open.push(store);
      await accept(store, 'a');
      const first = await leased(store);
      const sent = {
        thread: { id: 't-s', kind: 'thread' as const, subject: 'Asked' },
        message: message('s', 't-s', { direction: 'out', duplicate_key: null, run_id: 'r-a' }),
        mail: outgoing('o-s', { purpose: 'call:1' }),
      };
      await store.commitStep(step(first, { outgoing: [sent] }));
      await finish(store, first, outgoing('o1'));
      await accept(store, 'b', { thread: 't-s' });
      await store.addJobs([{ id: relayOf('r-b'), kind: 'relay', due_at: NOON + 1000, payload: '{}' }]);
      await finish(store, await leased(store), outgoing('o2', { run_id: 'r-b' }));
      expect((await store.dueJobs(NOON, 10)).map(({ id }) => id).toSorted()).toEqual(['job', relayOf('r-b')]);
    });
  });
};
