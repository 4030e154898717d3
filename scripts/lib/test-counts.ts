import { z } from 'zod';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const fileSchema = z.object({
  file: z.string(),
  /** What failed outside its tests: it could not be loaded, a hook, an error that nobody caught. */
  around: z.array(z.string()),
  tests: z.array(
    z.object({
      name: z.string(),
      state: z.enum(['passed', 'failed', 'skipped', 'pending']),
      error: z.string().nullable(),
    }),
  ),
});
const reportSchema = z.object({ files: z.array(fileSchema), uncaught: z.array(z.string()) });

export type FileReport = z.infer<typeof fileSchema>;
/** What became of the tests; `uncaught` are errors that belong to no file. */
export type TestReport = z.infer<typeof reportSchema>;

/** Something that failed, by its file and test where it has them, with the first line of its error. */
export interface Failure {
  readonly what: string;
  readonly error: string;
}

export interface Result {
  readonly counts: Counts;
  readonly failures: readonly Failure[];
  /** What failed at first and passed when its file was run again. */
  readonly recovered: readonly Failure[];
}

export const DID_NOT_END = 'it did not end';

export const readTestReport = (text: string): TestReport => reportSchema.parse(JSON.parse(text));

export const failuresOf = ({ file, around, tests }: FileReport): readonly Failure[] => [
  ...around.map((error) => ({ what: file, error })),
  ...tests
    .filter(({ state }) => state === 'failed' || state === 'pending')
    .map(({ name, error }) => ({ what: `${file} > ${name}`, error: error ?? DID_NOT_END })),
];

/**
 * Counts of a run. A file that could not even be loaded, an error outside any test, a missing report and a red exit
 * status beside green tests are failures too.
 */
export function resultOf(report: TestReport | undefined, exitStatus: number): Result {
  const counted = (state: string) =>
    (report?.files ?? []).flatMap(({ tests }) => tests).filter((test) => test.state === state).length;
  const failures = [
    ...(report?.files ?? []).flatMap(failuresOf),
    ...(report?.uncaught ?? []).map((error) => ({ what: 'an error outside any test', error })),
  ];
  if (failures.length === 0 && (report === undefined || exitStatus !== 0)) {
    failures.push({ what: 'Vitest', error: `ended with ${exitStatus}${report ? '' : ' and without a report'}` });
  }
  const counts = { passed: counted('passed'), failed: failures.length, skipped: counted('skipped') };
  return { counts, failures, recovered: [] };
}

/** What a run has left behind: green tests or not, each is a failure. */
export const resultOfLeftovers = (left: readonly string[]): Result => ({
  counts: { passed: 0, failed: left.length, skipped: 0 },
  failures: left.map((error) => ({ what: 'left behind', error })),
  recovered: [],
});

/**
 * The files to run once more, each by itself: those with failures, if they are few. Many that fail say that something is
 * broken, and so does what failed in no file at all.
 */
export function filesToRunAgain(report: TestReport | undefined): readonly string[] {
  if (!report || report.uncaught.length > 0) return [];
  const files = report.files.filter((file) => failuresOf(file).length > 0).map(({ file }) => file);
  return files.length <= MOST_FILES_AGAIN ? files : [];
}

const MOST_FILES_AGAIN = 6;

/**
 * A run and the second one of a file of it: the second counts, and what failed in the first alone is named. One without a
 * report, or of fewer tests than before, changes nothing.
 */
export function withSecondRun(first: TestReport, again: TestReport | undefined, exitStatus: number): TestReport {
  if (!again || (exitStatus === 0) !== (resultOf(again, 0).failures.length === 0)) return first;
  const replaced = first.files.map((file) => {
    const other = again.files.find((one) => one.file === file.file);
    const isWhole = other && file.tests.every(({ name }) => other.tests.some((test) => test.name === name));
    return isWhole ? other : file;
  });
  return { files: replaced, uncaught: [...first.uncaught, ...again.uncaught] };
}

/** What failed in the first run and in the second no more. */
export function recoveredOf(first: TestReport, then: TestReport): readonly Failure[] {
  const still = new Set(then.files.flatMap(failuresOf).map(({ what }) => what));
  return first.files.flatMap(failuresOf).filter(({ what }) => !still.has(what));
}
