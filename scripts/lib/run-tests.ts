import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { againWhereReachable } from './reachable.ts';
import { type Counts, countReport, isGreen } from './test-counts.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** A tool of node_modules on this very Node, in the repository. */
const start = (tool: string, args: readonly string[], output: 'inherit' | 'pipe') =>
  spawn(process.execPath, [join(root, 'node_modules', tool), ...args], {
    cwd: root,
    stdio: ['ignore', output, output],
  });

async function exitOf(child: ChildProcess): Promise<number> {
  const [status]: unknown[] = await once(child, 'close');
  return typeof status === 'number' ? status : 1;
}

/** Beside the tests, which come first where both want the processor; what it says is shown once it has ended. */
async function check(name: string, tool: string, args: readonly string[]): Promise<Counts> {
  const child = start(tool, args, 'pipe');
  if (child.pid !== undefined) setPriority(child.pid, BEHIND_THE_TESTS);
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => said.push(text));
  const passed = (await exitOf(child)) === 0;
  say(`${said.join('')}${name}: ${passed ? 'ok' : 'FAILED'}`);
  return passed ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 };
}

const BEHIND_THE_TESTS = 10;

async function vitest(args: readonly string[]): Promise<Counts> {
  const folder = mkdtempSync(join(tmpdir(), 'epistle-tests-'));
  const report = join(folder, 'report.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile=${report}`];
    const status = await exitOf(start('vitest/vitest.mjs', ['run', ...args, ...reporters], 'inherit'));
    return countReport(readReport(report), status);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readReport(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * Types, lint and tests, side by side and all of them even when one fails, then one line of counts: types and lint count as one check
 * each. `--real` runs the tests against real mail servers instead. Other arguments go to Vitest.
 */
export async function runTests(args: readonly string[]): Promise<number> {
  const real = args.includes('--real');
  // Some of them are done as somebody else.
  const elsewhere = real ? againWhereReachable(args) : null;
  if (elsewhere !== null) return elsewhere;
  const rest = args.filter((argument) => argument !== '--real');
  const counts = real
    ? [await vitest(['--config', 'vitest.real.config.ts', ...rest])]
    : await Promise.all([
        check('types', 'typescript/bin/tsc', ['--noEmit']),
        check('lint', '@biomejs/biome/bin/biome', ['check', '--error-on-warnings']),
        vitest(rest),
      ]);
  const sum = (key: keyof Counts): number => counts.reduce((total, part) => total + part[key], 0);
  if (sum('skipped') > 0) say(`${sum('skipped')} skipped`);
  say(`${sum('passed')} passed, ${sum('failed')} failed`);
  return counts.every(isGreen) ? 0 : 1;
}
