import { afterEach, expect, it } from 'vitest';
import type { GenerateResponse } from '#contract';
import { usageOf } from '../../../engine/queries/usage.ts';
import { makeRig, type Rig, type RigOptions } from '../harness/rig.ts';

let rig: Rig | undefined;
afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

const COUNTED = { input: 100, output: 20, cached: 0, cacheWrite: 0, unknown: [] };
const GUESSED = { usd_per_million_tokens: null, estimated_usd_per_million_tokens: { input: 5, output: 25 } };

/** What `usage` says after one mail. */
async function spentBy(answer: Partial<GenerateResponse>, info: RigOptions['info'] = {}) {
  rig = await makeRig({
    models: () => ({ text: 'Done.', usage: COUNTED, ...answer }),
    info,
    persona: { answer: { claims: 'off' } },
  });
  const { run } = await rig.answer();
  const { stores } = rig;
  const ports = { stores, live: { personas: () => ({ all: () => [{ id: 'ada' }] }) } };
  const { total } = await usageOf(ports as never, 0, Date.parse('2030-01-01'));
  return { run, total };
}

it('a count of the vendor at a known price is no estimate', async () => {
  const { run, total } = await spentBy({});
  expect(run).toMatchObject({ estimated_tokens: 0, estimated_usd: 0 });
  expect(run.cost_usd).toBeGreaterThan(0);
  expect(total.estimated).toEqual({ tokens: 0, cost_usd: 0, share: 0 });
});

it('tokens that no vendor counted are one, and so is what they cost', async () => {
  const { run, total } = await spentBy({ usageBasis: 'estimated' });
  expect(run.estimated_tokens).toBe(run.input_tokens + run.output_tokens);
  expect(run.estimated_tokens).toBeGreaterThan(0);
  expect(total.estimated).toEqual({ tokens: run.estimated_tokens, cost_usd: run.cost_usd, share: 1 });
});

it('of a model without a price the cost is one, and the tokens are not', async () => {
  const { run, total } = await spentBy({}, GUESSED);
  expect(run).toMatchObject({ estimated_tokens: 0, estimated_usd: run.cost_usd });
  expect(total.estimated).toMatchObject({ tokens: 0, share: 1 });
});
