import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeDurably } from '../../../../engine/lib/files/durable-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'epistle-durable-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a file that is written', () => {
  it('takes the place of the one before, for its owner alone unless said otherwise', () => {
    const path = join(folder, 'deep/file');
    writeDurably(join(folder, 'deep'), path, Buffer.from('one'));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    writeDurably(join(folder, 'deep'), path, Buffer.from('two'), { mode: 0o400 });
    expect(statSync(path).mode & 0o777).toBe(0o400);
    expect(readFileSync(path, 'utf8')).toBe('two');
    expect(readdirSync(join(folder, 'deep'))).toEqual(['file']);
  });

  it('does not take the place of another when it is to be a new one', () => {
    const path = join(folder, 'file');
    writeDurably(folder, path, Buffer.from('one'), { create: true });
    expect(() => writeDurably(folder, path, Buffer.from('two'), { create: true })).toThrow('EEXIST');
    expect(readFileSync(path, 'utf8')).toBe('one');
    expect(readdirSync(folder)).toEqual(['file']);
  });
});

describe('a write that fails', () => {
  it('leaves what was there and nothing else', () => {
    const taken = join(folder, 'taken');
    mkdirSync(join(taken, 'by-a-folder'), { recursive: true });
    expect(() => writeDurably(folder, taken, Buffer.from('bytes'))).toThrow();
    expect(readdirSync(folder)).toEqual(['taken']);
  });
});
