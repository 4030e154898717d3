import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adviceOf } from '../../../../engine/learning/advice.ts';
import type { CrashPoint } from '../../../../engine/lib/crash-points.ts';
import { learnedChangeIn } from '../../../../engine/record/codec/remembered.ts';
import { refineJob } from '../../../../engine/record/jobs/job-kinds.ts';
import type { Store } from '../../../../engine/storage/ports/store.ts';
import { openStore } from '../../../../engine/storage/sqlite/persona/store.ts';
import type { PlaybookVersion } from '../../../../engine/storage/types/learning/playbooks.ts';
import { DAY, NOON } from '../../../storage/world.ts';
import { HOSTILE } from './hostile-candidates.ts';
import { EXAMPLES, example, NO_PROGRAMS, STEP, written, wrong } from './judging-rig.ts';
import { KIND, refineRig } from './refine-rig.ts';

let store: Store;
beforeEach(() => {
  store = openStore(':memory:');
});
afterEach(() => store.close());

const GOOD = written({ steps: [STEP], narrow: { deny: [NO_PROGRAMS] } });
const version = (number: number, text = written({ advice: 'Be brief.' })): PlaybookVersion => ({
  id: `v-${number}`,
  kind: KIND,
  number,
  parent_id: null,
  playbook_json: text,
  origin: 'owner',
  tainted: 0,
  score: null,
  created_at: NOON,
});
const textOf = (request: { readonly system: readonly string[]; readonly messages: readonly object[] } | undefined) =>
  JSON.stringify([request?.system, request?.messages]);

describe('refining a playbook', () => {
  it('keeps a version that is better beside an empty first one, and has owners told of it once', async () => {
    const rig = refineRig(store, () => GOOD);
    await rig.ask();
    await rig.work();
    expect(await rig.numbers()).toEqual(['1 empty', '2 refined']);
    expect(await rig.last()).toMatchObject({
      asked_by: 'runs',
      accepted: 1,
      reason: null,
      from_version: null,
      to_version: 2,
      from_score: 0,
      to_score: 0.6,
    });
    expect(await rig.told()).toMatchObject([{ tool: 'playbook version', kind: KIND, from: 1, to: 2 }]);
    expect((await store.dueJobs(rig.state.now, 9)).map(({ kind }) => kind)).toEqual(['learned_digest']);
    const events = (await store.runEvents('r-m5')).filter(({ type }) => type === 'playbook_refined');
    expect(events.map(({ payload_json: json }) => JSON.parse(json))).toMatchObject([
      { accepted: true, to_version: 2, calls: [{ purpose: 'refine_critic' }, { purpose: 'refine_write' }] },
    ]);
    const [made] = (await store.playbookVersions(KIND)).slice(-1);
    expect(made).toMatchObject({ parent_id: expect.any(String), score: 0.6, tainted: 0 });
    expect(await store.budgetOfDay(DAY)).toMatchObject({ tokens: 2200 });
  });

  it('asks two times, for 4,096 tokens at most, with no more than 8,000 characters, and coldly', async () => {
    const rig = refineRig(store, () => GOOD);
    const long = EXAMPLES.map((one) => ({
      ...one,
      mail: { ...one.mail, text: `${one.mail.text}\n${'words '.repeat(900)}` },
    }));
    await rig.ask('runs', long);
    await rig.work();
    expect(rig.asked).toHaveLength(2);
    for (const { system, messages, maxOutputTokens, temperature, tools } of rig.asked) {
      const [part] = messages.flatMap((one) => (one.role === 'user' ? one.content : []));
      const text = part?.type === 'text' ? part.text : '';
      expect(system.join('').length + text.length).toBeLessThanOrEqual(8000);
      expect({ maxOutputTokens, temperature, tools }).toEqual({ maxOutputTokens: 4096, temperature: 0, tools: [] });
    }
    // Good and bad ones are shown, as data.
    expect(textOf(rig.asked[1])).toMatch(/wrong_calls.*evil\.exe/);
    expect(textOf(rig.asked[1])).toContain('It does nothing.');
  });

  it('taints what it learned from words of others', async () => {
    const rig = refineRig(store, () => GOOD);
    await rig.ask('runs', [...EXAMPLES, example('four.txt', { tainted: true })]);
    await rig.work();
    expect((await store.playbookVersions(KIND)).at(-1)).toMatchObject({ tainted: 1 });
  });

  it('tells nobody of what it refuses, and waits for more runs before each next time', async () => {
    const rig = refineRig(store, () => written({ advice: 'Work well.' }));
    await rig.ask();
    await rig.work();
    expect(await rig.last()).toMatchObject({ accepted: 0, reason: 'not_better', to_version: null });
    expect([await rig.numbers(), await rig.told()]).toEqual([[], []]);
    const more = async (count: number) => {
      await rig.ask(
        'runs',
        Array.from({ length: count }, (_, n) => example(`${rig.state.runs}-${n}.txt`)),
      );
      await rig.work();
      return rig.asked.length / 2;
    };
    expect([await more(9), await more(1), await more(19), await more(1)]).toEqual([1, 2, 2, 3]);
    // The model is told why.
    const refusal = 'was refused: not_better';
    expect([1, 3].map((at) => textOf(rig.asked[at]).includes(refusal))).toEqual([false, true]);
  });

  it('asks anew as soon as mail has to be worked otherwise, by the runs since then alone', async () => {
    await store.keepPlaybook(version(1, written({ steps: [STEP] })));
    const said = { text: 'no JSON' };
    const rig = refineRig(store, () => said.text);
    // Four refusals of a version that is right in all but what it is shown to do wrong: eighty runs would have to go by.
    for (let times = 0; times < 4; times += 1) {
      await rig.ask('owner', [example(`${times}.txt`), wrong(`${times}.exe`)]);
      await rig.work();
    }
    const before = rig.asked.length;
    expect(before).toBe(8);
    const otherwise = (name: string) => {
      const call = { tool: 'write_file', arguments: { path: name, content: 'by another way' } };
      const [result] = example(name).results;
      if (!result) throw new Error('it has a result');
      return example(name, { results: [{ ...result, ...call }], expected: [call], forbidden: example(name).expected });
    };
    const { arguments: args } = STEP;
    const steps = [{ ...STEP, arguments: { ...args, content: 'by another way' } }];
    said.text = written({ steps, narrow: { deny: [NO_PROGRAMS] } });
    await rig.ask('runs', ['a.txt', 'b.txt'].map(otherwise));
    await rig.work();
    // Two good examples and four bad ones are there; the old way is right in none of them.
    expect(rig.asked).toHaveLength(before + 2);
    expect(await rig.last()).toMatchObject({ accepted: 1, from_version: 1, to_version: 2 });
  });

  it('leaves a version alone that works by itself and does nothing wrong', async () => {
    await store.keepPlaybook(version(1, written({ steps: [STEP], narrow: { deny: [NO_PROGRAMS] } })));
    const rig = refineRig(store, () => GOOD);
    const well = { version_id: 'v-1', mode: 'policy', used: 1, followed: 1 } as const;
    for (let runs = 0; runs < 12; runs += 1) await rig.ran(example(`${runs}.txt`), well);
    // Of this one it does a part.
    const { expected } = example('other.txt');
    await rig.ask('runs', [example('other.txt', { expected: [...expected, { tool: 'list_files', arguments: {} }] })]);
    await rig.work();
    expect(rig.asked).toEqual([]);
    expect(await rig.last()).toBeUndefined();
  });

  it('H-21: is one attempt for runs that end at once', async () => {
    const rig = refineRig(store, () => GOOD);
    await rig.ask();
    await rig.ask('runs', [example('at-once.txt')]);
    await rig.work();
    expect(rig.asked).toHaveLength(2);
    expect(await rig.numbers()).toEqual(['1 empty', '2 refined']);
  });

  it('H-18, H-19: keeps nothing and does nothing, whatever a hostile model writes', async () => {
    const said = { text: '' };
    const rig = refineRig(store, () => said.text);
    await rig.ask('owner');
    const run = `r-m${rig.state.runs}`;
    for (const [index, [, text]] of HOSTILE.entries()) {
      said.text = text;
      await store.addJobs([refineJob({ kind: KIND, id: `h${index}`, run_id: run, asked_by: 'owner' }, rig.state.now)]);
      await rig.work();
      expect(await rig.last()).toMatchObject({ accepted: 0 });
    }
    expect(await rig.numbers()).toEqual([]);
    expect(await rig.told()).toEqual([]);
  });

  it('H-23: asks no model that is too small, and says so once', async () => {
    const rig = refineRig(store, () => GOOD, { model: 'claude-haiku-4-5' });
    await rig.ask();
    await rig.work();
    await rig.ask();
    await rig.work();
    expect(rig.asked).toEqual([]);
    expect(rig.warnings).toHaveLength(1);
    expect(await rig.last()).toMatchObject({ accepted: 0, reason: 'weak_model' });
  });

  it('H-22: comes second where another version was kept meanwhile', async () => {
    await store.keepPlaybook(version(1));
    const beside: Store = {
      ...store,
      async keepRefinement(ended) {
        await store.keepPlaybook(version(2));
        return store.keepRefinement(ended);
      },
    };
    const rig = refineRig(beside, () => GOOD);
    await rig.ask();
    await rig.work();
    expect(await rig.last()).toMatchObject({ accepted: 0, reason: 'lost_race', to_version: null });
    expect(await rig.numbers()).toEqual(['1 owner', '2 owner']);
    expect(await rig.told()).toEqual([]);
  });

  it('H-24: goes on from the version that an owner has chosen, where the owner asks for it, and tells them there', async () => {
    for (const number of [1, 2, 3]) await store.keepPlaybook(version(number, written({ advice: `Number ${number}.` })));
    await store.pinPlaybook(KIND, 'v-2', NOON);
    const rig = refineRig(store, () => GOOD);
    await rig.ask('runs');
    await rig.work();
    expect(rig.asked).toEqual([]);
    await rig.ask('owner');
    await rig.work();
    expect(textOf(rig.asked[0])).toContain('Number 2.');
    expect((await store.playbookVersions(KIND)).at(-1)).toMatchObject({ number: 4, parent_id: 'v-2' });
    expect((await store.playbookInForce(KIND, 1))?.version.id).toBe('v-2');
    expect(await rig.told()).toEqual([]);
  });

  it('asks nothing where there is nothing to gain, and where its share of the day is spent', async () => {
    await store.keepPlaybook(version(1, GOOD));
    const rig = refineRig(store, () => GOOD);
    await rig.ask('owner', EXAMPLES.slice(0, 3));
    await rig.work();
    expect(await rig.last()).toMatchObject({ reason: 'nothing_to_gain' });
    const poor = refineRig(store, () => GOOD, { usdPerDay: 0.0001 });
    poor.state.runs = 100;
    await poor.ask('owner');
    await poor.work();
    expect(await poor.last()).toMatchObject({ reason: 'budget' });
    expect([...rig.asked, ...poor.asked]).toEqual([]);
  });

  it('tries three times where nobody answers', async () => {
    const rig = refineRig(store, () => 'unavailable');
    await rig.ask();
    await rig.work();
    expect(await rig.last()).toMatchObject({ accepted: 0, reason: 'provider' });
    expect(rig.asked).toHaveLength(6);
  });
});

describe('a refinement that is killed', () => {
  it.each<CrashPoint>(['refine.begun', 'refine.made', 'run.event.playbook_refined'])(
    'at %s keeps one version, and owners hear of it once',
    async (label) => {
      const rig = refineRig(store, () => GOOD);
      await rig.ask();
      rig.state.dieAt = label;
      await rig.work();
      expect(rig.state.dieAt).toBeNull();
      expect(await rig.numbers()).toEqual(['1 empty', '2 refined']);
      expect(await rig.told()).toHaveLength(1);
      const events = (await store.runEvents('r-m5')).filter(({ type }) => type === 'playbook_refined');
      expect(events).toHaveLength(1);
    },
  );
});

describe('what is kept to take a change back', () => {
  it('is read as such alone, and the version before it says nothing', async () => {
    const rig = refineRig(store, () => GOOD);
    await rig.ask();
    await rig.work();
    const [item] = await store.unnoticedUndo('learned');
    const change = item && learnedChangeIn(item);
    const former = await store.playbookVersion(change?.former_id ?? '');
    expect(former).toMatchObject({ number: 1, origin: 'empty' });
    const playbook = JSON.parse(former?.playbook_json ?? '');
    const pinned = { version_id: 'v', number: 1, kind: KIND, tainted: false, playbook };
    expect(adviceOf({ ...pinned, mode: 'assisted' })).toBeNull();
    expect(learnedChangeIn({ tool: 'delete_file', arguments: { path: 'x' } })).toBeNull();
  });
});
