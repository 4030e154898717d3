import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBlobs } from '../../../engine/storage/blobs.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'epistle-blobs-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('bytes that are kept', () => {
  it('lie under their hash, for their owner alone, once', () => {
    const blobs = createBlobs(join(folder, 'mail'), '.eml');
    const hash = blobs.put(Buffer.from('hello'));
    expect(blobs.put(Buffer.from('hello'))).toBe(hash);
    expect(readdirSync(join(folder, 'mail'))).toEqual([`${hash}.eml`]);
    expect(readFileSync(blobs.pathOf(hash), 'utf8')).toBe('hello');
    expect(statSync(blobs.pathOf(hash)).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'mail')).mode & 0o777).toBe(0o700);
  });
});
