import { describe, expect, it } from 'vitest';
import { modelChecks } from '../../../../engine/queries/doctor/prices.ts';

const NONE = { usd_per_run: null, usd_per_day: null };
interface Given {
  readonly prices?: object;
  readonly budget?: object;
  readonly grace?: string;
}

/** What doctor says of a persona with this model, on this day. */
async function checked(info: object, day: string, { prices = {}, budget = NONE, grace }: Given = {}) {
  const persona = { id: 'ada', inference: { provider: 'vendor', model: 'm1', fallback: null }, budget };
  const ports = {
    live: {
      personas: () => ({ all: () => [{ state: 'ready', persona }] }),
      current: () => ({ inference: { provider: null, model: null, fallback: [], prices, allow_unpriced: null } }),
    },
    environment: { firstProvider: null },
    gateway: { findSetting: async () => grace },
    clock: { now: () => Date.parse(`${day}T12:00:00Z`) },
    currentExtensions: () => ({
      providers: { get: () => ({ defaultModel: 'm1', modelInfo: () => ({ usd_per_million_tokens: null, ...info }) }) },
    }),
  } as unknown as Parameters<typeof modelChecks>[0];
  return (await modelChecks(ports)).map(({ ok, message }) => `${ok ? '' : 'failed: '}${message}`);
}

describe('doctor of a model that ends', () => {
  it('says nothing long before, warns for 30 days, and fails when it is over', async () => {
    const info = { ends: '2026-12-01', usd_per_million_tokens: { input: 1, output: 1 } };
    expect(await checked(info, '2026-10-30')).toEqual([]);
    for (const day of ['2026-11-02', '2026-12-01'])
      expect((await checked(info, day))[0]).toMatch(/^warning: .* 2026-12-01/);
    expect((await checked(info, '2026-12-02'))[0]).toMatch(/^failed: /);
  });
});

describe('doctor of a model whose price nobody has said', () => {
  const info = { estimated_usd_per_million_tokens: { input: 5, output: 25 } };
  const budget = { usd_per_run: null, usd_per_day: 5 };

  it('says what is booked in its place, and nothing where a setting says it', async () => {
    expect((await checked(info, '2026-11-29'))[0]).toContain('5 and 25 USD per million tokens');
    expect(await checked(info, '2026-11-29', { prices: { 'vendor/m1': { input: 1, output: 2 } } })).toEqual([]);
  });

  it('warns of the day on which mail begins to wait, and fails from then on', async () => {
    const grace = JSON.stringify({ until: Date.parse('2026-12-12T12:00:00Z') });
    expect((await checked(info, '2026-12-11', { budget, grace }))[0]).toMatch(
      /^warning: .*from 2026-12-12 on mail to ada/,
    );
    expect((await checked(info, '2026-12-12', { budget, grace }))[0]).toMatch(/^failed: .*mail to ada waits/);
    expect((await checked(info, '2026-11-29', { budget }))[0]).toMatch(/^failed: /);
    // Not started yet under this build: its time has not begun.
    expect((await checked(info, '2026-11-29', { budget, grace: 'due' }))[0]).toMatch(/^warning: .*2026-12-13/);
  });
});
