import { expect, it } from 'vitest';
import { LANGUAGES } from '../../../engine/languages/language.ts';
import { WAITING_NOTICES } from '../../../engine/languages/to-owners/waiting-notices.ts';

const DAY = { name: 'Ada', mails: 5, most: null };

it.each(LANGUAGES)('a budget that was lowered below what is spent is no part of a whole (%s)', (language) => {
  const { spent, nearlySpent } = WAITING_NOTICES[language];
  for (const words of [spent, nearlySpent]) {
    expect(words({ ...DAY, unit: 'mails', spent: '5', limit: '1' })).toMatch(/5.*\(max\. 1\)/);
    expect(words({ ...DAY, unit: 'USD', spent: '2.03', limit: '2.00' })).toMatch(/2\.03.*\(max\. 2\.00\)/);
    expect(words({ ...DAY, unit: 'mails', spent: '4', limit: '5' })).not.toContain('max.');
  }
});

it('what is spent within its limit reads as before', () => {
  expect(WAITING_NOTICES.en.spent({ ...DAY, unit: 'mails', spent: '10', limit: '10' })).toBe(
    'Ada has answered 10 of 10 mails today',
  );
  expect(WAITING_NOTICES.en.spent({ ...DAY, unit: 'mails', spent: '5', limit: '1' })).toBe(
    'Ada has answered 5 mails (max. 1) today',
  );
});
