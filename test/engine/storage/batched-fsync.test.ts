import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBatchedFsync, type WriteDurably } from '../../../engine/storage/batched-fsync.ts';

let folder: string;
let write: WriteDurably;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'epistle-durable-'));
  write = createBatchedFsync();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const put = (name: string, text = name, inFolder = join(folder, 'mail')) =>
  write(inFolder, join(inFolder, name), Buffer.from(text));

describe('files that are written together', () => {
  it('all have their bytes, in folders made for them, and nothing else is left', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `m${index}`);
    await Promise.all(names.map((name, index) => put(name, name, join(folder, `persona-${index % 3}`))));
    for (const [index, name] of names.entries()) {
      expect(readFileSync(join(folder, `persona-${index % 3}`, name), 'utf8')).toBe(name);
    }
    expect(readdirSync(join(folder, 'persona-0'))).toHaveLength(14);
  });

  it('are there when the promise resolves, also for the second of two equal ones', async () => {
    const first = put('same');
    await put('same');
    expect(readFileSync(join(folder, 'mail', 'same'), 'utf8')).toBe('same');
    await first;
    expect(readdirSync(join(folder, 'mail'))).toEqual(['same']);
  });

  it('fail alone: one in a place where nothing can be written does not hurt the others', async () => {
    writeFileSync(join(folder, 'no-folder'), '');
    const results = await Promise.allSettled([put('a'), put('b', 'b', join(folder, 'no-folder')), put('c')]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(readdirSync(join(folder, 'mail'))).toEqual(['a', 'c']);
  });

  it('are not there when their bytes were freed before they were written', async () => {
    const bytes = new Uint8Array([1, 2, 3]);
    const written = write(folder, join(folder, 'freed'), bytes);
    bytes.buffer.transfer(0);
    await expect(written).rejects.toThrow('are gone');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('can be tried again after a failure', async () => {
    writeFileSync(join(folder, 'mail'), 'in the way');
    await expect(put('a')).rejects.toThrow();
    rmSync(join(folder, 'mail'));
    await put('a');
    expect(readdirSync(join(folder, 'mail'))).toEqual(['a']);
  });
});
