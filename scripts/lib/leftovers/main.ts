import { type Dirent, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { beginRun } from '../../../test/own-run/begin-run.ts';
import { allProcesses, describe, portsOf, type Running } from '../../../test/own-run/processes.ts';
import { root, say, startIn, vitest } from '../vitest-run.ts';

/** Where a gateway listens whose workspace says nothing else. */
const DEFAULT_PORT = 2525;
const LOOK_MS = 200;
/** Of the checkout what tests do not make, and of a home what tools keep there for the next time. */
const KEPT = /^(?:\.git|node_modules|\.runtime|dist|home\/\.npm|home\/\.local)$/;

/** Every file and folder below one, by its path from there. */
function filesIn(folder: string): ReadonlySet<string> {
  const below = (path: string): readonly string[] =>
    entriesOf(path).flatMap((entry) => {
      const inner = join(path, entry.name);
      if (KEPT.test(relative(folder, inner))) return [];
      return [relative(folder, inner), ...(entry.isDirectory() ? below(inner) : [])];
    });
  return new Set(below(folder));
}

function entriesOf(path: string): readonly Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}

const others = (): readonly Running[] => allProcesses().filter(({ pid }) => pid !== process.pid);

/** Whoever takes the default port while this waits, by what they were started as. */
function watchPort() {
  const seen = new Set<string>();
  const timer = setInterval(() => {
    for (const each of others()) if (portsOf(each.pid).includes(DEFAULT_PORT)) seen.add(describe(each));
  }, LOOK_MS);
  return { seen, stop: () => clearInterval(timer) };
}

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { limit: { type: 'string', default: '30000' } },
    allowPositionals: true,
  });
  if (process.pid !== 1) {
    say('./scripts/check-leftovers starts this where nobody else is.');
    return 2;
  }
  const places = [root, '/tmp', '/dev/shm'];
  const before = new Map(places.map((place) => [place, filesIn(place)]));
  const run = beginRun(process.env);
  const port = watchPort();
  const limits = [`--testTimeout=${values.limit}`, `--hookTimeout=${values.limit}`];
  const { report } = await vitest(startIn(run.environment), run.environment.TMPDIR, [...limits, ...positionals]);
  port.stop();
  const told = await run.end();
  // What ends a moment after the run has ended nevertheless.
  await pause(1000);
  const tests = (report?.files ?? []).flatMap((file) => file.tests);
  const left = [
    ...told.map((what) => `left to the end of the run: ${what}`),
    ...others().map((each) => `a process: ${describe(each)}`),
    ...places.flatMap((place) =>
      [...filesIn(place)].filter((path) => !before.get(place)?.has(path)).map((path) => `a file: ${join(place, path)}`),
    ),
    ...[...port.seen].map((who) => `took port ${DEFAULT_PORT}: ${who}`),
  ];
  say('');
  for (const line of left) say(line);
  const passed = tests.filter(({ state }) => state === 'passed').length;
  say(
    `${report?.files.length ?? 0} files, ${passed} of ${tests.length} tests within ${values.limit} ms; left: ${left.length}`,
  );
  return report !== undefined && left.length === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
