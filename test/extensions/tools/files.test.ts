import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ToolContext } from '#contract';
import { sha256 } from '../../../engine/lib/ids.ts';
import editFile from '../../../extensions/tools/edit_file/index.ts';
import listFiles from '../../../extensions/tools/list_files/index.ts';
import readFile from '../../../extensions/tools/read_file/index.ts';
import { linesOf, pageOf } from '../../../extensions/tools/read_file/lines.ts';
import writeFile from '../../../extensions/tools/write_file/index.ts';
import { filesIn } from '../../engine/tools/capabilities/files-rig.ts';
import { errorWith, toolContext } from './context.ts';

let home: string;
let root: string;
let context: ToolContext;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'epistle-tools-'));
  root = join(home, 'files');
  mkdirSync(root);
  context = toolContext({ files: filesIn(root) });
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

const write = (path: string, content: string) => writeFile.run({ path, content }, context);
const edit = (path: string, old_text: string, new_text: string) => editFile.run({ path, old_text, new_text }, context);
const read = (args: { path: string; offset?: number; limit?: number }) =>
  readFile.run(readFile.input.parse(args), context);

describe('write_file', () => {
  it('says whether the file is new', async () => {
    expect(await write('a/plan.md', 'one')).toEqual({ path: 'a/plan.md', bytes: 3, created: true });
    expect(await write('a/plan.md', 'two!')).toEqual({ path: 'a/plan.md', bytes: 4, created: false });
    expect(readFileSync(join(root, 'a/plan.md'), 'utf8')).toBe('two!');
  });

  it('is a create for a new path and for what the persona wrote, a write for what another wrote', async () => {
    const risk = async (path: string) => (await writeFile.effects?.({ path, content: '' }, context))?.risk;
    expect(writeFile.risk).toBe('create');
    expect(await risk('new.md')).toBe('create');
    await write('own.md', 'x');
    expect(await risk('own.md')).toBe('create');
    writeFileSync(join(root, 'own.md'), 'changed by the owner');
    expect(await risk('own.md')).toBe('write');
  });

  it('leaves what says just that already as it is, and as whose it is', async () => {
    writeFileSync(join(root, 'theirs.md'), 'hello');
    const asked = async (content: string) => (await writeFile.effects?.({ path: 'theirs.md', content }, context))?.risk;
    expect(await asked('hello')).toBe('create');
    expect(await write('theirs.md', 'hello')).toEqual({ path: 'theirs.md', bytes: 5, created: false });
    expect(await asked('hello!')).toBe('write');
  });

  it('names the path as its target and refuses one that leaves files/ before anybody is asked', async () => {
    expect(await writeFile.effects?.({ path: 'a.md', content: '' }, context)).toMatchObject({ targets: ['a.md'] });
    const asked = writeFile.effects?.({ path: '../a.md', content: '' }, context);
    await expect(asked).rejects.toEqual(errorWith('invalid_arguments', 'leaves files/'));
  });
});

describe('edit_file', () => {
  it('changes the one place and nothing else, byte-order mark and CR LF included', async () => {
    await write('a.txt', '\ufeffone\r\ntwo\r\nthree');
    await edit('a.txt', 'two', 'zwei');
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('\ufeffone\r\nzwei\r\nthree');
  });

  it('takes the new text literally', async () => {
    await write('a.txt', 'price: X');
    await edit('a.txt', 'X', "$& $1 $$ $'");
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe("price: $& $1 $$ $'");
  });

  it.each([
    ['nowhere', 'one two three', 'four', '0 times'],
    ['twice', 'one two one', 'one', '2 times'],
    ['twice by overlap', 'aaa', 'aa', '2 times'],
    ['very often', 'a'.repeat(5000), 'a', '100 times or more'],
    ['nowhere because of line ends', 'a\r\nb', 'a\nb', 'CR LF'],
  ])('refuses a text that occurs %s and says so', async (_, content, oldText, words) => {
    await write('a.txt', content);
    await expect(edit('a.txt', oldText, 'x')).rejects.toEqual(errorWith('invalid_arguments', words));
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe(content);
  });

  it('refuses a change that is none, and a file that is not there', async () => {
    await write('a.txt', 'one');
    await expect(edit('a.txt', 'one', 'one')).rejects.toEqual(errorWith('invalid_arguments', 'the same'));
    await expect(edit('b.txt', 'one', 'two')).rejects.toEqual(errorWith('not_found'));
    expect(editFile.input.safeParse({ path: 'a.txt', old_text: '', new_text: 'x' }).success).toBe(false);
  });

  it('is quick on texts made to be slow', async () => {
    await write('a.txt', 'a'.repeat(1_000_000));
    await expect(edit('a.txt', 'a'.repeat(10_000), 'b')).rejects.toEqual(errorWith('invalid_arguments', '100 times'));
  });

  it('is a create only for the own file of the persona', async () => {
    const risk = async (path: string) =>
      (await editFile.effects?.({ path, old_text: 'x', new_text: 'y' }, context))?.risk;
    await write('own.md', 'x');
    writeFileSync(join(root, 'other.md'), 'x');
    expect(await risk('own.md')).toBe('create');
    expect(await risk('other.md')).toBe('write');
    await edit('own.md', 'x', 'y');
    expect(await risk('own.md')).toBe('create');
  });
});

describe('read_file', () => {
  it('gives the text of a document', async () => {
    writeFileSync(join(root, 'lease.pdf'), Buffer.from('%PDF-1.7\n\xe2\xe3', 'latin1'));
    expect(await read({ path: 'lease.pdf' })).toMatchObject({ text: 'what lease.pdf says\n', total_lines: 1 });
  });

  it('gives a page of lines and where to go on', async () => {
    await write('a.txt', 'one\ntwo\nthree\n');
    expect(await read({ path: 'a.txt', limit: 2 })).toEqual({
      path: 'a.txt',
      text: 'one\ntwo\n',
      offset: 0,
      lines: 2,
      total_lines: 3,
      next_offset: 2,
      source_sha256: sha256('one\ntwo\nthree\n'),
    });
    expect(await read({ path: 'a.txt', offset: 2 })).toMatchObject({ text: 'three\n', next_offset: null });
    expect(await read({ path: 'a.txt', offset: 99 })).toMatchObject({ text: '', lines: 0, next_offset: null });
  });

  it('reads an empty file', async () => {
    await write('empty.txt', '');
    expect(await read({ path: 'empty.txt' })).toMatchObject({ text: '', total_lines: 0, next_offset: null });
  });

  it('reaches every part of a file that is one long line', () => {
    const text = '{"a":'.repeat(40_000);
    let seen = '';
    for (let offset: number | null = 0; offset !== null; ) {
      const page = pageOf(text, { offset, limit: 2000 });
      expect(JSON.stringify(page.text).length).toBeLessThan(18_500);
      seen += page.text;
      offset = page.next_offset;
    }
    expect(seen).toBe(text);
  });

  it('cuts into lines that join to the same text, whole characters each', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '\n', '\r\n', '😀', '\u2028', 'x'.repeat(1999)) }), (text) => {
        const lines = linesOf(text);
        expect(lines.join('')).toBe(text);
        for (const line of lines) expect(line.isWellFormed() && line.length > 0).toBe(true);
      }),
      { seed: 7, numRuns: 200 },
    );
  });
});

describe('list_files', () => {
  it('lists the top when no path is given', async () => {
    expect(listFiles.input.parse({})).toEqual({ path: '', recursive: false });
    await write('a/b.txt', 'x');
    expect(await listFiles.run({ path: '', recursive: false }, context)).toEqual({
      path: '',
      entries: [{ path: 'a', type: 'folder', bytes: 0 }],
      total: 1,
      truncated: false,
    });
  });

  it('lists all below, the nearest first, within bounds', async () => {
    await write('a/b/c.txt', 'x');
    await write('d.txt', 'x');
    const listed = await listFiles.run({ path: '', recursive: true }, context);
    const paths = ['a', 'd.txt', 'a/b', 'a/b/c.txt'];
    expect(listed).toMatchObject({ total: 4, truncated: false, entries: paths.map((path) => ({ path })) });
    for (let n = 0; n < 120; n += 1) await write(`many/${n}/x.txt`, 'x');
    expect(await listFiles.run({ path: '', recursive: true }, context)).toMatchObject({ truncated: true });
  });

  it('shows the first 200 of many and how many there are', async () => {
    for (let n = 0; n < 210; n += 1) writeFileSync(join(root, `file-${n}`), '');
    const listed = await listFiles.run({ path: '', recursive: false }, context);
    expect(listed).toMatchObject({ total: 210, truncated: true, entries: { length: 200 } });
  });
});
