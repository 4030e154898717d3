import { homedir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { COMMAND_LINE, COMPOSITION, ROOMS, roomOf, violation } from './house/rooms.ts';
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
    const known = [...Object.keys(ROOMS), ...Object.keys(COMMAND_LINE), ...COMPOSITION];
    const found = new Set(sources.flatMap(({ path }) => (path.startsWith('engine/') ? [roomOf(path)] : [])));
    expect([...found].filter((room) => !known.includes(room))).toEqual([]);
  });

  it('need only rooms that stand before them in the table', () => {
    const table = { ...ROOMS, ...COMMAND_LINE };
    const order = Object.keys(table);
    const later = Object.entries(table).flatMap(([room, needs]) =>
      needs.filter((need) => order.indexOf(need) >= order.indexOf(room)).map((need) => `${room} needs ${need}`),
    );
    expect(later).toEqual([]);
  });

  it('import each other in no circle', () => {
    expect(cyclesIn(imports)).toEqual([]);
  });

  it('need each other in no circle, types counted', () => {
    const counted = imports.map((found) => ({ ...found, isType: false }));
    expect(cyclesIn(counted)).toEqual([]);
  });

  it('need each other in no circle as somebody sees them who opens engine/, rooms inside them and types counted', () => {
    const top = (path: string): string => path.split('/').slice(0, 2).join('/');
    const between = imports.flatMap(({ from, specifier, to }) =>
      to === undefined || !from.startsWith('engine/') || to === 'engine/config/types.ts' || top(from) === top(to)
        ? []
        : [{ from: top(from), specifier, to: top(to), isType: false }],
    );
    expect(between.length).toBeGreaterThan(1000);
    expect(cyclesIn(between)).toEqual([]);
  });
});

describe('the seams of the house', () => {
  const engine = sources.filter(({ path }) => path.startsWith('engine/'));
  const where = (breaks: (path: string, text: string) => boolean) =>
    engine
      .filter(({ path, text }) => breaks(path, text))
      .map(({ path }) => path)
      .sort();
  /** Text from outside becomes values in these, and nowhere else. */
  const isCodec = (path: string) =>
    /^engine\/(config|record|storage)\/|^engine\/(lib\/json|contract\/http\/tool-arguments)\.ts$/.test(path);

  it('let JSON in through codecs', () => {
    expect(where((path, text) => text.includes('JSON.parse(') && !isCodec(path))).toEqual([]);
  });

  it('have services whose types are written down', () => {
    expect(where((_path, text) => text.includes('ReturnType<typeof'))).toEqual([]);
  });

  it('tell owners of something in the language of each', () => {
    const tells = (text: string) => /\bnotice\.job\(|\bnoticeTo\(/.test(text);
    const inTheirs = (text: string) => /\binEach\(|\bwords(?:: |)\(language\)/.test(text);
    expect(where((_path, text) => tells(text) && !inTheirs(text))).toEqual([]);
  });

  it('open a database in the composition alone, and where a backup copies one', () => {
    const knows = imports.filter(
      ({ from, to }) => to?.startsWith('engine/storage/sqlite/') && !from.startsWith('engine/storage/sqlite/'),
    );
    expect([...new Set(knows.map(({ from }) => from))].sort()).toEqual([
      'engine/app/worker.ts',
      'engine/backup/before-upgrade.ts',
      'engine/backup/create.ts',
      'engine/backup/restore.ts',
      'engine/backup/schema-marker.ts',
      'engine/backup/verify.ts',
      'engine/workspace.ts',
    ]);
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
  it('names in its comments no source that there is not', () => {
    const paths = sourcesIn(['engine', 'extensions', 'scripts', 'test', 'bin'], /\.[cm]?[jt]s$/).map(
      ({ path }) => `/${path}`,
    );
    const named = sources.flatMap(({ path, text }) =>
      [...text.matchAll(/^\s*(?:\/\/|\*|\/\*\*).*$|\/\*\*.*\*\/|\s\/\/ .*$/gm)].flatMap(([comment]) =>
        [...comment.matchAll(/[\w/-]+\.ts\b/g)].map(([file]) => ({ path, file })),
      ),
    );
    expect(named.length).toBeGreaterThan(10);
    const missing = named.filter(({ file }) => !paths.some((path) => path.endsWith(`/${file}`)));
    expect(missing).toEqual([]);
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
