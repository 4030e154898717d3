import { describe, expect, it } from 'vitest';
import { sketchOf } from '../../../engine/lib/text/likeness.ts';
import type { ArrivalQuery, NewArrival } from '../../../engine/storage/ports/mail.ts';
import type { Store } from '../../../engine/storage/ports/store.ts';
import type { StorageEngine } from '../engine.ts';
import { arrival, arrive, eachWithAStore, leased, message, NOON, plan, step } from '../world.ts';

const HOUR = 3_600_000;

interface Letter {
  readonly sender?: string;
  readonly family?: string;
  readonly proven?: number;
  readonly text?: string;
}

const asked = (id: string, { sender = 'mia', family = sender, proven = 1, text = 'Hello' }: Letter = {}, now = NOON) =>
  arrival(id, {
    now,
    sender: `${sender}@x.example`,
    counted: {
      proven,
      sender,
      family,
      subject: 's',
      sketch: sketchOf({ text, subject: '', files: [] }),
      fastMs: 30_000,
    },
  });

const counted = (id: string, { counted: as }: ArrivalQuery, change: Partial<NewArrival['counted']> = {}) => {
  if (!as) throw new Error('it is not counted');
  const { fastMs: _, ...key } = as;
  return {
    ...key,
    run_id: `r-${id}`,
    thread_id: `t-${id}`,
    state: 'answered' as const,
    for_words: 0,
    in_row: 0,
    pace: 0,
    told: 0,
    until: null,
    ...change,
  };
};

/** Answers the oldest that waits. */
async function answer(store: Store): Promise<void> {
  const lease = await leased(store);
  const id = lease.runId.slice('r-'.length);
  await store.finishRun({
    ...step(lease, { patch: { status: 'done', outcome: 'final', leased_by: null, leased_until: null } }),
    reply: {
      message: message(`re-${id}`, `t-${id}`, { direction: 'out', run_id: lease.runId }),
      mail: null,
      participants: [],
    },
  });
}

/** A letter that has come and was counted; `replies`: and was answered at once. */
async function take(store: Store, id: string, letter: Letter = {}, { replies = true } = {}): Promise<void> {
  const query = asked(id, letter);
  await arrive(store, query, { ...plan(id), counted: counted(id, query) });
  if (replies) await answer(store);
}

const like = async (store: Store, letter: Letter = {}, now = NOON + 1000) =>
  (await store.readForArrival(asked('new', letter, now))).alike.map(({ run_id }) => run_id);

export function countedLetterPromises(engine: StorageEngine): void {
  describe('letters that are counted', () => {
    const store = eachWithAStore(engine);

    it('make a difference for a moment after they were answered', async () => {
      await take(store(), 'a', {}, { replies: false });
      expect(await like(store())).toEqual([]);
      await answer(store());
      expect(await like(store())).toEqual(['r-a']);
      expect(await like(store(), { sender: 'zoe' })).toEqual([]);
      expect(await like(store(), {}, NOON + 30_000)).toEqual([]);
      expect(await like(store(), {}, NOON - 24 * HOUR)).toEqual([]);
    });

    it('are those of the sender, of nearly the same words, and of like addresses where nobody is proven', async () => {
      const words = 'I am away and read your mail later';
      await take(store(), 'a', { sender: 'case-1', family: 'case', text: `${words} (1)` });
      expect(await like(store(), { sender: 'case-1', text: 'Other words' })).toEqual(['r-a']);
      expect(await like(store(), { sender: 'anna', text: `${words} (2)` })).toEqual(['r-a']);
      expect(await like(store(), { sender: 'case-2', family: 'case', text: 'Other words' })).toEqual([]);
      expect(await like(store(), { sender: 'case-1', proven: 0, text: words })).toEqual([]);
      await take(store(), 'b', { sender: 'case-3', family: 'case', proven: 0, text: 'Thank you' });
      expect(await like(store(), { sender: 'case-4', family: 'case', proven: 0, text: 'Other words' })).toEqual([
        'r-b',
      ]);
      // "Thank you" is everybody's.
      expect(await like(store(), { sender: 'anna', proven: 0, text: 'Thank you' })).toEqual([]);
    });

    it('are not hidden by what others send', async () => {
      await take(store(), 'a');
      for (let at = 0; at < 60; at += 1)
        await take(store(), `o${at}`, { sender: `o${at}`, text: `${at}` }, { replies: false });
      expect(await like(store())).toEqual(['r-a']);
    });

    it('change what an arriving one was decided on', async () => {
      const query = asked('b', {}, NOON + 1000);
      const rows = await store().readForArrival(query);
      await take(store(), 'a');
      expect(await store().keepArrival(plan('b'), { query, rows })).toBe(false);
      const again = await store().readForArrival(query);
      expect(await store().keepArrival(plan('b'), { query, rows: again })).toBe(true);
    });

    it('that were stopped hold until an owner goes on with the thread, or two hours have passed', async () => {
      const query = asked('a');
      const row = counted('a', query, { run_id: null, thread_id: 't', state: 'stopped', told: 1 });
      const stop = () =>
        store()
          .readForArrival(query)
          .then((rows) => store().keepArrival({ counted: row }, { query, rows }));
      await stop();
      expect((await like(store(), {}, NOON + HOUR)).length).toBe(1);
      expect(await like(store(), {}, NOON + 2 * HOUR)).toEqual([]);
      const owner = arrival('o');
      await arrive(store(), owner, { ...plan('o'), reopens: 't' });
      expect(await like(store(), {}, NOON + HOUR)).toEqual([]);
    });
  });
}
