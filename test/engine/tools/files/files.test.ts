import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FilesCapability } from '#contract';
import { readBytes, replaceFile, textOf } from '../../../../engine/tools/files/content.ts';
import { inFolder } from '../../../../engine/tools/files/folder.ts';
import { filesIn } from '../capabilities/files-rig.ts';

let home: string;
let root: string;
let files: FilesCapability;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'epistle-files-'));
  root = join(home, 'files');
  mkdirSync(root);
  writeFileSync(join(home, 'secret.txt'), 'the secret');
  files = filesIn(root);
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

const code = (expected: string) => expect.objectContaining({ name: 'EngineError', code: expected });

describe('a file that the persona writes', () => {
  it('is read back unchanged, in folders made on the way', async () => {
    const text = '\ufeffGrüße\r\n日本語 😀\n';
    expect(await files.write('./notes//2026/plan.md', text)).toEqual({
      path: 'notes/2026/plan.md',
      bytes: Buffer.byteLength(text),
    });
    expect(await files.read('notes/2026/plan.md')).toBe(text);
  });

  it('is private to the account of the gateway', async () => {
    await files.write('a/b.txt', 'x');
    expect(statSync(join(root, 'a')).mode & 0o777).toBe(0o700);
    expect(statSync(join(root, 'a/b.txt')).mode & 0o777).toBe(0o600);
  });

  it('leaves nothing beside itself', async () => {
    await files.write('a.txt', 'one');
    await files.write('a.txt', 'two');
    expect(readdirSync(root)).toEqual(['a.txt']);
  });

  it('makes files/ itself when there was none', async () => {
    rmSync(root, { recursive: true });
    expect(await files.list('')).toEqual([]);
    expect(await files.owner('a.txt')).toBe('absent');
    await files.write('a.txt', 'x');
    expect(await files.read('a.txt')).toBe('x');
  });

  it('is whole at every moment while two writers replace it', async () => {
    const one = 'a'.repeat(300_000);
    const two = 'b'.repeat(300_000);
    await files.write('big.txt', one);
    const writes = Promise.all(Array.from({ length: 12 }, (_, n) => files.write('big.txt', n % 2 ? one : two)));
    const seen = await Promise.all(Array.from({ length: 20 }, () => files.read('big.txt')));
    await writes;
    for (const text of seen) expect(text === one || text === two).toBe(true);
    expect(readdirSync(root)).toEqual(['big.txt']);
  });
});

describe('a file that two runs make at once', () => {
  it('is that of the first; the later one hears of it, and writes the same again in peace', async () => {
    const both = await Promise.allSettled([
      files.write('notes/day.md', 'one', { isNew: true }),
      files.write('notes/day.md', 'another', { isNew: true }),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const there = await files.read('notes/day.md');
    expect(there).toBe(both[0]?.status === 'fulfilled' ? 'one' : 'another');
    await expect(files.write('notes/day.md', 'a third', { isNew: true })).rejects.toMatchObject({
      code: 'invalid_arguments',
    });
    expect(await files.write('notes/day.md', there, { isNew: true })).toMatchObject({ path: 'notes/day.md' });
    expect(await files.read('notes/day.md')).toBe(there);
  });
});

describe('whose file it is', () => {
  it('is the persona own while it stands as the persona wrote it', async () => {
    expect(await files.owner('a.txt')).toBe('absent');
    await files.write('a.txt', 'mine');
    expect(await files.owner('a.txt')).toBe('persona');
    expect(await files.owner('./a.txt')).toBe('persona');
  });

  it('is somebody else as soon as another changed it', async () => {
    await files.write('a.txt', 'mine');
    writeFileSync(join(root, 'a.txt'), 'edited by the owner');
    expect(await files.owner('a.txt')).toBe('other');
  });

  it('of somebody else stays theirs when the persona was let change it once', async () => {
    writeFileSync(join(root, 'theirs.txt'), 'one');
    await files.write('theirs.txt', 'two');
    expect(await files.owner('theirs.txt')).toBe('other');
  });

  it('is somebody else for what the persona never wrote, folders and links too', async () => {
    writeFileSync(join(root, 'plan.txt'), 'by the owner');
    mkdirSync(join(root, 'folder'));
    symlinkSync('plan.txt', join(root, 'link'));
    for (const path of ['plan.txt', 'folder', 'link']) expect(await files.owner(path)).toBe('other');
  });

  it('stays somebody else when the write was never recorded', async () => {
    const forgetful = filesIn(root, {
      made: () => Promise.reject(new Error('disk full')),
      madeHash: async () => null,
    });
    await expect(forgetful.write('a.txt', 'x')).rejects.toThrow('disk full');
    expect(await forgetful.owner('a.txt')).toBe('other');
  });
});

describe('a path that would leave files/', () => {
  const escapes = [
    '../secret.txt',
    'a/../../secret.txt',
    '..',
    '/etc/passwd',
    '//etc/passwd',
    'C:/secret.txt',
    'c:secret.txt',
    '..\\secret.txt',
    'a\\b.txt',
    '\\\\server\\share',
    'a\0.txt',
    'a\n.txt',
    'safe\u202etxt.exe',
    `${'x/'.repeat(40)}y`,
    'x'.repeat(201),
    `${'x/'.repeat(8)}${'y'.repeat(1100)}`,
    'lone\ud800surrogate',
    '.epistle-abc/content',
  ];

  it.each(escapes)('is refused before the disk is touched: %j', async (path) => {
    await expect(files.read(path)).rejects.toEqual(code('invalid_arguments'));
    await expect(files.write(path, 'x')).rejects.toEqual(code('invalid_arguments'));
    await expect(files.list(path)).rejects.toEqual(code('invalid_arguments'));
    await expect(files.owner(path)).rejects.toEqual(code('invalid_arguments'));
    expect(readdirSync(root)).toEqual([]);
    expect(readFileSync(join(home, 'secret.txt'), 'utf8')).toBe('the secret');
  });

  it.each(['', '.', '../../harness/tools/capabilities/', 'folder/'])('does not name a file: %j', async (path) => {
    await expect(files.write(path, 'x')).rejects.toEqual(code('invalid_arguments'));
    await expect(files.read(path)).rejects.toEqual(code('invalid_arguments'));
  });
});

describe('a link in files/', () => {
  it('to a file outside is not read, written or listed', async () => {
    symlinkSync(join(home, 'secret.txt'), join(root, 'link.txt'));
    await expect(files.read('link.txt')).rejects.toEqual(code('invalid_arguments'));
    await expect(files.write('link.txt', 'overwritten')).rejects.toEqual(code('invalid_arguments'));
    expect(await files.list('')).toEqual([]);
    expect(readFileSync(join(home, 'secret.txt'), 'utf8')).toBe('the secret');
  });

  it('to a folder outside is not entered', async () => {
    symlinkSync(home, join(root, 'up'));
    await expect(files.read('up/secret.txt')).rejects.toEqual(code('invalid_arguments'));
    await expect(files.write('up/new.txt', 'x')).rejects.toEqual(code('invalid_arguments'));
    await expect(files.write('up/sub/new.txt', 'x')).rejects.toEqual(code('invalid_arguments'));
    await expect(files.list('up')).rejects.toEqual(code('invalid_arguments'));
    expect(readdirSync(home).sort()).toEqual(['files', 'secret.txt']);
  });

  it('to a folder whose name only begins like files/ is not entered', async () => {
    mkdirSync(join(home, 'files-of-another'));
    symlinkSync(join(home, 'files-of-another'), join(root, 'link'));
    await expect(files.write('link/x.txt', 'x')).rejects.toEqual(code('invalid_arguments'));
  });

  it('that stays inside may be followed as a folder', async () => {
    await files.write('real/a.txt', 'inside');
    symlinkSync('real', join(root, 'alias'));
    expect(await files.read('alias/a.txt')).toBe('inside');
  });

  it('that points to itself ends in an error', async () => {
    symlinkSync('loop', join(root, 'loop'));
    await expect(files.read('loop')).rejects.toEqual(code('invalid_arguments'));
    await expect(files.read('loop/x')).rejects.toEqual(code('invalid_arguments'));
  });

  it.runIf(process.platform === 'linux')('swapped in for a folder already checked leads nowhere', async () => {
    mkdirSync(join(home, 'outside'));
    writeFileSync(join(home, 'outside/a.txt'), 'the secret');
    await files.write('dir/a.txt', 'inside');
    const read = await inFolder({ root, folders: ['dir'], create: false }, async (folder) => {
      renameSync(join(root, 'dir'), join(root, 'moved'));
      symlinkSync(join(home, 'outside'), join(root, 'dir'));
      await replaceFile(folder, { name: 'b.txt', temporary: join(home, 'tmp') }, Buffer.from('written'));
      return textOf(await readBytes(folder, 'a.txt'));
    });
    expect(read).toBe('inside');
    expect(readdirSync(join(home, 'outside'))).toEqual(['a.txt']);
    expect(readFileSync(join(root, 'moved/b.txt'), 'utf8')).toBe('written');
  });

  it('swapped in between check and opening of a file is not followed', async () => {
    await files.write('dir/a.txt', 'inside');
    const read = inFolder({ root, folders: ['dir'], create: false }, async (folder) => {
      rmSync(join(root, 'dir/a.txt'));
      symlinkSync(join(home, 'secret.txt'), join(root, 'dir/a.txt'));
      return textOf(await readBytes(folder, 'a.txt'));
    });
    await expect(read).rejects.toMatchObject({ code: 'ELOOP' });
  });
});

describe('what is no file', () => {
  it('a named pipe is refused at once instead of waited for', async () => {
    execFileSync('mkfifo', [join(root, 'pipe')]);
    await expect(files.read('pipe')).rejects.toEqual(code('invalid_arguments'));
    await expect(files.write('pipe', 'x')).rejects.toEqual(code('invalid_arguments'));
    expect(await files.list('')).toEqual([]);
  });

  it('a socket is refused', async () => {
    const server = createServer().listen(join(root, 'socket'));
    await new Promise((resolve) => server.once('listening', resolve));
    await expect(files.read('socket')).rejects.toEqual(code('invalid_arguments'));
    await new Promise((resolve) => server.close(resolve));
  });

  it('a folder cannot be read or replaced, a file not entered', async () => {
    await files.write('folder/a.txt', 'x');
    await expect(files.read('folder')).rejects.toEqual(code('invalid_arguments'));
    await expect(files.write('folder', 'x')).rejects.toEqual(code('invalid_arguments'));
    await expect(files.write('folder/a.txt/b', 'x')).rejects.toEqual(code('invalid_arguments'));
    await expect(files.list('folder/a.txt')).rejects.toEqual(code('invalid_arguments'));
  });

  it('a missing file is not_found, without a path of this machine in the words', async () => {
    const error = await files.read('nowhere/a.txt').catch((thrown: unknown) => thrown);
    expect(error).toEqual(code('not_found'));
    expect(String(error)).not.toContain(home);
  });

  it('bytes that are not text are named as such', async () => {
    writeFileSync(join(root, 'image.png'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff]));
    writeFileSync(join(root, 'nul.txt'), 'a\0b');
    await expect(files.read('image.png')).rejects.toEqual(code('tool_failed'));
    await expect(files.read('nul.txt')).rejects.toEqual(code('tool_failed'));
  });
});

describe('sizes', () => {
  it('a file over 10 MiB is neither read nor written', async () => {
    writeFileSync(join(root, 'huge.txt'), '');
    truncateSync(join(root, 'huge.txt'), 10 * 1024 * 1024 + 1);
    await expect(files.read('huge.txt')).rejects.toEqual(code('tool_failed'));
    await expect(files.write('big.txt', 'ä'.repeat(5 * 1024 * 1024 + 1))).rejects.toEqual(code('invalid_arguments'));
    expect(readdirSync(root)).toEqual(['huge.txt']);
  });

  it('a sparse terabyte is somebody else without being read', async () => {
    await files.write('mine.txt', 'x');
    truncateSync(join(root, 'mine.txt'), 2 ** 40);
    expect(await files.owner('mine.txt')).toBe('other');
  });
});

describe('a listing', () => {
  it('names files and folders with sizes, sorted, below the asked folder', async () => {
    await files.write('b.txt', '12345');
    await files.write('a/c.txt', 'x');
    expect(await files.list('')).toEqual([
      { path: 'a', type: 'folder', bytes: 0 },
      { path: 'b.txt', type: 'file', bytes: 5 },
    ]);
    expect(await files.list('a/')).toEqual([{ path: 'a/c.txt', type: 'file', bytes: 1 }]);
    await expect(files.list('nowhere')).rejects.toEqual(code('not_found'));
  });

  it('does not show what a crash left of an unfinished write', async () => {
    mkdirSync(join(root, '.epistle-Ab12Cd'));
    expect(await files.list('')).toEqual([]);
  });
});

describe('a file that is taken away', () => {
  const BYTES = Buffer.from([0, 255, 10, 13, 200]);

  it('is gone, and comes back byte for byte', async () => {
    writeFileSync(join(root, 'a.bin'), BYTES);
    const gone = await files.remove('./a.bin');
    expect(gone).toMatchObject({ path: 'a.bin', bytes: 5 });
    expect(readdirSync(root)).toEqual([]);
    // A crash before the result was stored: the same call says the same.
    expect(await files.remove('a.bin')).toEqual(gone);
    expect(await files.restore('a.bin', gone.sha256)).toEqual({ path: 'a.bin' });
    expect(readFileSync(join(root, 'a.bin'))).toEqual(BYTES);
    await files.restore('a.bin', gone.sha256);
  });

  it('comes back to a folder that is gone as well, and never over something newer', async () => {
    mkdirSync(join(root, 'notes'));
    writeFileSync(join(root, 'notes/a.txt'), 'old');
    const { sha256 } = await files.remove('notes/a.txt');
    rmSync(join(root, 'notes'), { recursive: true });
    await files.restore('notes/a.txt', sha256);
    writeFileSync(join(root, 'notes/a.txt'), 'newer');
    await expect(files.restore('notes/a.txt', sha256)).rejects.toEqual(code('tool_failed'));
    expect(readFileSync(join(root, 'notes/a.txt'), 'utf8')).toBe('newer');
  });

  it('is not taken away when it is no file, leads outside, or too much is kept already', async () => {
    symlinkSync('../secret.txt', join(root, 'link'));
    mkdirSync(join(root, 'folder'));
    for (const path of ['link', 'folder']) await expect(files.remove(path)).rejects.toBeDefined();
    await expect(files.remove('../secret.txt')).rejects.toEqual(code('invalid_arguments'));
    await expect(files.remove('nothing.txt')).rejects.toEqual(code('not_found'));
    writeFileSync(join(root, 'a.txt'), 'x');
    await expect(filesIn(root, { keptBytes: async () => 2 ** 28 }).remove('a.txt')).rejects.toEqual(
      code('tool_failed'),
    );
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('x');
    expect(readFileSync(join(home, 'secret.txt'), 'utf8')).toBe('the secret');
  });
});

describe('what would change', () => {
  it('is shown by lines with a little around them, and stands for what is there now', async () => {
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);
    writeFileSync(join(root, 'a.txt'), lines.join('\n'));
    const { text, basis } = await files.compare('a.txt', lines.with(19, 'changed').join('\n'));
    expect(text).toContain('- line 20\n+ changed');
    expect(text).toContain('@ line 17');
    expect(text).not.toContain('line 5');
    expect((await files.compare('a.txt', 'else')).basis).toBe(basis);
    writeFileSync(join(root, 'a.txt'), 'other');
    expect((await files.compare('a.txt', 'else')).basis).not.toBe(basis);
    expect(await files.compare('b.txt', 'new')).toEqual({ text: 'There is no such file yet.', basis: 'absent' });
  });

  it('is bounded, however much it is', async () => {
    writeFileSync(join(root, 'a.txt'), Array.from({ length: 50_000 }, (_, index) => `old ${index}`).join('\n'));
    const after = Array.from({ length: 50_000 }, (_, index) => `new ${index} ${'x'.repeat(20)}`).join('\n');
    const { text } = await files.compare('a.txt', after);
    expect(text.split('\n').length).toBeLessThan(210);
    expect(text).toMatch(/and 9\d{4} more changed lines$/);
  });
});
