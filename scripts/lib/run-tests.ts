import { setPriority } from 'node:os';
import { beginRun } from '../../test/own-run/begin-run.ts';
import { SIGNALS } from './pass-signals-on.ts';
import { againWhereReachable } from './reachable.ts';
import { runAtDates } from './run-at-dates.ts';
import { type Counts, type Result, resultOf, resultOfLeftovers } from './test-counts.ts';
import { readOptions } from './test-options.ts';
import { exitOf, runAgain, type StartTool, say, startIn, vitest } from './vitest-run.ts';
import { failureLines } from './what-failed.ts';

/** Beside the tests, which come first where both want the processor; what it says is shown once it has ended. */
async function check(start: StartTool, name: string, tool: string, args: readonly string[]): Promise<Result> {
  const child = start(tool, args, 'pipe');
  if (child.pid !== undefined) setPriority(child.pid, BEHIND_THE_TESTS);
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => said.push(text));
  const passed = (await exitOf(child)) === 0;
  const text = said.join('');
  say(`${text}${name}: ${passed ? 'ok' : 'FAILED'}`);
  if (passed) return { counts: { passed: 1, failed: 0, skipped: 0 }, failures: [], recovered: [] };
  const [error = ''] = text.split('\n').filter((line) => line.trim() !== '');
  return { counts: { passed: 0, failed: 1, skipped: 0 }, failures: [{ what: name, error }], recovered: [] };
}

const BEHIND_THE_TESTS = 10;

/**
 * Types, lint and tests, side by side and all of them even when one fails, then what failed, then one line of counts:
 * types and lint count as one check each. `--real` runs the tests against real mail servers instead, `--at` and `--dates`
 * those of this machine at other dates. Other arguments go to Vitest, and nothing is run again.
 */
export async function runTests(args: readonly string[]): Promise<number> {
  const options = readOptions(args, new Date());
  if ('wrong' in options) {
    say(options.wrong);
    return 2;
  }
  // Some of them are done as somebody else.
  const elsewhere = options.real ? await againWhereReachable(args) : null;
  if (elsewhere !== null) return elsewhere;
  const interrupted = new Set<NodeJS.Signals>();
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (interrupted.size === 0) say(`\nbroken off by ${signal}`);
      interrupted.add(signal);
    });
  }
  const run = beginRun(process.env);
  const { environment } = run;
  const results =
    options.dates === null
      ? await runNow(environment, options)
      : await runAtDates(options.dates, options.rest, environment);
  // Tests that were broken off could not end what they had started.
  const left = await (interrupted.size > 0 ? run.end(0) : run.end());
  return show([...results, resultOfLeftovers(interrupted.size > 0 ? [] : left)]);
}

async function runNow(
  environment: NodeJS.ProcessEnv & { readonly TMPDIR: string },
  { real, rest }: { readonly real: boolean; readonly rest: readonly string[] },
): Promise<readonly Result[]> {
  const start = startIn(environment);
  const config = real ? ['--config', 'vitest.real.config.ts'] : [];
  const tests = (files: readonly string[]) => vitest(start, environment.TMPDIR, [...config, ...files]);
  const [first, ...checks] = await Promise.all([
    tests(rest),
    ...(real
      ? []
      : [
          check(start, 'types', 'typescript/bin/tsc', ['--noEmit']),
          check(start, 'lint', '@biomejs/biome/bin/biome', ['check', '--error-on-warnings']),
        ]),
  ]);
  return [...checks, rest.length > 0 ? resultOf(first.report, first.status) : await runAgain(first, tests)];
}

function show(results: readonly Result[]): number {
  const sum = (key: keyof Counts): number => results.reduce((total, { counts }) => total + counts[key], 0);
  const failures = results.flatMap((result) => result.failures);
  const recovered = results.flatMap((result) => result.recovered);
  say('');
  for (const line of failureLines(failures, recovered)) say(line);
  if (sum('skipped') > 0) say(`${sum('skipped')} skipped`);
  say(`${sum('passed')} passed, ${sum('failed')} failed`);
  return sum('failed') === 0 ? 0 : 1;
}
