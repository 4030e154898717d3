import { readersOfClock, testFiles } from '../../test/dates/reads-clock.ts';
import { shiftedEnvironment } from '../../test/dates/shift.ts';
import type { Result, TestReport } from './test-counts.ts';
import type { RunDate } from './test-options.ts';
import { type Run, runAgain, say, startIn, vitest } from './vitest-run.ts';

/** It fails where anything of a run has another clock, so that no run passes by not being at its date. */
const SAME_CLOCK = 'test/dates/same-clock.test.ts';

/**
 * The tests at each of these dates, one after the other, and a line of what became of them: every file where the date says
 * so, else those that read a clock. `rest` chooses among them as it does for Vitest.
 */
export async function runAtDates(
  dates: readonly RunDate[],
  rest: readonly string[],
  environment: NodeJS.ProcessEnv & { readonly TMPDIR: string },
): Promise<readonly Result[]> {
  const files = testFiles();
  const readers = new Set(readersOfClock(files).keys());
  const lines: string[] = [];
  const results: Result[] = [];
  for (const date of dates) {
    const chosen = filesAt(date, { files, readers, rest });
    if (chosen.length === 0) continue;
    say(`\n== ${nameOf(date)}`);
    const begun = performance.now();
    const tests = (args: readonly string[]): Promise<Run> => {
      // Each begins anew at its date.
      const shifted = shiftedEnvironment(date, environment, Date.now());
      return vitest(startIn(shifted), environment.TMPDIR, args);
    };
    const first = await tests([...new Set([...chosen, SAME_CLOCK])]);
    const result = atDate(date, await runAgain(first, tests), first.report);
    results.push(result);
    lines.push(lineOf(date, result, first.report, performance.now() - begun));
  }
  say('');
  for (const line of lines) say(line);
  return results;
}

/** Pure. What of `files` is run at a date, `rest` chooses among them: every file where the date says so, else what reads a clock. */
export function filesAt(
  { everyFile }: Pick<RunDate, 'everyFile'>,
  {
    files,
    readers,
    rest,
  }: { readonly files: readonly string[]; readonly readers: ReadonlySet<string>; readonly rest: readonly string[] },
): readonly string[] {
  const [options, parts] = [rest.filter(isOption), rest.filter((argument) => !isOption(argument))];
  const named = files.filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)));
  const chosen = named.filter((file) => everyFile || readers.has(file));
  return chosen.length === 0 ? [] : [...options, ...chosen];
}

const isOption = (argument: string): boolean => argument.startsWith('-');

const nameOf = ({ number, at, zone }: RunDate): string => `${number === null ? '' : `${number}: `}${at} ${zone}`;

/** Says of everything when it was; without the proof that it was then, it has failed. */
function atDate(date: RunDate, result: Result, report: TestReport | undefined): Result {
  const proof = report?.files.find(({ file }) => file === SAME_CLOCK);
  const isProven =
    proof !== undefined && proof.tests.length > 0 && proof.tests.every(({ state }) => state !== 'skipped');
  const unproven = isProven ? [] : [{ what: SAME_CLOCK, error: 'nothing shows that it was run at this date' }];
  const when = (failures: Result['failures']) =>
    failures.map(({ what, error }) => ({ what: `at ${date.at} ${date.zone}: ${what}`, error }));
  return {
    counts: { ...result.counts, failed: result.counts.failed + unproven.length },
    failures: when([...result.failures, ...unproven]),
    recovered: when(result.recovered),
  };
}

function lineOf(date: RunDate, { counts, recovered }: Result, report: TestReport | undefined, ms: number): string {
  const parts = [
    `${report?.files.length ?? 0} files`,
    `${counts.passed} passed`,
    `${counts.failed} failed`,
    ...(counts.skipped > 0 ? [`${counts.skipped} skipped`] : []),
    ...(recovered.length > 0 ? [`${recovered.length} only when run again`] : []),
    `${Math.round(ms / 1000)} s`,
  ];
  return `${nameOf(date).padEnd(60)} ${parts.join(', ')}`;
}
