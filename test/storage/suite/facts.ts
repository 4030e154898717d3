import { describe, expect, it } from 'vitest';
import { factWords } from '../../../engine/storage/search/fact-words.ts';
import type { Fact, FactReader } from '../../../engine/storage/types/facts.ts';
import { SIZE } from '../../size.ts';
import type { StorageEngine } from '../engine.ts';
import { factRow, lookAtWorld } from '../fact-worlds.ts';
import { arrival, arrive, DAY, eachWithAStore, MIA, NOON, plan } from '../world.ts';

const OWNER = 'you@example.com';

export const factPromises = (engine: StorageEngine): void => {
  const store = eachWithAStore(engine);
  const add = (fact: Fact, replaces: string | null = null) => store().changeFacts([{ change: 'add', fact, replaces }]);
  const mia: FactReader = { address: MIA, isOwner: false, threadId: null };
  const owner: FactReader = { address: OWNER, isOwner: true, threadId: null };
  const ask = (reader: FactReader, words = '', now = NOON, limit = 10) =>
    store().factsFor(reader, { words: factWords(words), now, limit });
  const ids = (facts: readonly Fact[]) => facts.map(({ id }) => id);

  describe('what is remembered', () => {
    it('is found by its words, in other forms as well, and what has more of them comes first', async () => {
      await add(factRow('a', { text: 'Mia likes window seats on flights' }));
      await add(factRow('b', { text: 'Mia has a flight on Friday' }));
      for (let n = 0; n < 20; n += 1) await add(factRow(`x${n}`, { text: `Something else ${n}` }));
      expect(ids(await ask(mia, 'A seat for my flight, please', NOON, 2))).toEqual(['a', 'b']);
    });

    it('keeps what was replaced, which is not shown any more, and names what came after it', async () => {
      await add(factRow('nine', { text: 'The flight is at 9' }));
      await add(factRow('eleven', { text: 'The flight moved to 11', valid_from: NOON + 5 }), 'nine');
      expect(ids(await ask(mia, 'When is my flight?'))).toEqual(['eleven']);
      expect(await store().factById('nine')).toMatchObject({
        superseded_by: 'eleven',
        valid_to: NOON + 5,
        text: 'The flight is at 9',
        status: 'kept',
      });
      expect(ids(await store().nearestFacts(MIA, { words: factWords('flight'), now: NOON, limit: 5 }))).toEqual([
        'eleven',
      ]);
      // A second correction of the same row is one of its successor by then.
      await add(factRow('twelve', { text: 'The flight moved to 12' }), 'nine');
      expect((await store().factById('nine'))?.superseded_by).toBe('eleven');
    });

    it('is not shown once its time is over, before it is settled, or to whoever it is not for', async () => {
      await add(factRow('over', { expires_at: NOON }));
      await add(factRow('candidate', { status: 'candidate', expires_at: NOON + 1 }));
      await add(factRow('disputed', { status: 'disputed' }));
      await add(factRow('owner', { visibility: 'owner' }));
      expect(await ask(mia, 'the text of')).toEqual([]);
      expect(ids(await ask(owner, 'the text of'))).toEqual(['owner']);
    });

    it('of somebody is compared with what there is of them, whoever may see it', async () => {
      await add(factRow('theirs', { visibility: 'owner' }));
      await add(factRow('other', { subject: 'ben@member.example' }));
      expect(ids(await store().nearestFacts(MIA, { words: factWords('text quote'), now: NOON, limit: 5 }))).toEqual([
        'theirs',
      ]);
      expect(await store().countFacts(MIA, NOON)).toBe(1);
    });

    it('and was said again stays fresh, and is kept where it was only said once before', async () => {
      await add(factRow('c', { status: 'candidate', expires_at: NOON + 1 }));
      const refresh = {
        change: 'refresh',
        id: 'c',
        refreshed_at: NOON,
        fresh_ms: 9,
        expires_at: NOON + 9,
        keep: true,
      } as const;
      await store().changeFacts([refresh]);
      expect(await store().factById('c')).toMatchObject({ status: 'kept', expires_at: NOON + 9 });
    });

    it('does not keep what was said once and never again', async () => {
      await add(factRow('once', { status: 'candidate', expires_at: NOON - 1 }));
      await add(factRow('later'));
      expect(await store().factById('once')).toBeUndefined();
    });

    it('is forgotten with what it took the place of, and leaves that its mail is not to be asked again', async () => {
      await arrive(store(), arrival('m'), plan('m'));
      await add(factRow('nine', { source_message: 'm' }));
      await add(factRow('eleven'), 'nine');
      await add(factRow('stays'));
      await store().forgetFacts(['eleven']);
      expect(await store().factById('nine')).toMatchObject({ status: 'forgotten', text: '', quote: '', subject: '' });
      expect(ids(await store().listFacts({ limit: 9, now: NOON }))).toEqual(['stays']);
      expect(ids(await ask(mia, 'the text of'))).toEqual(['stays']);
      expect(await store().isForgottenSource('m')).toBe(true);
      expect(await store().isForgottenSource('other')).toBe(false);
    });

    it('of a person is all that they said and all that was said of them', async () => {
      await add(factRow('a'));
      await add(factRow('b', { said_by: OWNER }));
      await add(factRow('c', { subject: 'persona' }));
      await add(factRow('d', { subject: OWNER, said_by: OWNER }));
      expect([...(await store().factsOfPerson('Mia@member.example'))].sort()).toEqual(['a', 'b', 'c']);
    });
  });

  describe('whatever is remembered of whomever', () => {
    it('nobody is shown what is not for them', async () => {
      const worlds = 150 * SIZE;
      for (let seed = 1; seed <= worlds; seed += 1) await lookAtWorld(await engine.openStore(), seed);
    }, 600_000);
  });

  describe('the share of a day that remembering may spend', () => {
    const reserve = (usd: number) => store().reserveMemory({ day: DAY, usd, usdPerDay: 10, share: 0.2 });

    it('is set aside before each call, and what the call did not cost comes back', async () => {
      expect(await reserve(1.5)).toBe(true);
      expect(await reserve(1)).toBe(false);
      await store().settleMemory({ day: DAY, runId: 'r', reservedUsd: 1.5, usd: 0.5, tokens: 7 });
      expect(await reserve(1)).toBe(true);
      expect(await store().budgetOfDay(DAY)).toMatchObject({ usd: 1.5, memory_usd: 1.5, tokens: 7 });
    });

    it('is nothing where mail has spent the day', async () => {
      await store().bookLate({ runId: 'r', day: DAY, usd: 9.5, tokens: 0 });
      expect(await reserve(1)).toBe(false);
      expect(await reserve(0.5)).toBe(true);
    });

    it('has no end where the day has none', async () => {
      expect(await store().reserveMemory({ day: DAY, usd: 500, usdPerDay: null, share: 0.2 })).toBe(true);
    });
  });

  describe('a job that remembers', () => {
    it('writes what it found once, with its event and its own end', async () => {
      await arrive(store(), arrival('m'), plan('m'));
      await store().addJobs([{ id: 'remember:r-m', kind: 'remember', payload: '{}', due_at: NOON }]);
      const event = { type: 'memory_written' as const, v: 1, payload_json: '{}' };
      const end = (id: string) =>
        store().endRemembering({
          jobId: 'remember:r-m',
          runId: 'r-m',
          event,
          jobs: [],
          now: NOON,
          changes: [{ change: 'add', fact: factRow(id), replaces: null }],
        });
      expect(await end('first')).toBe(true);
      expect(await end('second')).toBe(false);
      expect(ids(await store().listFacts({ limit: 9, now: NOON }))).toEqual(['first']);
      const written = (await store().runEvents('r-m')).filter(({ type }) => type === 'memory_written');
      expect(written).toHaveLength(1);
    });
  });
};
