import { describe, expect, it } from 'vitest';
import { failureLines, partLines } from '../../../scripts/lib/what-failed.ts';

describe('the end of a run', () => {
  it('names what failed, then what passed only when it was run again', () => {
    const failed = [{ what: 'a.test.ts > situation > outcome', error: 'expected 1 to be 2' }];
    const recovered = [{ what: 'b.test.ts > situation > outcome', error: 'Matcher did not succeed in time.' }];
    expect(failureLines(failed, recovered)).toEqual([
      'failed: a.test.ts > situation > outcome: expected 1 to be 2',
      'passed only when run again: b.test.ts > situation > outcome: Matcher did not succeed in time.',
    ]);
  });

  it('has at most 20 lines of 300 characters, and says how many more there are', () => {
    const many = Array.from({ length: 23 }, (_, place) => ({ what: `test ${place}`, error: 'x'.repeat(1000) }));
    const lines = failureLines(many, []);
    expect(lines).toHaveLength(21);
    expect(lines.at(-1)).toBe('and 3 more, above');
    expect(Math.max(...lines.map((line) => line.length))).toBe(300);
  });
});

describe('what failed in the parts of the whole', () => {
  it('is nothing where all are green', () => {
    expect(partLines([{ name: 'tests', code: 0, log: 'some tests\n7 passed, 0 failed\n' }])).toEqual([]);
  });

  it('is what tests say of themselves, failures first', () => {
    const again = 'passed only when run again: a > b: c';
    const log = `a test\n\u001b[31mred\u001b[39m\n\nfailed: d > e: f\n${again}\n3 passed, 1 failed\n`;
    expect(
      partLines([
        { name: 'real mail servers', code: 0, log: `\n${again}\n4 passed, 0 failed\n` },
        { name: 'tests', code: 1, log },
      ]),
    ).toEqual(['failed: d > e: f', again, again]);
  });

  it('is each problem of a soak', () => {
    const log = `killing it\n${JSON.stringify({ ok: false, lost: 1, problems: ['<1@x> has 0 answers', 'and more'] })}\n`;
    expect(partLines([{ name: 'soak', code: 1, log }])).toEqual([
      'failed: soak: <1@x> has 0 answers',
      'failed: soak: and more',
    ]);
  });

  it('is the error of what broke off', () => {
    const thrown =
      'packed: 3 s\nAssertionError [ERR_ASSERTION]: 1 is not 0\n    at x (file.ts:1:2)\n\nNode.js v24.11.1\n';
    expect(partLines([{ name: 'package', code: 1, log: thrown }])).toEqual([
      'failed: package: AssertionError [ERR_ASSERTION]: 1 is not 0',
    ]);
    expect(partLines([{ name: 'servers', code: 100, log: 'a\nE: no such package\n\n' }])).toEqual([
      'failed: servers: E: no such package',
    ]);
    expect(partLines([{ name: 'soak', code: 1, log: '{"ok":false,"problems":[]}\n' }])).toEqual([
      'failed: soak: {"ok":false,"problems":[]}',
    ]);
  });

  it('is where a part was when its time was out, or that it said nothing', () => {
    expect(
      partLines([
        { name: 'flood', code: 124, log: 'minute 1\nminute 2\n' },
        { name: 'bench', code: 1, log: '' },
      ]),
    ).toEqual(['failed: flood: out of time after: minute 2', 'failed: bench: it said nothing']);
  });
});
