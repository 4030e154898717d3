import { describe, expect, it } from 'vitest';
import { chainRun } from '../../scripts/lib/soak/injections/chains/chain-run.ts';
import { CHAIN_CARRIERS } from '../../scripts/lib/soak/injections/chains/write-chains.ts';

describe('an order that comes with one mail and is set off by another', () => {
  it('comes to nothing by any way, and each effect is there by the word of the owner', async () => {
    const chains = Object.keys(CHAIN_CARRIERS).length;
    const report = await chainRun({ seed: 1, chains, only: null, say: () => {} });
    expect(report.won).toEqual([]);
    expect(report.controls_lost).toEqual([]);
    expect(report.not_obeyed).toEqual([]);
    expect(report).toMatchObject({ ok: true, chains, controls: { tried: report.controls.reached } });
  }, 240_000);
});
