import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beginRun } from '../../test/own-run/begin-run.ts';
import { passSignalsOn } from './pass-signals-on.ts';
import { againWhereReachable } from './reachable.ts';
import {
  type Counts,
  filesToRunAgain,
  type Result,
  readTestReport,
  recoveredOf,
  resultOf,
  resultOfLeftovers,
  type TestReport,
  withSecondRun,
} from './test-counts.ts';
import { failureLines } from './what-failed.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** A tool of node_modules on this very Node, in the repository. */
type StartTool = (tool: string, args: readonly string[], output: 'inherit' | 'pipe') => ChildProcess;

const startIn =
  (environment: NodeJS.ProcessEnv): StartTool =>
  (tool, args, output) =>
    passSignalsOn(
      spawn(process.execPath, [join(root, 'node_modules', tool), ...args], {
        cwd: root,
        stdio: ['ignore', output, output],
        env: environment,
      }),
    );

async function exitOf(child: ChildProcess): Promise<number> {
  const [status]: unknown[] = await once(child, 'close');
  return typeof status === 'number' ? status : 1;
}

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

interface Run {
  readonly report: TestReport | undefined;
  readonly status: number;
}

async function vitest(start: StartTool, folder: string, args: readonly string[]): Promise<Run> {
  const file = join(folder, 'report.json');
  rmSync(file, { force: true });
  const reporters = ['--reporter=default', `--reporter=${REPORTER}`, `--outputFile=${file}`];
  const status = await exitOf(start('vitest/vitest.mjs', ['run', ...args, ...reporters], 'inherit'));
  return { report: existsSync(file) ? readTestReport(readFileSync(file, 'utf8')) : undefined, status };
}

const REPORTER = join(root, 'scripts/lib/test-reporter.ts');

/**
 * A test that a busy machine has failed passes when nothing else runs; a defect fails again. What passes only then is
 * named at the end.
 */
async function runAgain(first: Run, vitest: (args: readonly string[]) => Promise<Run>): Promise<Result> {
  const files = filesToRunAgain(first.report);
  if (!first.report || files.length === 0) return resultOf(first.report, first.status);
  let report = first.report;
  for (const file of files) {
    say(`\nrunning ${file} again, by itself`);
    const again = await vitest([join(root, file)]);
    report = withSecondRun(report, again.report, again.status);
  }
  return { ...resultOf(report, 0), recovered: recoveredOf(first.report, report) };
}

/**
 * Types, lint and tests, side by side and all of them even when one fails, then what failed, then one line of counts:
 * types and lint count as one check each. `--real` runs the tests against real mail servers instead. Other arguments go to
 * Vitest, and nothing is run again.
 */
export async function runTests(args: readonly string[]): Promise<number> {
  const real = args.includes('--real');
  // Some of them are done as somebody else.
  const elsewhere = real ? await againWhereReachable(args) : null;
  if (elsewhere !== null) return elsewhere;
  const rest = args.filter((argument) => argument !== '--real');
  const config = real ? ['--config', 'vitest.real.config.ts'] : [];
  const run = beginRun(process.env);
  const start = startIn(run.environment);
  const tests = (files: readonly string[]) => vitest(start, run.environment.TMPDIR, [...config, ...files]);
  const [first, ...checks] = await Promise.all([
    tests(rest),
    ...(real
      ? []
      : [
          check(start, 'types', 'typescript/bin/tsc', ['--noEmit']),
          check(start, 'lint', '@biomejs/biome/bin/biome', ['check', '--error-on-warnings']),
        ]),
  ]);
  const result = rest.length > 0 ? resultOf(first.report, first.status) : await runAgain(first, tests);
  return show([...checks, result, resultOfLeftovers(await run.end())]);
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
