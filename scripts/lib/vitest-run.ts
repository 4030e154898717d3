import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { passSignalsOn } from './pass-signals-on.ts';
import {
  filesToRunAgain,
  type Result,
  readTestReport,
  recoveredOf,
  resultOf,
  type TestReport,
  withSecondRun,
} from './test-counts.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** A tool of node_modules on this very Node, in the repository. */
export type StartTool = (tool: string, args: readonly string[], output: 'inherit' | 'pipe') => ChildProcess;

export const startIn =
  (environment: NodeJS.ProcessEnv): StartTool =>
  (tool, args, output) =>
    passSignalsOn(
      spawn(process.execPath, [join(root, 'node_modules', tool), ...args], {
        cwd: root,
        stdio: ['ignore', output, output],
        env: environment,
      }),
    );

export async function exitOf(child: ChildProcess): Promise<number> {
  const [status]: unknown[] = await once(child, 'close');
  return typeof status === 'number' ? status : 1;
}

export interface Run {
  readonly report: TestReport | undefined;
  readonly status: number;
}

/** Vitest with these arguments; the file of its report lies in `folder`. */
export async function vitest(start: StartTool, folder: string, args: readonly string[]): Promise<Run> {
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
export async function runAgain(first: Run, tests: (args: readonly string[]) => Promise<Run>): Promise<Result> {
  const files = filesToRunAgain(first.report);
  if (!first.report || files.length === 0) return resultOf(first.report, first.status);
  let report = first.report;
  for (const file of files) {
    say(`\nrunning ${file} again, by itself`);
    const again = await tests([join(root, file)]);
    report = withSecondRun(report, again.report, again.status);
  }
  return { ...resultOf(report, 0), recovered: recoveredOf(first.report, report) };
}
