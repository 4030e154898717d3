import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { personaSchema } from '../../../engine/config/persona-schema.ts';
import { inferenceSchema } from '../../../engine/config/schemas.ts';
import { costOf, priceOf } from '../../../engine/models/cost.ts';
import { parseTarget, targetName, targetsFor } from '../../../engine/models/targets.ts';

const named = (persona: object, inference: object = {}, firstKeyed: string | null = null) =>
  targetsFor(
    { ...personaSchema.parse({ name: 'A', address: 'a@b.example', inference: persona }), id: 'a', owners: [] },
    inferenceSchema.parse(inference),
    { firstKeyed: () => firstKeyed, defaultModel: (provider) => `${provider}-default` },
  ).map(targetName);

describe('the models of a run', () => {
  it.each<[string, string[], object, object, string | null]>([
    ['nothing at all', ['offline/offline-default'], {}, {}, null],
    ['a key in the environment', ['openai/openai-default'], {}, {}, 'openai'],
    ['the workspace', ['gemini/g'], {}, { provider: 'gemini', model: 'g' }, 'openai'],
    ['the workspace without a model', ['gemini/gemini-default'], {}, { provider: 'gemini' }, 'openai'],
    ['the persona', ['grok/x'], { provider: 'grok', model: 'x' }, { provider: 'gemini', model: 'g' }, 'openai'],
    [
      'a persona with another provider and no model',
      ['grok/grok-default'],
      { provider: 'grok' },
      { provider: 'gemini', model: 'g' },
      null,
    ],
    [
      'a persona with the same provider and no model',
      ['gemini/g'],
      { provider: 'gemini' },
      { provider: 'gemini', model: 'g' },
      null,
    ],
    ['a persona with a model alone', ['gemini/p'], { model: 'p' }, { provider: 'gemini', model: 'g' }, null],
    ['a workspace with a model alone', ['openai/g'], {}, { model: 'g' }, 'openai'],
    ['fallbacks of the workspace', ['a/1', 'b/2/x'], {}, { provider: 'a', model: '1', fallback: ['b/2/x'] }, null],
    [
      'fallbacks of the persona alone',
      ['a/1', 'c/3'],
      { fallback: ['c/3'] },
      { provider: 'a', model: '1', fallback: ['b/2'] },
      null,
    ],
    [
      'a persona that wants no fallback',
      ['a/1'],
      { fallback: [] },
      { provider: 'a', model: '1', fallback: ['b/2'] },
      null,
    ],
    ['a fallback to itself', ['a/1', 'b/2'], {}, { provider: 'a', model: '1', fallback: ['a/1', 'b/2'] }, null],
  ])('are decided by %s', (_who, expected, persona, inference, firstKeyed) => {
    expect(named(persona, inference, firstKeyed)).toEqual(expected);
  });

  it('are written as provider/model, split at the first slash', () => {
    const provider = fc.stringMatching(/^[a-z0-9_-]{1,10}$/);
    const model = fc.string({ minLength: 1 });
    fc.assert(
      fc.property(provider, model, (p, m) => {
        expect(parseTarget(`${p}/${m}`)).toEqual({ provider: p, model: m });
      }),
    );
  });
});

describe('the cost of a call', () => {
  const usage = { input: 1000, output: 100, cached: 600, cacheWrite: 300 };

  it('counts cached and newly cached tokens at their own price, as part of the input', () => {
    expect(costOf(usage, { input: 2, output: 10, cache_read: 0.2, cache_write: 2.5 })).toBeCloseTo(
      (100 * 2 + 600 * 0.2 + 300 * 2.5 + 100 * 10) / 1e6,
      12,
    );
  });

  it('counts them as input where they have no price, and is unknown where nothing has', () => {
    expect(costOf(usage, { input: 2, output: 10 })).toBeCloseTo((1000 * 2 + 100 * 10) / 1e6, 12);
    expect(costOf(usage, null)).toBeNull();
  });

  it('goes by the length of the prompt where the vendor does', () => {
    const price = {
      input: 2,
      output: 10,
      cache_read: 0.2,
      above_input_tokens: [
        { tokens: 200_000, input: 4, output: 15 },
        { tokens: 500_000, input: 8, output: 30 },
      ],
    };
    const costAt = (input: number) => costOf({ input, output: 1000, cached: 0, cacheWrite: 0 }, price);
    expect(costAt(200_000)).toBeCloseTo(0.41, 12);
    expect(costAt(200_001)).toBeCloseTo(0.815004, 12);
    expect(costAt(600_000)).toBeCloseTo(4.83, 12);
  });

  it('goes by inference.json before the manifest', () => {
    const info = {
      context_tokens: 1,
      max_output_tokens: 1,
      tools: true,
      images: false,
      usd_per_million_tokens: { input: 9, output: 9 },
    };
    const target = { provider: 'a', model: 'b/c' };
    expect(priceOf(target, info, { 'a/b/c': { input: 1, output: 1 } })).toEqual({ input: 1, output: 1 });
    expect(priceOf(target, info, {})).toEqual({ input: 9, output: 9 });
  });

  it('is never negative, whatever a vendor reports', () => {
    const tokens = fc.nat({ max: 1_000_000 });
    const price = fc.double({ min: 0, max: 100, noNaN: true });
    fc.assert(
      fc.property(
        fc.record({ input: tokens, output: tokens, cached: tokens, cacheWrite: tokens }),
        price,
        price,
        (reported, input, output) => {
          expect(costOf(reported, { input, output })).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });
});
