import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { againWhereReachable } from './reachable.ts';
import { type Counts, countReport, isGreen } from './test-counts.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** Runs a tool of node_modules on this very Node, in the repository. */
function run(tool: string, args: readonly string[]): number {
  const { status } = spawnSync(process.execPath, [join(root, 'node_modules', tool), ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return status ?? 1;
}

function check(name: string, tool: string, args: readonly string[]): Counts {
  const passed = run(tool, args) === 0;
  say(`${name}: ${passed ? 'ok' : 'FAILED'}`);
  return passed ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 };
}

function vitest(args: readonly string[]): Counts {
  const folder = mkdtempSync(join(tmpdir(), 'epistle-tests-'));
  const report = join(folder, 'report.json');
  try {
    const status = run('vitest/vitest.mjs', [
      'run',
      ...args,
      '--reporter=default',
      '--reporter=json',
      `--outputFile=${report}`,
    ]);
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
 * Types, lint and tests, all of them even when one fails, then one line of counts: types and lint count as one check
 * each. `--real` runs the tests against real mail servers instead. Other arguments go to Vitest.
 */
export function runTests(args: readonly string[]): number {
  const real = args.includes('--real');
  // Some of them are done as somebody else.
  const elsewhere = real ? againWhereReachable(args) : null;
  if (elsewhere !== null) return elsewhere;
  const rest = args.filter((argument) => argument !== '--real');
  const counts = real
    ? [vitest(['--config', 'vitest.real.config.ts', ...rest])]
    : [
        check('types', 'typescript/bin/tsc', ['--noEmit']),
        check('lint', '@biomejs/biome/bin/biome', ['check', '--error-on-warnings']),
        vitest(rest),
      ];
  const sum = (key: keyof Counts): number => counts.reduce((total, part) => total + part[key], 0);
  if (sum('skipped') > 0) say(`${sum('skipped')} skipped`);
  say(`${sum('passed')} passed, ${sum('failed')} failed`);
  return counts.every(isGreen) ? 0 : 1;
}
