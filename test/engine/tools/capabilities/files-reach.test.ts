import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FilesCapability } from '#contract';
import { createBlobs } from '../../../../engine/storage/blobs.ts';
import { filesIn } from './files-rig.ts';

let home: string;
let root: string;
let files: FilesCapability;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'epistle-reach-'));
  root = join(home, 'files');
  mkdirSync(root);
  files = filesIn(root);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const code = (expected: string) => expect.objectContaining({ name: 'EngineError', code: expected });

describe('H5: a file tool', () => {
  it('never makes anything in files/ but the file itself', async () => {
    const seen = new Set<string | null>();
    const watcher = watch(root, (_, name) => seen.add(name));
    await files.write('a.txt', 'one');
    await files.write('a.txt', 'two');
    const { sha256 } = await files.remove('a.txt');
    await files.restore('a.txt', sha256);
    await files.write('last.txt', 'x');
    await vi.waitFor(() => expect(seen).toContain('last.txt'), 90_000);
    watcher.close();
    expect([...seen].sort()).toEqual(['a.txt', 'last.txt']);
  });

  it('leaves nothing in tmp/, and only the account of the gateway may look there', async () => {
    await files.write('a.txt', 'one');
    const { sha256 } = await files.remove('a.txt');
    await files.restore('a.txt', sha256);
    await expect(files.write('a.txt/b', 'x')).rejects.toBeDefined();
    expect(readdirSync(join(home, 'tmp'))).toEqual([]);
    expect(statSync(join(home, 'tmp')).mode & 0o777).toBe(0o700);
  });

  it.runIf(process.platform === 'linux')('works where files/ is a disk of its own, too', async () => {
    const elsewhere = mkdtempSync('/dev/shm/epistle-reach-');
    try {
      const far = filesIn(root, {}, { temporary: elsewhere, undo: createBlobs(join(elsewhere, 'undo')) });
      await far.write('notes/a.txt', 'one');
      await far.write('notes/a.txt', 'two');
      const { sha256 } = await far.remove('notes/a.txt');
      await far.restore('notes/a.txt', sha256);
      expect(await far.read('notes/a.txt')).toBe('two');
      expect(readdirSync(join(root, 'notes'))).toEqual(['a.txt']);
    } finally {
      rmSync(elsewhere, { recursive: true });
    }
  });

  it('does not tell whether there is something outside where a link points to', async () => {
    mkdirSync(join(home, 'outside'));
    writeFileSync(join(home, 'outside/file'), 'the secret');
    const answer = (path: string) => files.read(path).then(String, (error: unknown) => String(error));
    for (const [name, target] of Object.entries({ there: 'outside', file: 'outside/file', not: 'nothing' })) {
      symlinkSync(join('..', target), join(root, `near-${name}`));
      symlinkSync(join(home, target), join(root, `far-${name}`));
    }
    const said = new Set(await Promise.all(readdirSync(root).map((name) => answer(`${name}/a.txt`))));
    expect([...said]).toEqual([expect.stringContaining('leads outside files/')]);
  });

  it('follows links that stay inside, relative and absolute, up to a number of them', async () => {
    await files.write('real/deep/a.txt', 'inside');
    symlinkSync('../real/deep', join(root, 'real/deep/up'));
    symlinkSync('real/deep/../deep', join(root, 'near'));
    symlinkSync(join(root, 'real'), join(root, 'far'));
    symlinkSync('../../files/real', join(root, 'out-and-in'));
    expect(await files.read('near/a.txt')).toBe('inside');
    expect(await files.read('far/deep/a.txt')).toBe('inside');
    await files.write('far/new/b.txt', 'made');
    expect(readFileSync(join(root, 'real/new/b.txt'), 'utf8')).toBe('made');
    await expect(files.read('out-and-in/deep/a.txt')).rejects.toEqual(code('invalid_arguments'));
    symlinkSync('round', join(root, 'about'));
    symlinkSync('about', join(root, 'round'));
    await expect(files.read('round/a.txt')).rejects.toEqual(code('invalid_arguments'));
  });
});

describe('H5: what is swapped in while a file is deleted', () => {
  const swapping = (swap: () => void) => filesIn(root, { removing: async () => swap() });
  const away = () => renameSync(join(root, 'a.txt'), join(root, 'kept.txt'));

  it('stays as it is when it is a folder with something in it', async () => {
    writeFileSync(join(root, 'a.txt'), 'one');
    const deleting = swapping(() => {
      away();
      mkdirSync(join(root, 'a.txt/inner'), { recursive: true });
      writeFileSync(join(root, 'a.txt/inner/b.txt'), 'of somebody');
    });
    await expect(deleting.remove('a.txt')).rejects.toEqual(code('tool_failed'));
    expect(readFileSync(join(root, 'a.txt/inner/b.txt'), 'utf8')).toBe('of somebody');
    expect(readdirSync(join(home, 'tmp'))).toEqual([]);
  });

  it('stays as it is when it is a link, and what it points to is not touched', async () => {
    writeFileSync(join(root, 'a.txt'), 'one');
    writeFileSync(join(home, 'secret.txt'), 'one');
    const deleting = swapping(() => {
      away();
      symlinkSync('../secret.txt', join(root, 'a.txt'));
    });
    await expect(deleting.remove('a.txt')).rejects.toEqual(code('tool_failed'));
    expect(existsSync(join(home, 'secret.txt'))).toBe(true);
    expect(readdirSync(root).sort()).toEqual(['a.txt', 'kept.txt']);
  });

  it('stays as it is when it is another file', async () => {
    writeFileSync(join(root, 'a.txt'), 'one');
    const deleting = swapping(() => writeFileSync(join(root, 'a.txt'), 'two'));
    await expect(deleting.remove('a.txt')).rejects.toEqual(code('tool_failed'));
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('two');
  });
});

describe('H5: a file too large to be read', () => {
  it('is deleted and brought back all the same, byte for byte', async () => {
    const bytes = Buffer.alloc(12 * 1024 * 1024, 'large ');
    writeFileSync(join(root, 'large.bin'), bytes);
    expect((await files.compare('large.bin', null)).text).toContain('12.6 MB');
    const { sha256 } = await files.remove('large.bin');
    expect(readdirSync(root)).toEqual([]);
    await files.restore('large.bin', sha256);
    expect(readFileSync(join(root, 'large.bin')).equals(bytes)).toBe(true);
  });
});
