import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFilesDesk } from '../../../../engine/tools/files/desk.ts';
import { MAX_ENTRIES, measure } from '../../../../engine/tools/files/usage.ts';
import { filesIn } from './files-rig.ts';

const KIB = 1024;
let home: string;
let root: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'epistle-room-'));
  root = join(home, 'files');
  mkdirSync(root);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const noRoom = expect.objectContaining({ code: 'tool_failed', message: expect.stringContaining('no room left') });
const filesOf = (maxFilesBytes: number, now = () => 0) =>
  filesIn(root, {}, { maxFilesBytes, desk: createFilesDesk({ now }) });

describe('L6: files/ that is full', () => {
  it('takes no more, old files shrink and go, and then it takes more again', async () => {
    const files = filesOf(100 * KIB);
    await files.write('a.txt', 'a'.repeat(60 * KIB));
    await expect(files.write('b.txt', 'b'.repeat(60 * KIB))).rejects.toEqual(noRoom);
    expect(await files.owner('b.txt')).toBe('absent');
    await expect(files.write('a.txt', 'a'.repeat(120 * KIB))).rejects.toEqual(noRoom);
    await files.write('a.txt', 'a'.repeat(50 * KIB));
    await files.write('b.txt', 'b'.repeat(40 * KIB));
    const { sha256 } = await files.remove('a.txt');
    await files.write('c.txt', 'c'.repeat(40 * KIB));
    await expect(files.restore('a.txt', sha256)).rejects.toEqual(noRoom);
    await files.remove('c.txt');
    await files.restore('a.txt', sha256);
  });

  it('notices at once what somebody took away by hand, and within a minute what they put there', async () => {
    const clock = { now: 0 };
    const files = filesOf(100 * KIB, () => clock.now);
    await files.write('a.txt', 'a');
    writeFileSync(join(root, 'by-hand.bin'), Buffer.alloc(200 * KIB));
    clock.now += 60_000;
    await expect(files.write('b.txt', 'b')).rejects.toEqual(noRoom);
    rmSync(join(root, 'by-hand.bin'));
    await files.write('b.txt', 'b');
  });

  it('holds against many calls at the same time', async () => {
    const files = filesOf(100 * KIB);
    const writes = Array.from({ length: 20 }, (_, n) => files.write(`${n}.txt`, 'x'.repeat(16 * KIB)));
    const done = (await Promise.allSettled(writes)).filter(({ status }) => status === 'fulfilled');
    expect(done).toHaveLength(6);
    expect((await measure(root)).bytes).toBeLessThanOrEqual(100 * KIB);
  });

  it('is not said to be fuller by what could not be written', async () => {
    const files = filesOf(100 * KIB);
    mkdirSync(join(root, 'folder'));
    for (let time = 0; time < 5; time += 1) {
      await expect(files.write('folder', 'x'.repeat(60 * KIB))).rejects.toMatchObject({ code: 'invalid_arguments' });
    }
    await files.write('a.txt', 'x'.repeat(60 * KIB));
  });

  it('has at most so many entries, however small', async () => {
    // In memory, where there is such a place: a hundred thousand names are slow to make elsewhere.
    if (process.platform === 'linux') {
      rmSync(home, { recursive: true });
      home = mkdtempSync('/dev/shm/epistle-room-');
      root = join(home, 'files');
    }
    const files = filesOf(2 ** 40);
    mkdirSync(join(root, 'many'), { recursive: true });
    for (let n = 1; n < MAX_ENTRIES; n += 1) symlinkSync('x', join(root, `many/${n}`));
    await expect(files.write('one-more.txt', '')).rejects.toEqual(noRoom);
    rmSync(join(root, 'many/1'));
    await files.write('one-more.txt', '');
  });
});

describe('L6: what files/ takes', () => {
  it('is all below it, and nothing where links point to', async () => {
    expect(await measure(join(home, 'nowhere'))).toEqual({ bytes: 0, entries: 0 });
    writeFileSync(join(home, 'large.bin'), Buffer.alloc(5000 * KIB));
    mkdirSync(join(root, 'a/b'), { recursive: true });
    writeFileSync(join(root, 'a/b/c.bin'), Buffer.alloc(300 * KIB));
    symlinkSync('../../harness', join(root, 'up'));
    symlinkSync('../large.bin', join(root, 'large'));
    const used = await measure(root);
    expect(used.entries).toBe(5);
    expect(used.bytes).toBeGreaterThanOrEqual(300 * KIB);
    expect(used.bytes).toBeLessThan(400 * KIB);
  });

  it('counts holes, and space that is held beyond the end of a file', async () => {
    writeFileSync(join(root, 'holes.bin'), '');
    truncateSync(join(root, 'holes.bin'), 2 ** 30);
    expect((await measure(root)).bytes).toBeGreaterThanOrEqual(2 ** 30);
    rmSync(join(root, 'holes.bin'));
    if (process.platform !== 'linux') return;
    writeFileSync(join(root, 'held.bin'), '');
    execFileSync('fallocate', ['--keep-size', '--length', '3MiB', join(root, 'held.bin')]);
    expect((await measure(root)).bytes).toBeGreaterThanOrEqual(3 * 1024 * KIB);
  });

  it('is too much where folders lie in folders without end', async () => {
    mkdirSync(join(root, ...Array.from({ length: 200 }, () => 'd')), { recursive: true });
    expect((await measure(root)).entries).toBeGreaterThan(MAX_ENTRIES);
  });
});
