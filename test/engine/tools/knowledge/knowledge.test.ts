import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { workspaceFiles } from '../../../../engine/config/workspace-files.ts';
import { createDocumentReader } from '../../../../engine/documents/reader.ts';
import { personaFiles } from '../../../../engine/storage/persona-files.ts';
import type { Store } from '../../../../engine/storage/ports/store.ts';
import { openStore } from '../../../../engine/storage/sqlite/persona/store.ts';
import { createLibrary } from '../../../../engine/tools/documents/library.ts';
import { createKnowledge, type Knowledge, limitReads } from '../../../../engine/tools/knowledge/knowledge.ts';

let root: string;
let store: Store;
let now: number;
let readsOfFiles: string[];
const reader = createDocumentReader();

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'knowledge-'));
  store = openStore(join(root, 'persona.db'));
  now = Date.parse('2026-11-23T08:00:00Z');
  readsOfFiles = [];
});
afterEach(async () => {
  await store.close();
  rmSync(root, { recursive: true });
});

function open({ maxWhole = 0, readMs = 0 } = {}): Knowledge {
  const files = workspaceFiles(root);
  const { artifacts } = personaFiles(join(root, 'data'), 'ada');
  const folder = {
    walk: files.walk,
    async readBytes(path: string) {
      readsOfFiles.push(path.split('/').slice(3).join('/'));
      now += readMs;
      return files.readBytes(path);
    },
  };
  const library = createLibrary({ store, artifacts, reader, account: 'ada', now: () => now });
  return createKnowledge({ personaId: 'ada', folder, store, library, maxWhole, now: () => now });
}

let written = 0;

function write(name: string, text: string | Uint8Array): void {
  const path = join(root, 'personas/ada/knowledge', name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  written += 1;
  utimesSync(path, 1_700_000_000 + written, 1_700_000_000 + written);
}

const remove = (name: string) => rmSync(join(root, 'personas/ada/knowledge', name));

describe('knowledge', () => {
  it('finds the one section of forty files and opens it by its id', async () => {
    for (let n = 1; n <= 40; n += 1)
      write(`notes/${n}.md`, `# Note ${n}\n${'Nothing of interest here. '.repeat(200)}\n`);
    write(
      'notes/40.md',
      `# Suppliers\n## Batteries\nVolt & Söhne deliver within nine working days.\n## Lamps\nOther.\n`,
    );
    const knowledge = open();
    expect(await knowledge.isLarge()).toBe(true);
    const [best, ...others] = await knowledge.find({
      query: 'How long does Sohne take to deliver a battery?',
      limit: 5,
    });
    expect(others).toEqual([]);
    expect(best).toMatchObject({ path: 'knowledge:notes/40.md', title: 'Suppliers > Batteries' });
    expect(best?.snippet).toContain('nine working days');
    const { sections, gone } = await knowledge.read([best?.id ?? '', 'k999999', 'x']);
    expect(sections.map(({ text }) => text)).toEqual([
      '## Batteries\nVolt & Söhne deliver within nine working days.\n',
    ]);
    expect(gone).toEqual(['k999999', 'x']);
  });

  it('gives all of it, word for word, where it is short', async () => {
    write('b/two.md', '# Two\nSecond.');
    write('one.txt', 'First.');
    const whole = await open({ maxWhole: 100 }).whole();
    expect(whole).toMatchObject({ files: 2, unread: [], unreadable: [] });
    expect(whole.texts).toEqual([
      { path: 'b/two.md', text: '# Two\nSecond.', isDocument: false },
      { path: 'one.txt', text: 'First.', isDocument: false },
    ]);
    expect((await open({ maxWhole: 10 }).whole()).texts).toBeNull();
  });

  it('reads a file once, and again when it has changed; what is gone is found no more', async () => {
    write('a.md', 'Apples cost 3 EUR.');
    write('b.md', 'Bananas cost 2 EUR.');
    const knowledge = open();
    const [apples] = await knowledge.find({ query: 'apples', limit: 5 });
    await knowledge.find({ query: 'bananas', limit: 5 });
    expect(readsOfFiles).toEqual(['a.md', 'b.md']);

    write('a.md', 'Apples cost 4 EUR.');
    remove('b.md');
    const [again] = await knowledge.find({ query: 'apples', limit: 5 });
    expect(again?.snippet).toBe('Apples cost 4 EUR.');
    expect(again?.id).not.toBe(apples?.id);
    expect((await knowledge.read([apples?.id ?? ''])).gone).toEqual([apples?.id]);
    expect(await knowledge.find({ query: 'bananas', limit: 5 })).toEqual([]);
    expect(readsOfFiles).toEqual(['a.md', 'b.md', 'a.md']);
  });

  it('keeps the ids of a file that was saved anew with the same words', async () => {
    write('a.md', 'Apples cost 3 EUR.');
    const knowledge = open();
    const [before] = await knowledge.find({ query: 'apples', limit: 5 });
    write('a.md', 'Apples cost 3 EUR.');
    expect((await knowledge.find({ query: 'apples', limit: 5 }))[0]?.id).toBe(before?.id);
  });

  it('marks a file of which a fifth or more says something else now', async () => {
    const page = (words: string) => `# Page ${words}\n${`${words} `.repeat(60)}\n`;
    const ten = Array.from({ length: 10 }, (_, n) => page(`word${n}`));
    write('a.md', ten.join(''));
    const knowledge = open();
    await knowledge.find({ query: 'word0', limit: 1 });
    write('a.md', [page('other'), ...ten.slice(1)].join(''));
    expect((await knowledge.find({ query: 'word5', limit: 1 }))[0]?.rewritten).toBeUndefined();
    write('a.md', [page('other'), page('third'), page('fourth'), ...ten.slice(3)].join(''));
    expect((await knowledge.find({ query: 'word5', limit: 1 }))[0]?.rewritten).toBe('2026-11-23T08:00:00.000Z');
  });

  it('leaves what takes too long for the next look, and says so', async () => {
    for (let n = 0; n < 9; n += 1) write(`${n}.md`, `Text ${n}.`);
    const knowledge = open({ readMs: 1500, maxWhole: 10_000 });
    expect((await knowledge.whole()).unread).toEqual(['3.md', '4.md', '5.md', '6.md', '7.md', '8.md']);
    expect((await knowledge.whole()).unread).toEqual(['6.md', '7.md', '8.md']);
    expect(await knowledge.whole()).toMatchObject({ unread: [], files: 9 });
  });

  it('says what cannot be read, and reads the rest; nothing outside of the workspace or secret', async () => {
    write('ok.md', 'Good.');
    write('logo.png', Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 1, 0xff, 0xfe]));
    write('.env', 'KEY=secret');
    const outside = mkdtempSync(join(tmpdir(), 'outside-'));
    writeFileSync(join(outside, 'passwd.md'), 'not for it');
    symlinkSync(join(outside, 'passwd.md'), join(root, 'personas/ada/knowledge/link.md'));
    symlinkSync(outside, join(root, 'personas/ada/knowledge/folder'));
    symlinkSync('.', join(root, 'personas/ada/knowledge/circle'));
    const whole = await open({ maxWhole: 1000 }).whole();
    expect(whole.texts).toEqual([{ path: 'ok.md', text: 'Good.', isDocument: false }]);
    expect(whole.unreadable).toEqual([{ path: 'logo.png', why: expect.any(String) }]);
    rmSync(outside, { recursive: true });
  });

  it('tells by the hash whether a file has changed since', async () => {
    write('a.md', 'Apples cost 3 EUR.');
    const knowledge = open();
    const [hit] = await knowledge.find({ query: 'apples', limit: 1 });
    const { sections } = await knowledge.read([hit?.id ?? '']);
    expect(await knowledge.hashOf('a.md')).toBe(sections[0]?.sha256);
    write('a.md', 'Apples cost 5 EUR.');
    expect(await knowledge.hashOf('a.md')).not.toBe(sections[0]?.sha256);
    expect(await knowledge.hashOf('b.md')).toBeNull();
  });

  it('is opened three times for one mail, also after a restart', async () => {
    write('a.md', 'Apples cost 3 EUR.');
    const limited = limitReads(open(), [
      { tool: 'read_knowledge' },
      { tool: 'search_knowledge' },
      { tool: 'read_knowledge' },
    ]);
    await limited.read(['k1']);
    await expect(limited.read(['k1'])).rejects.toThrow('3 times');
  });

  it('is empty without a folder', async () => {
    const knowledge = open();
    expect(await knowledge.isLarge()).toBe(false);
    expect(await knowledge.whole()).toMatchObject({ texts: [], files: 0 });
    expect(await knowledge.find({ query: '', limit: 5 })).toEqual([]);
  });
});
