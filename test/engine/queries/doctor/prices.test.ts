import { describe, expect, it } from 'vitest';
import { modelChecks } from '../../../../engine/queries/doctor/prices.ts';

/** What doctor says of a persona with this model, on this day. */
function checked(info: object, day: string, prices: object = {}) {
  const persona = { id: 'ada', inference: { provider: 'vendor', model: 'm1', fallback: null } };
  const ports = {
    live: {
      personas: () => ({ all: () => [{ state: 'ready', persona }] }),
      current: () => ({ inference: { provider: null, model: null, fallback: [], prices } }),
    },
    environment: { firstProvider: null },
    clock: { now: () => Date.parse(`${day}T12:00:00Z`) },
    currentExtensions: () => ({
      providers: { get: () => ({ defaultModel: 'm1', modelInfo: () => ({ usd_per_million_tokens: null, ...info }) }) },
    }),
  } as unknown as Parameters<typeof modelChecks>[0];
  return modelChecks(ports).map(({ ok, message }) => `${ok ? '' : 'failed: '}${message}`);
}

describe('doctor of a model that ends', () => {
  it('says nothing long before, warns for 30 days, and fails when it is over', () => {
    const info = { ends: '2026-12-01', usd_per_million_tokens: { input: 1, output: 1 } };
    expect(checked(info, '2026-10-30')).toEqual([]);
    for (const day of ['2026-11-02', '2026-12-01']) expect(checked(info, day)[0]).toMatch(/^warning: .* 2026-12-01/);
    expect(checked(info, '2026-12-02')[0]).toMatch(/^failed: /);
  });
});

describe('doctor of a model whose price nobody has said', () => {
  it('says what is booked in its place, and nothing where a setting says it', () => {
    const info = { estimated_usd_per_million_tokens: { input: 5, output: 25 } };
    expect(checked(info, '2026-11-29')[0]).toContain('5 and 25 USD per million tokens');
    expect(checked(info, '2026-11-29', { 'vendor/m1': { input: 1, output: 2 } })).toEqual([]);
  });
});
