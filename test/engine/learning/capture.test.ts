import { describe, expect, it } from 'vitest';
import { capture, type RunToCapture } from '../../../engine/learning/scenarios/capture.ts';
import { readScenario } from '../../../engine/record/codec/scenario.ts';
import type { CallOnRecord, CallOutcome } from '../../../engine/record/state.ts';

const call = (
  tool: string,
  more: Partial<Omit<CallOutcome, 'made'>> & { args?: object; made?: Partial<CallOnRecord> } = {},
): CallOutcome => {
  const { args = { id: 'A-7' }, made, ...rest } = more;
  return {
    tool,
    ok: true,
    code: null,
    ...rest,
    made: {
      call: { id: tool, name: tool, arguments: JSON.parse(JSON.stringify(args)) },
      risk: 'read',
      targets: [],
      content: '{"ok":true}',
      approval: null,
      deniedBy: null,
      waited: false,
      turn: 1,
      ...made,
    },
  };
};
const WRITE = { made: { risk: 'create' } };
const run = (change: Partial<RunToCapture> = {}): RunToCapture => ({
  scope: {
    mail: {
      from: 'mia@member.example',
      domain: 'member.example',
      name: 'Mia',
      subject: 'Order',
      text: 'Order: A-7',
      tier: 'member',
      attachments: 0,
    },
    thread: { subject: 'Order', mails: 1 },
  },
  tier: 'member',
  outcomes: [call('find'), call('note', WRITE)],
  answer: 'It is noted.',
  judged: { succeeded: 1, failed: 0, verdict: null },
  dueTime: null,
  ...change,
});
const captured = (change: Partial<RunToCapture> = {}) => {
  const found = capture(run(change));
  return found && { ...found, scenario: readScenario(found.json) };
};
const effect = (tool: string, args: object = { id: 'A-7' }) => ({ tool, arguments: args });

describe('H-17: a run as an example', () => {
  it('has what it was given, what came of each call, and wants what it changed', () => {
    const found = captured();
    expect(found?.verdict).toBe('good');
    expect(found?.scenario).toMatchObject({ mail: { text: 'Order: A-7', tier: 'member' }, answer: 'It is noted.' });
    expect(found?.scenario?.results.map(({ tool, risk }) => [tool, risk])).toEqual([
      ['find', 'read'],
      ['note', 'create'],
    ]);
    expect(found?.scenario).toMatchObject({ expected: [effect('note')], forbidden: [] });
  });

  it('wants what it read where it changed nothing, each call once, and is none where it called nothing', () => {
    expect(captured({ outcomes: [call('find'), call('find')] })?.scenario?.expected).toEqual([effect('find')]);
    expect(captured({ outcomes: [] })).toBeNull();
  });

  it('forbids what failed and what somebody said no to, and not what a playbook refused or was not made', () => {
    const outcomes = [
      call('find', { ok: false, code: 'tool_failed' }),
      call('note', WRITE),
      call('pay', { ok: false, code: 'policy_denied', made: { deniedBy: 'security.tool_policy' } }),
      call('push', { ok: false, code: 'policy_denied', made: { deniedBy: 'playbook rule no-push' } }),
      call('send', { ok: false, code: 'skipped' }),
    ];
    expect(captured({ outcomes })?.scenario).toMatchObject({
      expected: [effect('note')],
      forbidden: [effect('find'), effect('pay')],
    });
  });

  it('H-19: forbids all that changed something where somebody called it bad, however it ended', () => {
    const found = captured({ judged: { succeeded: 1, failed: 0, verdict: 'bad' } });
    expect(found?.verdict).toBe('bad');
    expect(found?.scenario).toMatchObject({ expected: [], forbidden: [effect('note')] });
  });

  it('is bad where it broke and did not end well, and none where nothing tells', () => {
    const outcomes = [call('find', { ok: false, code: 'tool_failed' }), call('note', WRITE)];
    const broken = captured({ outcomes, judged: { succeeded: 0, failed: 1, verdict: null } });
    expect(broken?.scenario).toMatchObject({ expected: [], forbidden: [effect('find')] });
    expect(captured({ judged: { succeeded: 0, failed: 0, verdict: null } })).toBeNull();
    expect(captured({ judged: { succeeded: 0, failed: 1, verdict: 'good' } })?.verdict).toBe('good');
  });

  it('is the same as another with the same mail and the same effects, and stays in bounds', () => {
    const again = captured({ answer: 'Noted, as you wished.' });
    expect(again?.hash).toBe(captured()?.hash);
    expect(captured({ outcomes: [call('note', { ...WRITE, args: { id: 'B-8' } })] })?.hash).not.toBe(again?.hash);
    // The words of a task are the same at each due time.
    const [first, second] = ['r-1', 'r-2'].map((dueTime) => captured({ dueTime })?.hash);
    expect(first).not.toBe(second);
    const long = { ...run().scope, mail: { ...run().scope.mail, text: 'x'.repeat(100_000) } };
    expect(captured({ scope: long })?.scenario?.mail.text).toHaveLength(8000);
    const huge = call('find', { made: { content: 'x'.repeat(70_000) } });
    expect(captured({ outcomes: [huge] })).toBeNull();
  });
});
