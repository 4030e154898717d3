import { describe, expect, it } from 'vitest';
import { mailboxInWords } from '../../../../engine/cli/text/mailbox.ts';

describe('how a mailbox is, in words', () => {
  it.each([
    ['disabled', null, false, 'not watched, no gateway runs'],
    ['disabled', null, true, 'disabled'],
    ['retrying', 'ECONNREFUSED', true, 'retrying: ECONNREFUSED'],
    ['connected', null, true, 'connected'],
  ] as const)('%s (%s), running: %s', (state, error, isRunning, words) => {
    expect(mailboxInWords({ state, error }, isRunning)).toBe(words);
  });
});
