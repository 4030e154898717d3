import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { importsOf, root, type Source, sourcesIn } from '../house/sources.ts';

/**
 * Where a file asks what time it is, in which zone it is, or starts a program, which may: the gateway and the command line
 * among others. What makes clocks and knows zones is told by whoever takes the system's.
 */
const ASKS =
  /\bDate\.now\b|\bnew Date\(\)|(?<!new |\.)\bDate\(\)|\bsystemClock\(|\bsystemZone\(|\bgetTimezoneOffset\b|\bresolvedOptions\(\)|from 'node:child_process'/;
const MAKERS = ['engine/lib/clock.ts', 'engine/lib/schedule/zone.ts'];
/** Code that is started by its address: workers and programs. */
const STARTED = /new URL\(\s*'(\.[^']+\.(?:[cm]?[jt]s))'/g;

/** The test files among `tests` that read a clock, by themselves or by what they load, with the files that do, sorted. */
export function readersOfClock(
  tests: readonly string[],
  sources: readonly Source[] = sourcesIn(['engine', 'extensions', 'test', 'scripts', 'bin'], /\.[cm]?[jt]s$/),
): ReadonlyMap<string, readonly string[]> {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const edges = new Map<string, readonly string[]>();
  const loadedBy = (path: string): readonly string[] => {
    const source = byPath.get(path);
    if (!source) return [];
    const known = edges.get(path) ?? targetsOf(source).filter((target) => byPath.has(target));
    edges.set(path, known);
    return known;
  };
  const reach = (start: string): readonly string[] => {
    const seen = new Set([start]);
    for (const path of seen) for (const target of loadedBy(path)) seen.add(target);
    return [...seen];
  };
  const asks = new Set(
    sources.filter(({ path, text }) => !MAKERS.includes(path) && ASKS.test(text)).map(({ path }) => path),
  );
  const found = tests.map(
    (test) =>
      [
        test,
        reach(test)
          .filter((path) => asks.has(path))
          .toSorted(),
      ] as const,
  );
  return new Map(found.filter(([, readers]) => readers.length > 0));
}

const targetsOf = (source: Source): readonly string[] => [
  ...importsOf(source).flatMap(({ to, isType }) => (to === undefined || isType ? [] : [to])),
  ...[...source.text.matchAll(STARTED)].map(([, path = '']) => normalize(join(dirname(source.path), path))),
];

/** Every file of tests. */
export const testFiles = (): readonly string[] =>
  sourcesIn(['test'], /\.test\.ts$/)
    .map(({ path }) => path)
    .filter((path) => existsSync(join(root, path)))
    .toSorted();
