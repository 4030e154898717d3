import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openStore } from '../../../../engine/storage/sqlite/persona/store.ts';
import { factRow } from '../../../storage/fact-worlds.ts';

const folder = mkdtempSync(join(tmpdir(), 'epistle-forgotten-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const filesWith = (text: string): readonly string[] =>
  readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(text));

describe('what was forgotten', () => {
  it('stands nowhere in the files of the database, also not in copies that its pages once held', async () => {
    const store = openStore(join(folder, 'persona.db'));
    const secret = (n: number) => `zqxsecret${n}yk`;
    // In random order and of many lengths, so that pages are split, merged and freed.
    for (let n = 0; n < 400; n += 1) {
      const id = `${(n * 7919) % 400}`.padStart(4, '0');
      const text = n % 40 === 3 ? `My code is ${secret(n)}` : `Plain words ${'w'.repeat((n * 37) % 250)} ${n}`;
      const replaces = n % 40 === 3 && n > 40 ? `${((n - 40) * 7919) % 400}`.padStart(4, '0') : null;
      const candidate = { status: 'candidate', expires_at: 1 } as const;
      const fact = factRow(id, { text, quote: text, ...(n % 5 === 0 ? candidate : {}) });
      await store.changeFacts([{ change: 'add', fact, replaces }]);
    }
    // All of them are one chain: the newest takes the others with it.
    const newest = `${(363 * 7919) % 400}`.padStart(4, '0');
    expect(filesWith('zqxsecret')).not.toEqual([]);
    await store.forgetFacts([newest]);
    expect(filesWith('zqxsecret')).toEqual([]);
    expect(filesWith('zqxsec')).toEqual([]);
    expect(filesWith('Plain words')).not.toEqual([]);
    await store.close();
    expect(filesWith('zqxsec')).toEqual([]);
  });
});
