import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { AT_HAND } from '#contract';
import { atHand, has } from '../../../engine/tools/run-surface.ts';

const root = mkdtempSync(join(tmpdir(), 'at-hand-'));
afterAll(() => rmSync(root, { recursive: true }));

async function found(
  text: string,
  { attachments = false, files = 'absent', readsFiles = true, makesFiles = false, isLarge = false } = {},
) {
  const store = { hasAttachments: async () => attachments };
  const knowledge = { isLarge: async () => isLarge };
  const hand = await atHand({ text }, { store, filesRoot: join(root, files), knowledge });
  return AT_HAND.filter((what) => has(hand, what, { readsFiles, makesFiles }));
}

describe('what a run has at hand', () => {
  it('is nothing for a letter without figures, and for a persona without files', async () => {
    expect(await found('Hi Ada,\n\nwhat is in my files?')).toEqual([]);
    mkdirSync(join(root, 'empty'));
    expect(await found('Meet me in room 5.', { files: 'empty' })).toEqual([]);
  });

  it('is knowledge where there is more of it than a prompt holds', async () => {
    expect(await found('Hi Ada', { isLarge: true })).toEqual(['knowledge']);
  });

  it('is numbers where the mail has two', async () => {
    expect(await found('12 batteries at 4,50 each')).toEqual(['numbers']);
  });

  it('is rows where the mail has a table, or anything could have one', async () => {
    mkdirSync(join(root, 'some'));
    writeFileSync(join(root, 'some', 'a.csv'), 'a,b');
    for (const given of [
      found('Prices:\n\n| Model | 2025 |\n| --- | --- |\n| Mini |  |'),
      found('Model\tPrice\nMini\tx'),
      found('sum it up', { attachments: true }),
    ])
      expect(await given).toEqual(['rows', 'numbers']);
    expect(await found('sum it up', { files: 'some' })).toEqual(['rows', 'numbers', 'files']);
    expect(await found('sum it up', { files: 'some', readsFiles: false })).toEqual([]);
  });

  it('is files where one can be made and read', async () => {
    expect(await found('Write a list.', { makesFiles: true })).toEqual(['files']);
    expect(await found('Write a list.', { makesFiles: true, readsFiles: false })).toEqual([]);
  });

  it('is told in time, whatever the mail is made of', async () => {
    const begun = performance.now();
    for (const sign of ['\t', '|', ' ', '\n|', '\t\n', '1']) await found(sign.repeat(500_000));
    expect(performance.now() - begun).toBeLessThan(2000);
  });
});
