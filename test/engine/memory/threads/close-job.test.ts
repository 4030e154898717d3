import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CrashPoint } from '../../../../engine/lib/crash-points.ts';
import type { Store } from '../../../../engine/storage/ports/store.ts';
import { openStore } from '../../../../engine/storage/sqlite/persona/store.ts';
import { MIA, NOON, ZOE } from '../../../storage/world.ts';
import { rememberRig } from '../facts/remember-rig.ts';

let store: Store;
beforeEach(() => {
  store = openStore(':memory:');
});
afterEach(() => store.close());

const THREAD = 't-old';
const DAY_MS = 86_400_000;
const LATER = NOON + 15 * DAY_MS;
type Rig = ReturnType<typeof rememberRig>;

interface Asked {
  readonly assistant: string;
  readonly before: { readonly card?: { readonly text: string }; readonly notes?: unknown };
  readonly mails: readonly { readonly text: string }[];
}
const TAGS = ['harbour', 'boats', 'repairs'];
const KEYWORDS = ['Odile', 'hull', 'paint', 'pier', 'invoice'];
const card = (summary: string, change: object = {}): string =>
  JSON.stringify({ summary, tags: TAGS, keywords: KEYWORDS, ...change });

/** A model that writes down the first word of each mail. */
function cards(text: string): string {
  const { before, mails }: Asked = JSON.parse(text);
  return card([before.card?.text ?? '', ...mails.map((mail) => mail.text.split(' ')[0] ?? '')].join(' ').trim());
}
const answers: Parameters<typeof rememberRig>[1] = ({ purpose, text }) =>
  purpose === 'close' ? cards(text) : '{"facts": []}';

async function threadOf(rig: Rig, from: number, to: number, change: Parameters<Rig['mail']>[2] = {}): Promise<void> {
  for (let n = from; n < to; n += 1)
    await rig.mail(`m${n}`, `word${n} and more`, { thread_id: THREAD, received_at: rig.state.now, ...change });
  for (const job of await store.dueJobs(rig.state.now, 100)) await store.endJob(job.id);
  rig.asked.length = 0;
}
function askedFor(rig: Rig): Asked {
  const [part] = rig.asked[0]?.messages.flatMap((one) => (one.role === 'user' ? one.content : [])) ?? [];
  return JSON.parse(part?.type === 'text' ? part.text : '{}');
}
const words = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `word${from + n}`).join(' ');
const told = async (word: string, address: string | null = null) =>
  (
    await store.findClosings({
      words: [word],
      exceptThread: null,
      limit: 5,
      viewer: address === null ? null : { address, threadId: null },
    })
  ).map(({ threadId }) => threadId);

describe('B-14: a thread without mail for 14 days', () => {
  it('is closed with one card of all its mails, which goes on with those that come later', async () => {
    const rig = rememberRig(store, answers);
    await threadOf(rig, 0, 30);
    expect(await rig.closes(NOON + 13 * DAY_MS)).toBe(0);
    expect(await rig.closes(LATER)).toBe(1);
    await rig.work();
    expect(await store.closingOf(THREAD)).toMatchObject({
      text: words(0, 30),
      tags: TAGS,
      keywords: KEYWORDS,
      items: 30,
      tier: 'member',
      saidBy: MIA,
    });
    expect(rig.asked).toHaveLength(2);
    expect((await rig.events('m29')).map(({ stage, summary }) => [stage, summary?.items])).toEqual([
      ['close', 24],
      ['close', 6],
    ]);
    // The next day there is nothing to do.
    expect(await rig.closes(LATER + DAY_MS)).toBe(0);
    rig.state.now = LATER + DAY_MS;
    await threadOf(rig, 30, 32);
    expect(await rig.closes(LATER + 2 * DAY_MS)).toBe(0);
    expect(await rig.closes(LATER + 20 * DAY_MS)).toBe(1);
    await rig.work();
    expect(await store.closingOf(THREAD)).toMatchObject({ text: words(0, 32), items: 32 });
    expect(rig.asked).toHaveLength(1);
  });

  it('asks no model for a card of one short mail and what was written around it, and does so with the next mail', async () => {
    const rig = rememberRig(store, answers);
    await threadOf(rig, 0, 1);
    expect(await rig.closes(LATER)).toBe(1);
    await rig.work();
    expect(rig.asked).toEqual([]);
    expect(await store.closingOf(THREAD)).toMatchObject({ text: '', items: 0 });
    expect(await rig.closes(LATER + DAY_MS)).toBe(0);
    rig.state.now = LATER + DAY_MS;
    await threadOf(rig, 1, 2);
    expect(await rig.closes(LATER + 20 * DAY_MS)).toBe(1);
    await rig.work();
    expect(await store.closingOf(THREAD)).toMatchObject({ text: words(0, 2), items: 2 });
    expect(askedFor(rig)).toMatchObject({ assistant: 'Ada' });
  });

  it('has a card of one mail where that is longer than a card', async () => {
    const rig = rememberRig(store, answers);
    await rig.mail('m0', `word0 ${'and more '.repeat(100)}`, { thread_id: THREAD, received_at: rig.state.now });
    for (const job of await store.dueJobs(rig.state.now, 100)) await store.endJob(job.id);
    await rig.closes(LATER);
    await rig.work();
    expect(await store.closingOf(THREAD)).toMatchObject({ text: 'word0', items: 1 });
  });

  it('begins with what is summarised of it already', async () => {
    const notes = { objective: 'Plan', key_facts: ['old'], decisions: [], open_loops: [], constraints: [], next: [] };
    const rig = rememberRig(store, (asked) => (asked.purpose === 'summarise' ? JSON.stringify(notes) : answers(asked)));
    await threadOf(rig, 0, 10);
    await rig.summarises('m9', 8);
    await rig.work();
    rig.asked.length = 0;
    await rig.closes(LATER);
    await rig.work();
    const asked = askedFor(rig);
    expect(asked.before).toEqual({ notes });
    expect(asked.mails).toHaveLength(3);
    expect(await store.closingOf(THREAD)).toMatchObject({ items: 10 });
  });

  it.each([
    ['a word too many', card(`${'word '.repeat(121)}`)],
    ['two tags', card('fine', { tags: ['a', 'b', 'b'] })],
    ['four keywords', card('fine', { keywords: ['a', 'b', 'c', 'd'] })],
    ['another field', card('fine', { rules: [] })],
    ['no JSON', '{nothing'],
  ])(
    'has no card where its model says %s three times, and is not asked about it again before new mail',
    async (_, said) => {
      const rig = rememberRig(store, (asked) => (asked.purpose === 'close' ? said : answers(asked)));
      await threadOf(rig, 0, 3);
      await rig.closes(LATER);
      await rig.work();
      expect(rig.asked).toHaveLength(3);
      expect(await store.closingOf(THREAD)).toMatchObject({ text: '' });
      expect((await rig.events('m2')).at(-1)).toMatchObject({ stage: 'close', code: 'unparsable' });
      expect(await rig.closes(LATER + DAY_MS)).toBe(0);
    },
  );

  it('has eight tags and ten keywords at most', async () => {
    const many = Array.from({ length: 20 }, (_, n) => `label${n}`);
    const rig = rememberRig(store, (asked) =>
      asked.purpose === 'close' ? card('fine', { tags: many, keywords: many }) : answers(asked),
    );
    await threadOf(rig, 0, 3);
    await rig.closes(LATER);
    await rig.work();
    const closing = await store.closingOf(THREAD);
    expect([closing?.tags.length, closing?.keywords.length]).toEqual([8, 10]);
  });

  it('is left open by a mail that comes before its card is written', async () => {
    const rig = rememberRig(store, answers);
    await threadOf(rig, 0, 3);
    await rig.closes(LATER);
    await rig.mail('m9', 'word9 and more', { thread_id: THREAD, received_at: LATER });
    await rig.work();
    expect(rig.asked.filter(({ system }) => system.join('').startsWith('A conversation'))).toEqual([]);
    expect(await store.closingOf(THREAD)).toBeUndefined();
  });
});

describe('B-21: the job that closes a thread', () => {
  it.each<CrashPoint>(['closing.begun', 'closing.made', 'run.event.memory_written'])(
    'killed at %s leaves one card',
    async (label) => {
      const rig = rememberRig(store, answers);
      await threadOf(rig, 0, 30);
      await rig.closes(LATER);
      rig.state.dieAt = label;
      await rig.work();
      expect(rig.state.dieAt).toBeNull();
      expect((await store.closingOf(THREAD))?.text).toBe(words(0, 30));
      expect((await rig.events('m29')).filter(({ stage }) => stage === 'close')).toHaveLength(2);
      expect(await store.dueJobs(rig.state.now, 9)).toEqual([]);
    },
  );

  it('asks no model where the share of the day is spent, and is asked for again', async () => {
    const rig = rememberRig(store, answers, 0.0001);
    await threadOf(rig, 0, 3);
    await rig.closes(LATER);
    await rig.work();
    expect(rig.asked).toEqual([]);
    expect((await rig.events('m2')).at(-1)).toMatchObject({ stage: 'close', code: 'budget' });
    expect(await rig.closes(LATER + DAY_MS)).toBe(1);
  });
});

describe('the card of a closed thread', () => {
  it('is found by its words, tags and keywords, by whoever may see all that it was made of', async () => {
    const rig = rememberRig(store, answers);
    await threadOf(rig, 0, 2, { viewers: [MIA, ZOE] });
    await threadOf(rig, 2, 3);
    await rig.closes(LATER);
    await rig.work();
    for (const word of ['word1', 'harbour', 'Odile', 'invoice']) expect(await told(word), word).toEqual([THREAD]);
    expect(await told('zebra')).toEqual([]);
    expect([await told('harbour', MIA), await told('harbour', ZOE), await told('harbour', '')]).toEqual([
      [THREAD],
      [],
      [],
    ]);
    const known = { address: MIA, threadId: 't-other' };
    expect(await store.findClosings({ words: ['harbour'], viewer: known, exceptThread: null, limit: 5 })).toEqual([]);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['its thread is made private', () => store.setThreadPrivate(THREAD, LATER)],
    ['a mail of it is forgotten', () => store.forgetInIndex({ messages: [2] })],
    ['its author is forgotten', () => store.forgetInIndex({ person: MIA })],
  ])('is gone when %s', async (_, forget) => {
    const rig = rememberRig(store, answers);
    await threadOf(rig, 0, 4);
    await rig.closes(LATER);
    await rig.work();
    expect(await told('harbour')).toEqual([THREAD]);
    await forget();
    expect([await told('harbour'), await store.closingOf(THREAD)]).toEqual([[], undefined]);
  });

  it('has no word of a mail that was forgotten while it was written', async () => {
    const rig = rememberRig(store, async (asked) => {
      if (asked.purpose === 'close' && asked.text.includes('word2')) await store.forgetInIndex({ messages: [3] });
      return answers(asked);
    });
    await threadOf(rig, 0, 5);
    await rig.closes(LATER);
    await rig.work();
    expect(await store.closingOf(THREAD)).toBeUndefined();
    await rig.closes(LATER + DAY_MS);
    await rig.work();
    expect((await store.closingOf(THREAD))?.text).toBe('word0 word1 word3 word4');
  });
});
