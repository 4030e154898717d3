import { describe, expect, it } from 'vitest';
import type { PartialCode } from '../../../../engine/harness/loop/decide.ts';
import { emptyState, type LoopState } from '../../../../engine/harness/loop/state.ts';
import { finalText } from '../../../../engine/harness/respond/texts.ts';

const stateWith = (change: Partial<LoopState>): LoopState => ({ ...emptyState(), ...change });
const done = { tool: 'read_file', ok: true, code: null };
const failed = { tool: 'write_file', ok: false, code: 'tool_failed' };

describe('the one final text', () => {
  it('is what the model said', () => {
    const state = stateWith({ lastText: '  The plan is milk.\n', outcomes: [done, failed] });
    expect(finalText({ decision: 'FINAL', reason: 'answered', outcome: 'final' }, state)).toBe('The plan is milk.');
  });

  it('says something where a model refuses without a word', () => {
    const text = finalText({ decision: 'FINAL', reason: 'refused', outcome: 'refusal' }, stateWith({}));
    expect(text).toBe('I cannot help with this request.');
  });

  it.each<PartialCode>([
    'max_tool_turns',
    'max_tool_calls',
    'budget',
    'timeout',
    'duplicate_calls',
    'consecutive_failures',
    'repeated_crash',
    'provider',
    'unparsable',
    'contract',
  ])('after %s keeps what was said, says why it is not all, and tells done from not done', (reason) => {
    const state = stateWith({ lastText: 'I looked.', outcomes: [done, done, failed] });
    const text = finalText({ decision: 'FINAL_PARTIAL', reason }, state);
    expect(text).toMatch(
      /^I looked\.\n\nThis answer is not complete: .+\.\n\nDone: read_file\.\nNot done: write_file \(tool_failed\)\.$/,
    );
    expect(text.replace('the budget for', '')).not.toContain(reason);
  });

  it.each(['auth', 'rate_limited', 'tool_not_found', 'outbound_transport_not_configured', 'something_new'])(
    'after the failure %s says so in words of its own, not the model’s',
    (reason) => {
      const text = finalText({ decision: 'FAIL', reason }, stateWith({ lastText: 'All is well!' }));
      expect(text).toMatch(/^I could not work on your mail: .+\. The owner has been told/);
      expect(text).not.toContain('All is well');
      expect(text).not.toContain(reason);
    },
  );

  it('is never empty', () => {
    expect(finalText({ decision: 'FINAL_PARTIAL', reason: 'timeout' }, stateWith({}))).not.toBe('');
  });
});
