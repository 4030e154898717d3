import { describe, expect, it } from 'vitest';
import type { ThreadMemory } from '../../../engine/storage/ports/memory/summaries.ts';
import type { Fact } from '../../../engine/storage/types/facts.ts';
import { ownEvent } from '../../../engine/storage/types/runs.ts';
import type { StorageEngine } from '../engine.ts';
import { factRow } from '../fact-worlds.ts';
import { accept, arrival, arrive, eachWithAStore, leased, MIA, message, NOON, plan, step, ZOE } from '../world.ts';

const THREAD = 't-a';
const all = { threadId: THREAD, after: 0, before: 1000, limit: 24 };

const stateOf = (text: string, change: Partial<ThreadMemory> = {}): ThreadMemory => ({
  threadId: THREAD,
  sections: { objective: text, key_facts: ['one'], decisions: [], open_loops: [], constraints: [], next: [] },
  watermark: 1,
  items: 1,
  tier: 'member',
  saidBy: MIA,
  othersWords: false,
  updatedAt: NOON,
  ...change,
});

export const summaryPromises = (engine: StorageEngine): void => {
  const store = eachWithAStore(engine);
  const keep = async (
    state: ThreadMemory,
    change: { seqs?: readonly number[]; after?: number; viewers?: readonly string[] } = {},
  ) => {
    const { seqs = [1], after = 0, viewers = [MIA] } = change;
    await store().addJobs([{ id: 'j', kind: 'summarise', due_at: NOON, payload: '{}' }]);
    return store().keepThreadMemory({
      jobId: 'j',
      runId: 'r-a',
      event: ownEvent('memory_written', {}),
      jobs: [],
      now: NOON,
      memory: { state, asked: { ...all, after }, seqs, viewers },
    });
  };
  const seen = (address: string, threadId: string | null = null) => store().threadMemory(THREAD, { address, threadId });

  describe('a summary of a thread', () => {
    it('is kept once for a job, with its event, and told to whoever it is for and to owners', async () => {
      await accept(store(), 'a');
      expect(await keep(stateOf('first'))).toBe(true);
      expect(await store().threadMemory(THREAD, null)).toEqual(stateOf('first'));
      expect(await seen(MIA)).toEqual(stateOf('first'));
      expect([await seen(ZOE), await seen(''), await seen(MIA, 't-other')]).toEqual([undefined, undefined, undefined]);
      expect(await store().threadMemoryViewers(THREAD)).toEqual([MIA]);
      expect(await store().threadMemories(5)).toEqual([stateOf('first')]);
      const again = {
        jobId: 'j',
        runId: 'r-a',
        event: ownEvent('memory_written', {}),
        memory: null,
        jobs: [],
        now: NOON,
      };
      expect(await store().keepThreadMemory(again)).toBe(false);
      expect((await store().runEvents('r-a')).filter(({ type }) => type === 'memory_written')).toHaveLength(1);
    });

    it('takes the place of the one that it was made of, and of no other', async () => {
      await accept(store(), 'a');
      await accept(store(), 'b', { thread: THREAD });
      await keep(stateOf('first'));
      await keep(stateOf('stale'), { after: 0 });
      expect((await store().threadMemory(THREAD, null))?.sections.objective).toBe('first');
      await keep(stateOf('second', { watermark: 2 }), { after: 1, seqs: [2], viewers: [] });
      expect((await store().threadMemory(THREAD, null))?.sections.objective).toBe('second');
      expect(await seen(MIA)).toBeUndefined();
    });

    it.each([
      ['of a private thread', () => store().setThreadPrivate(THREAD, NOON)],
      ['with a mail that is to be forgotten', () => store().forgetInIndex({ messages: [1] })],
      ['with a mail of somebody who is to be forgotten', () => store().forgetInIndex({ person: MIA.toUpperCase() })],
    ])('%s is not kept, and one that was there is gone', async (_, forget) => {
      await accept(store(), 'a');
      await forget();
      await keep(stateOf('first'));
      expect(await store().threadMemory(THREAD, null)).toBeUndefined();
      expect((await store().runEvents('r-a')).filter(({ type }) => type === 'memory_written')).toHaveLength(1);
    });

    it.each([
      ['is made private', () => store().setThreadPrivate(THREAD, NOON)],
      ['has a mail that is forgotten', () => store().forgetInIndex({ messages: [1] })],
      ['has somebody who is forgotten', () => store().forgetInIndex({ person: ZOE })],
    ])('goes when its thread %s, with what runs were shown of it', async (_, forget) => {
      await accept(store(), 'a');
      await arrive(store(), arrival('b'), { message: message('b', THREAD), viewers: [MIA, ZOE] });
      const lease = await leased(store());
      const shown = [
        { threadId: THREAD, sha256: 'x', text: 'of the thread' },
        { threadId: 't-other', sha256: 'y', text: 'of another' },
        { threadId: '', sha256: 'z', text: 'of all' },
      ];
      const context = { historyFrom: 0, prefixSha256: 'p', rendered: null, shown };
      await store().commitStep(step(lease, { context }));
      await keep(stateOf('first'));
      expect([...(await store().shownTexts([THREAD], ['x', 'y', 'z']))].sort()).toEqual([
        ['x', 'of the thread'],
        ['z', 'of all'],
      ]);
      await forget();
      expect(await store().threadMemory(THREAD, null)).toBeUndefined();
      expect([...(await store().shownTexts([THREAD], ['x', 'z']))]).toEqual([]);
      expect((await store().shownTexts(['t-other'], ['y'])).size).toBe(1);
    });
  });

  describe('what everybody may be told', () => {
    const forAll = (id: string, change: Partial<Fact> = {}) => factRow(id, { visibility: 'persona', ...change });
    const add = (fact: Fact, replaces: string | null = null) =>
      store().changeFacts([{ change: 'add', fact, replaces }]);
    const told = async (now = NOON) => (await store().factsForEverybody(now)).map(({ id }) => id);
    const done = (changes: number, overAt: number | null = null) =>
      store().activeWritten({ changes, room: 900, error: null, overAt, now: NOON });

    it('is in force and for everybody, newest first, and asks once for its file to be written', async () => {
      await add(factRow('mine'));
      expect(await store().activeState()).toBeUndefined();
      await add(forAll('old'));
      await add(forAll('candidate', { status: 'candidate', expires_at: NOON + 1 }));
      await add(forAll('over', { expires_at: NOON + 5 }));
      await add(forAll('new'), 'old');
      expect([await told(), await told(NOON + 5)]).toEqual([['new', 'over'], ['new']]);
      expect(await store().activeState()).toMatchObject({ changes: 4, written: 0, error: null });
      expect((await store().dueJobs(NOON + 60_000, 9)).map(({ kind }) => kind)).toEqual(['active_memory']);
      expect(await store().dueJobs(NOON, 9)).toEqual([]);
    });

    it('is to be written until the newest change is, and again when the first of it is over', async () => {
      await add(forAll('a'));
      await add(forAll('b'));
      await done(1);
      expect(await store().activeState()).toEqual({ changes: 2, written: 1, room: 900, error: null });
      expect(await store().dueJobs(NOON, 9)).toHaveLength(1);
      await done(2, NOON + 50);
      expect([await store().dueJobs(NOON, 9), await store().dueJobs(NOON + 50, 9)]).toMatchObject([[], [{}]]);
      await done(2);
      expect(await store().dueJobs(NOON + 60_000, 9)).toEqual([]);
      // One that is late does not say that less was written.
      await done(1);
      expect(await store().activeState()).toMatchObject({ written: 2 });
      await store().forgetFacts(['a']);
      expect(await store().activeState()).toMatchObject({ changes: 3, written: 2 });
      expect(await store().dueJobs(0, 9)).toHaveLength(1);
    });
  });

  describe('mails that are summarised', () => {
    it('are those of the thread between two places, with their readers, oldest first', async () => {
      await accept(store(), 'a');
      await accept(store(), 'other');
      await arrive(store(), arrival('b'), {
        message: message('b', THREAD, { tier: 'member', new_text: 'new', text: 'new and quoted' }),
        viewers: [MIA, ZOE],
      });
      const items = await store().threadItems(all);
      expect(items.map(({ seq, text, viewers }) => [seq, text, viewers])).toEqual([
        [1, 'the text of a', [MIA]],
        [3, 'new', [MIA, ZOE]],
      ]);
      expect(items[1]).toMatchObject({ tier: 'member', author: MIA, direction: 'in', othersWords: false, at: NOON });
      expect((await store().threadItems({ ...all, after: 1 })).map(({ seq }) => seq)).toEqual([3]);
      expect((await store().threadItems({ ...all, before: 3 })).map(({ seq }) => seq)).toEqual([1]);
      expect((await store().threadItems({ ...all, limit: 1 })).map(({ seq }) => seq)).toEqual([1]);
    });

    it('have words of others where an answer does by its record, whatever the mail quotes that it answers', async () => {
      await accept(store(), 'a');
      for (const id of ['b', 'c']) {
        const { run, ...arriving } = plan(id, { thread: THREAD });
        const quotes = message(id, THREAD, {
          run_id: `r-${id}`,
          tier: 'member',
          new_text: 'new',
          text: 'new and quoted',
        });
        await arrive(store(), arrival(id), { ...arriving, ...(run ? { run } : {}), message: quotes });
        const answer = message(`to-${id}`, THREAD, {
          direction: 'out',
          run_id: `r-${id}`,
          clean: id === 'b' ? 1 : null,
        });
        await arrive(store(), arrival(`to-${id}`), { message: answer, viewers: [MIA] });
      }
      const items = await store().threadItems({ ...all, after: 1 });
      expect(items.map(({ direction, othersWords }) => [direction, othersWords])).toEqual([
        ['in', false],
        ['out', false],
        ['in', false],
        ['out', true],
      ]);
    });

    it('are none that nobody proved to have written or that went to nobody', async () => {
      await accept(store(), 'a');
      for (const tier of ['unauthenticated', 'stranger'] as const)
        await arrive(store(), arrival(tier), { message: message(tier, THREAD, { tier }), viewers: [ZOE] });
      await arrive(store(), arrival('nobody'), { message: message('nobody', THREAD, { direction: 'out' }) });
      expect((await store().threadItems(all)).map(({ seq }) => seq)).toEqual([1]);
    });
  });
};
