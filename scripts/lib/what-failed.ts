import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';
import type { Failure } from './test-counts.ts';

const FAILED = 'failed: ';
const AGAIN = 'passed only when run again: ';
const MOST_CHARACTERS = 300;
const MOST_LINES = 20;

/** A part of the whole, as `.ci/run` saw it end. */
export interface Part {
  readonly name: string;
  readonly code: number;
  readonly log: string;
}

/** Pure. What is printed at the very end of a run, where a long log is cut: a line for each failure. */
export const failureLines = (failures: readonly Failure[], recovered: readonly Failure[]): string[] =>
  fewLines([
    ...failures.map(({ what, error }) => `${FAILED}${what}: ${error}`),
    ...recovered.map(({ what, error }) => `${AGAIN}${what}: ${error}`),
  ]);

/** Pure. The same of all parts: tests have named their own, a soak has its `problems`, anything else its error. */
export function partLines(parts: readonly Part[]): string[] {
  const lines = parts.flatMap(linesOf);
  return fewLines([...lines].sort((a, b) => Number(a.startsWith(AGAIN)) - Number(b.startsWith(AGAIN))));
}

function linesOf({ name, code, log }: Part): string[] {
  const lines = stripVTControlCharacters(log)
    .split('\n')
    .filter((line) => line.trim() !== '');
  const named = lines.filter((line) => line.startsWith(FAILED) || line.startsWith(AGAIN));
  if (code === 0 || named.some((line) => line.startsWith(FAILED))) return named;
  const problems = problemsIn(lines);
  // The line of an error comes before those of its stack.
  const error = lines.find((line) => ERROR.test(line)) ?? lines.at(-1) ?? 'it said nothing';
  const told = code === OUT_OF_TIME ? [`out of time after: ${lines.at(-1)}`] : problems.length > 0 ? problems : [error];
  return [...told.map((line) => `${FAILED}${name}: ${line}`), ...named];
}

const OUT_OF_TIME = 124;
const ERROR = /^\S*Error\b/;

const reportSchema = z.looseObject({ problems: z.array(z.string()) });

/** Of a soak's report, which is its last line. */
function problemsIn(lines: readonly string[]): readonly string[] {
  try {
    return reportSchema.parse(JSON.parse(lines.at(-1) ?? '')).problems;
  } catch {
    return [];
  }
}

function fewLines(lines: readonly string[]): string[] {
  const short = lines
    .slice(0, MOST_LINES)
    .map((line) => (line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS - 1)}…` : line));
  return lines.length > MOST_LINES ? [...short, `and ${lines.length - MOST_LINES} more, above`] : short;
}

/** `node what-failed.ts NAME CODE LOG…` */
function main(args: readonly string[]): void {
  const parts: Part[] = [];
  for (let at = 0; at + 2 < args.length; at += 3) {
    const [name = '', code = '', file = ''] = args.slice(at, at + 3);
    parts.push({ name, code: Number(code), log: readFileSync(file, 'utf8') });
  }
  for (const line of partLines(parts)) process.stdout.write(`${line}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
