import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CrashPoint } from '../../../../engine/lib/crash-points.ts';
import type { Sections } from '../../../../engine/storage/ports/memory/summaries.ts';
import type { Store } from '../../../../engine/storage/ports/store.ts';
import { openStore } from '../../../../engine/storage/sqlite/persona/store.ts';
import { DAY, MIA, NOON, ZOE } from '../../../storage/world.ts';
import { rememberRig } from '../facts/remember-rig.ts';

let store: Store;
beforeEach(() => {
  store = openStore(':memory:');
});
afterEach(() => store.close());

const THREAD = 't-long';
const BOTH = { viewers: [MIA, ZOE] };
type Rig = ReturnType<typeof rememberRig>;

interface Asked {
  readonly notes: Sections | null;
  readonly mails: readonly { readonly from: string; readonly text: string }[];
}

/** A model that writes down the first word of each mail. */
function notes(text: string): string {
  const { notes: before, mails }: Asked = JSON.parse(text);
  const words = mails.map((mail) => mail.text.split(' ')[0] ?? '');
  return JSON.stringify({
    objective: 'Plan',
    decisions: [],
    open_loops: ['the hotel'],
    constraints: [],
    next: [],
    key_facts: [[...(before?.key_facts ?? []), ...words].join(' ')],
  });
}
const asks: Parameters<typeof rememberRig>[1] = ({ purpose, text }) =>
  purpose === 'summarise' ? notes(text) : '{"facts": []}';

async function threadOf(rig: Rig, mails: number, change: Parameters<Rig['mail']>[2] = {}): Promise<void> {
  for (let n = 0; n < mails; n += 1) await rig.mail(`m${n}`, `word${n} and more`, { thread_id: THREAD, ...change });
  for (const job of await store.dueJobs(NOON, 100)) await store.endJob(job.id);
  rig.asked.length = 0;
}

const known = async () =>
  ((await store.threadMemory(THREAD, null))?.sections.key_facts ?? []).flatMap((line) => line.split(' '));
const words = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `word${from + n}`);

describe('a thread whose first mails are not shown any more', () => {
  it('is summarised up to what is shown, 24 mails at a time, and later from there on', async () => {
    const rig = rememberRig(store, asks);
    await threadOf(rig, 60);
    await rig.summarises('m59', 51);
    await rig.work();
    expect(await known()).toEqual(words(0, 50));
    expect(rig.asked).toHaveLength(3);
    expect(await store.threadMemory(THREAD, null)).toMatchObject({
      watermark: 50,
      items: 50,
      tier: 'member',
      saidBy: MIA,
      othersWords: false,
    });
    expect((await rig.events('m59')).map(({ stage, summary }) => [stage, summary?.items])).toEqual([
      ...[24, 24, 2].map((items) => ['summarise', items]),
    ]);
    await rig.summarises('m58', 56);
    await rig.work();
    expect(await known()).toEqual(words(0, 55));
    const shown: Asked = JSON.parse(asText(rig));
    expect(shown.mails.map(({ text }) => text.split(' ')[0])).toEqual(words(50, 55));
    // Nothing is new: no model is asked.
    await rig.summarises('m57', 56);
    await rig.work();
    expect(rig.asked).toHaveLength(4);
  });

  it('asks for at most 800 tokens, and says whose words they are', async () => {
    const rig = rememberRig(store, asks);
    await threadOf(rig, 3);
    await rig.summarises('m2', 3);
    await rig.work();
    expect(rig.asked.at(-1)).toMatchObject({ maxOutputTokens: 800, tools: [] });
    expect(asText(rig)).toContain(`"from":"${MIA}"`);
  });

  it('passes nothing that it has not seen: what does not fit comes with the next', async () => {
    const rig = rememberRig(store, asks);
    for (let n = 0; n < 12; n += 1) await rig.mail(`m${n}`, `word${n} ${'x'.repeat(4000)}`, { thread_id: THREAD });
    await rig.work();
    rig.asked.length = 0;
    await rig.summarises('m11', 12);
    await rig.work();
    expect(await known()).toEqual(words(0, 11));
    expect(rig.asked).toHaveLength(2);
  });
});

const asText = (rig: Rig): string => {
  const [part] = rig.asked.at(-1)?.messages.flatMap((one) => (one.role === 'user' ? one.content : [])) ?? [];
  return part?.type === 'text' ? part.text : '';
};

describe('B-21: the job', () => {
  it.each<CrashPoint>(['summary.begun', 'summary.made', 'run.event.memory_written'])(
    'killed at %s leaves one summary',
    async (label) => {
      const rig = rememberRig(store, asks);
      await threadOf(rig, 30);
      await rig.summarises('m29', 29);
      rig.state.dieAt = label;
      await rig.work();
      expect(rig.state.dieAt).toBeNull();
      expect(await known()).toEqual(words(0, 28));
      expect((await rig.events('m29')).filter(({ stage }) => stage === 'summarise')).toHaveLength(2);
      expect(await store.dueJobs(rig.state.now, 9)).toEqual([]);
    },
  );

  it.each([
    ['nobody answers', 'unavailable', 'provider', 3],
    ['its model says no JSON', '{nothing', 'unparsable', 1],
    [
      'its model adds a section',
      '{"objective":"","key_facts":[],"decisions":[],"open_loops":[],"constraints":[],"next":[],"rules":[]}',
      'unparsable',
      1,
    ],
    [
      'its model copies',
      JSON.stringify({
        ...JSON.parse(notes('{"notes":null,"mails":[]}')),
        next: Array.from({ length: 30 }, () => 'x'.repeat(900)),
      }),
      'unparsable',
      1,
    ],
  ])('where %s ends after its tries and leaves what there was', async (_, answer, code, tries) => {
    const said = { now: '' };
    const rig = rememberRig(store, (asked) =>
      asked.purpose === 'summarise' && said.now !== '' ? (said.now as 'unavailable') : asks(asked),
    );
    await threadOf(rig, 10);
    await rig.summarises('m9', 5);
    await rig.work();
    said.now = answer;
    rig.asked.length = 0;
    await rig.summarises('m8', 9);
    await rig.work();
    expect(rig.asked).toHaveLength(tries);
    expect((await rig.events('m8')).at(-1)).toMatchObject({ stage: 'summarise', code });
    expect(await known()).toEqual(words(0, 4));
    // What was not taken in is taken in the next time.
    said.now = '';
    await rig.summarises('m7', 9);
    await rig.work();
    expect(await known()).toEqual(words(0, 8));
  });

  it('asks no model where the share of the day is spent, and mail still has the rest', async () => {
    const rig = rememberRig(store, asks, 0.03);
    rig.state.now = NOON;
    await threadOf(rig, 50);
    rig.state.now = NOON;
    await rig.summarises('m49', 50);
    await rig.work();
    expect((await rig.events('m49')).at(-1)).toMatchObject({ stage: 'summarise', code: 'budget' });
    const day = await store.budgetOfDay(DAY);
    expect(day?.memory_usd ?? 0).toBeLessThanOrEqual(0.03 * 0.2);
  });
});

describe('who may be told of a summary', () => {
  it('is whoever may see all that it was made of, and owners', async () => {
    const rig = rememberRig(store, asks);
    await rig.mail('m0', 'word0 to both', { thread_id: THREAD, ...BOTH });
    await rig.mail('m1', 'word1 to both', { thread_id: THREAD, ...BOTH, sender: ZOE });
    await rig.summarises('m0', 3);
    await rig.work();
    const see = async (address: string, threadId: string | null = null) =>
      (await store.threadMemory(THREAD, { address, threadId })) !== undefined;
    expect([await see(MIA), await see(ZOE, THREAD), await see(ZOE, 't-other'), await see('')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(await store.threadMemory(THREAD, null)).toMatchObject({ saidBy: null, tier: 'member' });
    await rig.mail('m2', 'word2 of Mia alone', { thread_id: THREAD });
    await rig.summarises('m1', 4);
    await rig.work();
    expect(await known()).toEqual(words(0, 3));
    expect([await see(MIA), await see(ZOE)]).toEqual([true, false]);
    await rig.mail('m3', 'word3 of the owner', { thread_id: THREAD, sender: 'you@example.com', tier: 'owner' });
    await rig.summarises('m2', 5);
    await rig.work();
    expect([await see(MIA), await see(ZOE)]).toEqual([false, false]);
  });

  it('has no word of what nobody proved to have written', async () => {
    const rig = rememberRig(store, asks);
    await rig.mail('m0', 'word0', { thread_id: THREAD });
    await rig.mail('forged', 'FORGED', { thread_id: THREAD, tier: 'unauthenticated', viewers: [] });
    await rig.mail('street', 'STREET', { thread_id: THREAD, tier: 'stranger', sender: 'eve@evil.example' });
    await rig.summarises('m0', 9);
    await rig.work();
    expect(await known()).toEqual(['word0']);
  });
});

describe('a thread of which nothing is to be kept', () => {
  it('is not summarised when it is private, also when it was made so while the model was asked', async () => {
    const rig = rememberRig(store, async (asked) => {
      if (asked.purpose === 'summarise' && asked.text.includes('word5')) await store.setThreadPrivate(THREAD, NOON);
      return asks(asked);
    });
    await threadOf(rig, 10);
    await rig.summarises('m9', 4);
    await rig.work();
    expect(await known()).toEqual(words(0, 3));
    await rig.summarises('m8', 8);
    await rig.work();
    // What there was is gone, too.
    expect(await store.threadMemory(THREAD, null)).toBeUndefined();
    rig.asked.length = 0;
    await rig.summarises('m7', 8);
    await rig.work();
    expect(rig.asked).toEqual([]);
    expect((await rig.events('m7')).at(-1)).toMatchObject({ stage: 'summarise', code: 'private' });
  });

  it.each(['before', 'while'])('has no word of a mail that was forgotten %s it was summarised', async (when) => {
    const forget = () => store.forgetInIndex({ messages: [3] });
    const rig = rememberRig(store, async (asked) => {
      if (when === 'while' && asked.purpose === 'summarise' && asked.text.includes('word2')) await forget();
      return asks(asked);
    });
    await threadOf(rig, 10);
    if (when === 'before') await forget();
    await rig.summarises('m9', 9);
    await rig.work();
    await rig.summarises('m8', 9);
    await rig.work();
    expect(await known()).toEqual(words(0, 8).filter((word) => word !== 'word2'));
  });
});
