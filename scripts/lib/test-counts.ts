import { z } from 'zod';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const reportSchema = z.object({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  numPendingTests: z.int(),
  numTodoTests: z.int(),
  testResults: z.array(z.object({ status: z.string(), assertionResults: z.array(z.object({ status: z.string() })) })),
});

/**
 * Counts of a Vitest JSON report. A file that could not even be loaded, an error outside any test and a missing
 * report are failures too, which Vitest shows in its exit status alone.
 */
export function countReport(report: string | undefined, exitStatus: number): Counts {
  if (report === undefined) return { passed: 0, failed: 1, skipped: 0 };
  const parsed = reportSchema.parse(JSON.parse(report));
  const brokenFiles = parsed.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'),
  ).length;
  const failed = parsed.numFailedTests + brokenFiles;
  return {
    passed: parsed.numPassedTests,
    failed: exitStatus === 0 ? failed : Math.max(failed, 1),
    skipped: parsed.numPendingTests + parsed.numTodoTests,
  };
}

export const isGreen = (counts: Counts): boolean => counts.failed === 0;
