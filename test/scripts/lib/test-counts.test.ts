import { describe, expect, it } from 'vitest';
import {
  type FileReport,
  filesToRunAgain,
  recoveredOf,
  resultOf,
  type TestReport,
  withSecondRun,
} from '../../../scripts/lib/test-counts.ts';

type State = FileReport['tests'][number]['state'];

/** A file whose tests end like this; they are called by their place. */
const file = (name: string, states: readonly State[], around: readonly string[] = []): FileReport => ({
  file: name,
  around: [...around],
  tests: states.map((state, place) => ({
    name: `situation > outcome ${place}`,
    state,
    error: state === 'failed' ? `broke ${place}` : null,
  })),
});
const report = (...files: FileReport[]): TestReport => ({ files, uncaught: [] });

describe('counting the tests', () => {
  it('takes the counts of a green run', () => {
    expect(resultOf(report(file('a', ['passed', 'passed', 'skipped'])), 0)).toEqual({
      counts: { passed: 2, failed: 0, skipped: 1 },
      failures: [],
      recovered: [],
    });
  });

  it('names each test that failed, with its file and its error', () => {
    const { counts, failures } = resultOf(report(file('a', ['passed', 'failed']), file('b', ['pending'])), 1);
    expect(counts).toEqual({ passed: 1, failed: 2, skipped: 0 });
    expect(failures).toEqual([
      { what: 'a > situation > outcome 1', error: 'broke 1' },
      { what: 'b > situation > outcome 0', error: 'it did not end' },
    ]);
  });

  it('counts a file that could not be loaded, or whose hook broke, as a failure', () => {
    const { counts, failures } = resultOf(
      report(file('a', [], ['no such module']), file('b', ['passed', 'failed'])),
      1,
    );
    expect(counts).toMatchObject({ passed: 1, failed: 2 });
    expect(failures[0]).toEqual({ what: 'a', error: 'no such module' });
  });

  it('counts an error outside any test as a failure', () => {
    const outside = { ...report(file('a', ['passed'])), uncaught: ['nobody caught it'] };
    expect(resultOf(outside, 1)).toMatchObject({ counts: { passed: 1, failed: 1 } });
  });

  it('counts a red exit status beside green tests as a failure', () => {
    expect(resultOf(report(file('a', ['passed'])), 1)).toMatchObject({ counts: { passed: 1, failed: 1 } });
  });

  it('never takes a run without a report for a good one', () => {
    expect(resultOf(undefined, 0)).toMatchObject({
      counts: { failed: 1 },
      failures: [{ what: 'Vitest', error: 'ended with 0 and without a report' }],
    });
  });
});

describe('which files are run again', () => {
  const red = (name: string) => file(name, ['passed', 'failed', 'failed']);

  it('is each that has failures, when six at most have', () => {
    const others = [file('green', ['passed'])];
    expect(filesToRunAgain(report(...others))).toEqual([]);
    expect(filesToRunAgain(report(red('a'), ...others, file('b', ['passed'], ['a hook'])))).toEqual(['a', 'b']);
    const six = ['a', 'b', 'c', 'd', 'e', 'f'];
    expect(filesToRunAgain(report(...six.map((name) => red(name))))).toEqual(six);
    expect(filesToRunAgain(report(...six.map((name) => red(name)), red('g')))).toEqual([]);
  });

  it('is none where something failed in no file, or nobody knows what failed', () => {
    expect(filesToRunAgain({ ...report(red('a')), uncaught: ['nobody caught it'] })).toEqual([]);
    expect(filesToRunAgain(undefined)).toEqual([]);
  });
});

describe('a file that was run again', () => {
  const first = report(file('a', ['passed', 'failed', 'failed']), file('b', ['passed']));

  it('counts as it then ended, and what passed only then is named with its first error', () => {
    const then = withSecondRun(first, report(file('a', ['passed', 'passed', 'failed'])), 1);
    expect(resultOf(then, 0).counts).toEqual({ passed: 3, failed: 1, skipped: 0 });
    expect(recoveredOf(first, then)).toEqual([{ what: 'a > situation > outcome 1', error: 'broke 1' }]);
  });

  it('is failed by a test that had passed before', () => {
    const then = withSecondRun(first, report(file('a', ['failed', 'passed', 'passed'])), 1);
    expect(resultOf(then, 0).failures).toEqual([{ what: 'a > situation > outcome 0', error: 'broke 0' }]);
    expect(recoveredOf(first, then)).toHaveLength(2);
  });

  it.each([
    ['has no report', undefined, 0],
    ['has green tests and a red exit status', report(file('a', ['passed', 'passed', 'passed'])), 1],
    ['has fewer tests than before', report(file('a', ['passed', 'passed'])), 0],
    ['is of another file', report(file('b', ['passed'])), 0],
  ])('stays as it was when the second run %s', (_, again, status) => {
    const then = withSecondRun(first, again, status);
    expect(resultOf(then, 0).counts.failed).toBe(2);
    expect(recoveredOf(first, then)).toEqual([]);
  });

  it('does not hide an error that nobody caught the second time', () => {
    const again = { ...report(file('a', ['passed', 'passed', 'passed'])), uncaught: ['nobody caught it'] };
    expect(resultOf(withSecondRun(first, again, 1), 0).counts.failed).toBe(1);
  });
});
