import { describe, expect, it } from 'vitest';
import { nearLimit } from '../../../../engine/harness/loop/run-calls.ts';
import { dependsOn, thingsIn } from '../../../../engine/policy/approval/plan.ts';

const on = (...targets: readonly string[]) => ({ targets });

describe('a call beside one that waits for an owner', () => {
  it.each([
    ['another file', on('b.txt'), on('a.txt'), false],
    ['the same file', on('a.txt'), on('a.txt'), true],
    ['the same file, written otherwise', on('./Notes//a.md'), on('notes/a.md'), true],
    ['a mail with a file that is to be changed', on('carl@x.example', 'a.txt'), on('a.txt'), true],
    ['what names nothing', on(), on('a.txt'), true],
    ['anything, beside what names nothing', on('a.txt'), on(), true],
    ['a whole folder', on('a.txt'), on('files/'), true],
  ])('waits for it, or does not: %s', (_what, next, held, waits) => {
    expect(dependsOn(next, [held])).toBe(waits);
  });

  it('waits for none where it stands apart, whatever that one names', () => {
    const apart = { targets: [], apart: true as const };
    expect([dependsOn(apart, [on()]), dependsOn(apart, [on('a.txt')])]).toEqual([false, false]);
  });

  it('waits for nobody where nobody was asked', () => {
    expect(dependsOn(on(), [])).toBe(false);
  });

  it('counts the same file once', () => {
    expect(thingsIn([on('a.txt'), on('./A.txt'), on('b.txt')])).toBe(2);
  });
});

describe('a limit that is near', () => {
  const limits = {
    max_tool_turns: 8,
    max_tool_steps: 6,
    max_tool_calls: 24,
    max_calls_per_turn: 8,
    max_consecutive_failures: 3,
    run_timeout_s: 1,
    model_timeout_s: 1,
    tool_timeout_s: 1,
  };
  it.each([
    [{ toolTurns: 3, toolSteps: 3, toolCalls: 3 }, null],
    [{ toolTurns: 4, toolSteps: 4, toolCalls: 4 }, /^2 more turns/],
    [{ toolTurns: 7, toolSteps: 0, toolCalls: 7 }, /^1 more turn /],
    [{ toolTurns: 3, toolSteps: 3, toolCalls: 21 }, /^3 more calls/],
    [{ toolTurns: 3, toolSteps: 3, toolCalls: 23 }, /^1 more call /],
    [{ toolTurns: 8, toolSteps: 3, toolCalls: 8 }, /^no more tools/],
    [{ toolTurns: 3, toolSteps: 3, toolCalls: 24 }, /^no more tools/],
  ])('is said of %o', (state, said) => {
    const near = nearLimit(state, limits);
    if (said === null) expect(near).toBeNull();
    else expect(near).toMatch(said);
  });
});
