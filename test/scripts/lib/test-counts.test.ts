import { describe, expect, it } from 'vitest';
import { countReport } from '../../../scripts/lib/test-counts.ts';

const file = (status: string, ...assertions: string[]) => ({
  status,
  assertionResults: assertions.map((assertion) => ({ status: assertion })),
});
const report = (passed: number, failed: number, files: object[]) =>
  JSON.stringify({
    numPassedTests: passed,
    numFailedTests: failed,
    numPendingTests: 1,
    numTodoTests: 1,
    testResults: files,
  });

describe('counting the tests', () => {
  it('takes the counts of a green run', () => {
    expect(countReport(report(2, 0, [file('passed', 'passed', 'passed')]), 0)).toEqual({
      passed: 2,
      failed: 0,
      skipped: 2,
    });
  });

  it('counts a file that could not be loaded as a failure', () => {
    const files = [file('failed'), file('failed', 'passed', 'failed')];
    expect(countReport(report(1, 1, files), 1)).toMatchObject({ passed: 1, failed: 2 });
  });

  it('counts an error outside any test as a failure', () => {
    expect(countReport(report(1, 0, [file('passed', 'passed')]), 1)).toMatchObject({ passed: 1, failed: 1 });
  });

  it('never takes a run without a report for a good one', () => {
    expect(countReport(undefined, 0)).toMatchObject({ failed: 1 });
  });
});
