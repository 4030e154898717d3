import { describe, expect, it } from 'vitest';
import { finalWords, saidIn } from '../../../../engine/harness/respond/texts.ts';
import { LANGUAGES } from '../../../../engine/languages/language.ts';
import type { Under } from '../../../../engine/languages/say.ts';
import { textsIn } from '../../../../scripts/lib/sentences.ts';

const PARTLY = Object.keys(textsIn('en')).flatMap((key) =>
  key.startsWith('unfinished.partly.') ? [key.slice('unfinished.partly.'.length) as Under<'unfinished.partly'>] : [],
);
const FAILED = ['auth', 'rate_limited', 'tool_not_found', 'outbound_transport_not_configured', 'something_new'];

describe('the words of the one final mail', () => {
  it('are what the model said', () => {
    const decision = { decision: 'FINAL', reason: 'answered', outcome: 'final' } as const;
    const said = saidIn(decision, { lastText: '  The plan is milk.\n' });
    expect(finalWords(decision, said, 'en')).toEqual({ text: 'The plan is milk.', above: '' });
  });

  it('say something where a model refuses without a word', () => {
    const { text } = finalWords({ decision: 'FINAL', reason: 'refused', outcome: 'refusal' }, '', 'en');
    expect(text).toBe('I cannot help with this request.');
  });

  it.each(PARTLY)('after %s keep what was said, and say before it why it is not all', (reason) => {
    for (const language of LANGUAGES) {
      const { text, above } = finalWords({ decision: 'FINAL_PARTIAL', reason }, 'I looked.', language);
      expect(text).toBe('I looked.');
      expect(above.length).toBeGreaterThan(10);
      expect(above.replace(/[Bb]udget\w*/, '')).not.toContain(reason);
    }
    const { above } = finalWords({ decision: 'FINAL_PARTIAL', reason }, '', 'en');
    expect(above).toMatch(/^This answer is not complete: .+\.$/);
  });

  it.each(FAILED)('after the failure %s are the gateway’s own, not the model’s', (reason) => {
    const decision = { decision: 'FAIL', reason } as const;
    expect(saidIn(decision, { lastText: 'All is well!' })).toBe('');
    const { text, above } = finalWords(decision, '', 'en');
    expect(text).toBe('');
    expect(above).toMatch(/^I could not work on your mail: .+\. The owner has been told/);
    expect(above).not.toContain(reason);
  });
});
