import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMPOSITION, ROOMS, violation } from './house/rooms.ts';
import { cyclesIn, importsOf, root, sourcesIn } from './house/sources.ts';

const sources = sourcesIn(['engine', 'extensions'], /\.ts$/);
const imports = sources.flatMap(importsOf);

describe('the rooms of the house', () => {
  it('import only what the table lets them', () => {
    const broken = imports.flatMap((found) => {
      const why = violation(found);
      return why === undefined ? [] : [`${found.from} imports ${found.specifier}: ${why}`];
    });
    expect(broken).toEqual([]);
  });

  it('are all in the table', () => {
    const known = [...Object.keys(ROOMS), ...COMPOSITION];
    const found = new Set(
      sources.map(({ path }) => path.split('/')).flatMap(([top, room]) => (top === 'engine' && room ? [room] : [])),
    );
    expect([...found].filter((room) => !known.includes(room))).toEqual([]);
  });

  it('import each other in no circle', () => {
    expect(cyclesIn(imports)).toEqual([]);
  });
});

describe('reading the imports of a file', () => {
  const read = (text: string) =>
    importsOf({ path: 'engine/mail/a.ts', text }).map(({ to, specifier, isType }) => [to ?? specifier, isType]);

  it('sees every form an import can take', () => {
    const text = [
      "import a from './b.ts';",
      "import type { C } from '../config/types.ts';",
      "import {\n  d,\n  e,\n} from '../lib/d.ts';",
      "export { f } from './f.ts';",
      "import './g.ts';",
      "const h = await import('./h.ts');",
      "import { z } from 'zod';",
      "// import x from './x.ts';",
    ].join('\n');
    expect(read(text)).toEqual([
      ['engine/mail/b.ts', false],
      ['engine/config/types.ts', true],
      ['engine/lib/d.ts', false],
      ['engine/mail/f.ts', false],
      ['engine/mail/g.ts', false],
      ['engine/mail/h.ts', false],
      ['zod', false],
    ]);
  });

  it('finds a circle through three files', () => {
    const file = (name: string, next: string) =>
      importsOf({ path: `engine/mail/${name}.ts`, text: `import './${next}.ts';` });
    expect(cyclesIn([...file('a', 'b'), ...file('b', 'c'), ...file('c', 'a')])).toHaveLength(1);
    expect(cyclesIn([...file('a', 'b'), ...file('b', 'c'), ...file('a', 'c')])).toEqual([]);
  });
});

describe('a file', () => {
  it('of the engine, the extensions or the scripts is at most 300 lines long, unless its first line says why', () => {
    const long = [...sources, ...sourcesIn(['scripts', 'bin'], /\.(ts|js|sh)$/)].filter(
      ({ text }) => text.split('\n').length > 301 && !/^(#!.*\n)?(\/\/|\/\*|#)/.test(text),
    );
    expect(long.map(({ path }) => path)).toEqual([]);
  });

  it('reads the environment in engine/config alone', () => {
    const readers = sources.filter(
      ({ path, text }) => !path.startsWith('engine/config/') && /\bprocess\s*\.\s*env\b|from 'node:process'/.test(text),
    );
    expect(readers.map(({ path }) => path)).toEqual([]);
  });

  it('names no folder of the machine it was written on', () => {
    const folders = [root.replace(/\/$/, ''), homedir()].filter((folder) => folder.length > 1);
    const personal = /(?<![\w.:-])\/(?:home|Users)\/\w+\//;
    const everything = [...sources, ...sourcesIn(['scripts', 'bin', 'configs', 'personas', 'extensions'], /./)];
    const telling = everything.filter(
      ({ text }) => personal.test(text) || folders.some((folder) => text.includes(`${folder}/`)),
    );
    expect(telling.map(({ path }) => path)).toEqual([]);
  });
});

describe('the linter, in an editor', () => {
  const folder = mkdtempSync(join(tmpdir(), 'epistle-house-'));
  const rooms = Object.keys(ROOMS);
  const everywhere = [...rooms.filter((room) => room !== 'contract'), 'cli', 'console'];

  function probe(path: string, specifiers: readonly string[]): void {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), specifiers.map((name) => `import '${name}';\n`).join(''));
  }

  /** The lint rule's complaints about a probe, by line. */
  function complaints(): Map<string, number[]> {
    const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
    const args = ['lint', '--only=style/noRestrictedImports', '--reporter=json', '--max-diagnostics=none'];
    const { stdout } = spawnSync(process.execPath, [biome, ...args], { cwd: folder, encoding: 'utf8' });
    const lines = new Map<string, number[]>();
    const report: { diagnostics: { location: { path: string; start: { line: number } } }[] } = JSON.parse(stdout);
    for (const { location } of report.diagnostics) {
      lines.set(location.path, [...(lines.get(location.path) ?? []), location.start.line]);
    }
    for (const found of lines.values()) found.sort((a, b) => a - b);
    return lines;
  }

  beforeAll(() => copyFileSync(join(root, 'biome.json'), join(folder, 'biome.json')));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('rejects exactly the imports that the table forbids', () => {
    const targets = everywhere.map((room) => (room === 'dispatch' ? '../dispatch/accept.ts' : `../${room}/x.ts`));
    for (const room of rooms) probe(`engine/${room}/probe.ts`, targets);
    const forbidden = (room: string): number[] =>
      everywhere.flatMap((other, index) => (other === room || ROOMS[room]?.includes(other) ? [] : [index + 1]));
    const found = complaints();
    for (const room of rooms) {
      expect({ room, lines: found.get(`engine/${room}/probe.ts`) ?? [] }).toEqual({ room, lines: forbidden(room) });
    }
  });

  it('knows the exceptions', () => {
    probe('engine/gateway/probe.ts', ['../dispatch/accept.ts', '../dispatch/claim.ts', '../config/types.ts']);
    probe('engine/contract/probe.ts', ['zod', './tool.ts', 'node:fs', 'kysely']);
    probe('engine/storage/probe.ts', ['#contract', '../contract/index.ts', '../app.ts']);
    probe('engine/app.ts', ['./cli/x.ts', './storage/x.ts', './contract/index.ts']);
    probe('extensions/tools/probe/index.ts', [
      '#contract',
      './own.ts',
      'openai',
      '../../../engine/mail/x.ts',
      '../../other/x.ts',
    ]);
    const found = complaints();
    expect(found.get('engine/gateway/probe.ts')).toEqual([2]);
    expect(found.get('engine/contract/probe.ts')).toEqual([3, 4]);
    expect(found.get('engine/storage/probe.ts')).toEqual([2, 3]);
    expect(found.get('engine/app.ts')).toEqual([3]);
    expect(found.get('extensions/tools/probe/index.ts')).toEqual([4, 5]);
  });
});
