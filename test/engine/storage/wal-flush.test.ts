import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWalFlush } from '../../../engine/storage/sqlite/database/wal-flush.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'epistle-flush-'));
  file = join(folder, 'some.db-wal');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe.each([true, false])('a flush of a log, alone: %s', (isAlone) => {
  it('ends, and so do those that are asked for while one is under way', async () => {
    writeFileSync(file, 'frames');
    const flush = createWalFlush(file);
    const asked = [1, 2, 3].map(() => flush.request(isAlone).done);
    expect(await Promise.all(asked)).toEqual([undefined, undefined, undefined]);
    await flush.requested();
    await flush.close();
  });

  it('that failed lets none after it succeed', async () => {
    const flush = createWalFlush(file);
    await expect(flush.request(isAlone).done).rejects.toThrow('ENOENT');
    writeFileSync(file, 'frames');
    await expect(flush.request(isAlone).done).rejects.toThrow('ENOENT');
    await expect(flush.requested()).rejects.toThrow('ENOENT');
    await flush.close();
  });
});
