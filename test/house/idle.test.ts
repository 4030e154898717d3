import { describe, expect, it } from 'vitest';
import { roomOf } from './rooms.ts';
import { importsOf, type Source, sourcesIn } from './sources.ts';

const sources = new Map(sourcesIn(['engine', 'extensions'], /\.ts$/).map((source) => [source.path, source]));
const EXTENSION = /^extensions\/(tools|resolvers|hooks)\/[^/]+\/index\.ts$/;
/** Imported by `start`, or by the loader of extensions before any mail. */
const ROOTS = ['main', 'commands/gateway/start', 'command/context', 'command/before-upgrade'].map(
  (name) => `engine/cli/${name}.ts`,
);

/** What is loaded with the file itself: not `import()`, which is for the first use, and no types. */
const loadedWith = ({ path, text }: Source) =>
  importsOf({ path, text: text.replaceAll('import(', '') }).filter(({ isType }) => !isType);

function loadedAtStart() {
  const waiting = [...ROOTS, ...[...sources.keys()].filter((path) => EXTENSION.test(path))];
  const files = new Set<string>();
  const packages = new Map<string, string>();
  for (const path of waiting) {
    const source = sources.get(path);
    if (files.has(path) || source === undefined) continue;
    files.add(path);
    for (const { to, specifier } of loadedWith(source)) {
      if (to === undefined) packages.set(specifier, path);
      else waiting.push(to);
    }
  }
  return { files, packages };
}

const { files, packages } = loadedAtStart();

describe('a gateway that waits for its first mail', () => {
  it('has loaded the packages that it starts with, and none that only mail, runs or tables need', () => {
    const names = [...packages.keys()].filter((name) => !name.startsWith('node:')).sort();
    expect(names).toEqual(['better-sqlite3', 'commander', 'croner', 'kysely', 'pino', 'zod']);
  });

  it('has loaded no global fetch, which an import of node:http by name brings along', () => {
    expect(packages.get('node:http')).toBeUndefined();
    expect(packages.get('node:https')).toBeUndefined();
  });

  it('has loaded nothing of what reads mail, works runs and writes mail', () => {
    const late =
      /^(intake|policy|suspensions|tables|features|harness\/(loop|context|evidence|replay)$|tools\/(observe|documents|shell|web|capabilities)$|mail\/(html|reading|identity)$)/;
    const known = [...files].filter((path) => path.startsWith('engine/') && late.test(roomOf(path)));
    expect(known).toEqual([]);
    expect([...files].filter((path) => path.startsWith('engine/languages/say'))).toEqual([]);
  });

  it('has loaded the doors, so that this looks at the real thing', () => {
    expect(files).toContain('engine/gateway/smtp/listener.ts');
    expect(files).toContain('engine/dispatch/runs-lane.ts');
    expect(files).toContain('extensions/tools/calculate/index.ts');
  });
});
