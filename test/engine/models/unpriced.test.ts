import { afterEach, describe, expect, it } from 'vitest';
import { makeRig, type Rig, type RigOptions } from '../harness/rig.ts';

let rig: Rig | undefined;
afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

async function rigWith(options: Partial<RigOptions> = {}): Promise<Rig> {
  rig = await makeRig({
    models: { main: () => ({ text: 'Dear.' }), other: () => ({ text: 'Cheap.' }) },
    info: { usd_per_million_tokens: null, estimated_usd_per_million_tokens: { input: 5, output: 25 } },
    persona: { budget: { usd_per_day: 5 }, answer: { claims: 'off' } },
    ...options,
  });
  return rig;
}

describe('a model whose price nobody has said', () => {
  it('is not asked within a budget: the mail waits for its owner, and is answered when there is a price', async () => {
    const found = await rigWith();
    const { run, jobs } = await found.waits();
    expect(run).toMatchObject({ deferred_code: 'provider_setup', model_calls: 0, ended_at: null });
    expect(jobs.some((id) => id.startsWith('waiting_notice:provider_setup:'))).toBe(true);
    expect(found.requests).toEqual([]);
    expect(await found.withStore((store) => store.incident('provider_setup'))).toMatchObject({ cause: 'no_price' });

    Object.assign(found.configs.inference.prices, { 'main/m1': { input: 1, output: 4 } });
    await found.drain();
    expect((await found.ended(run.id)).text).toBe('Dear.');
  });

  it.each([
    ['without a budget', { persona: { answer: { claims: 'off' } } }],
    [
      'where runs are limited and money is not',
      { persona: { budget: { runs_per_day: 9 }, answer: { claims: 'off' } } },
    ],
    ['where its owner allows it', { inference: { allow_unpriced: true } }],
    ['where its service says what each answer cost', { info: { usd_per_million_tokens: null, reports_cost: true } }],
    ['where it has a price', { inference: { prices: { 'main/m1': { input: 1, output: 4 } } } }],
  ] as const)('is asked %s', async (_, options) => {
    const found = await rigWith(options);
    expect((await found.answer()).text).toBe('Dear.');
  });

  it('is refused without a budget as well where its owner says so', async () => {
    const found = await rigWith({ persona: {}, inference: { allow_unpriced: false } });
    expect((await found.waits()).run).toMatchObject({ deferred_code: 'provider_setup' });
  });

  it('leaves the mail to the next one that has a price', async () => {
    const found = await rigWith({
      inference: { fallback: ['other/m2'], prices: { 'other/m2': { input: 1, output: 4 } } },
    });
    expect((await found.answer()).text).toBe('Cheap.');
    expect(found.requests.map(({ provider }) => provider)).toEqual(['other']);
  });

  it('ends in words after two days, and can be brought back', async () => {
    const found = await rigWith();
    const { run } = await found.waits();
    found.time.now += 49 * 3_600_000;
    await found.drain();
    const { run: ended, jobs } = await found.ended(run.id);
    expect(ended).toMatchObject({ status: 'failed', code: 'provider_setup' });
    expect(jobs).toContain(`notice:gave_up:${run.id}`);
  });
});
