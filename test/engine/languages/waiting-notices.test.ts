import { expect, it } from 'vitest';
import { spentSaid } from '../../../engine/delivery/notices/waiting-notice.ts';
import { LANGUAGES } from '../../../engine/languages/language.ts';

const DAY = { name: 'Ada', mails: 5, most: null };

it.each(LANGUAGES)('a budget that was lowered below what is spent is no part of a whole (%s)', (language) => {
  for (const near of [false, true]) {
    const words = (day: Parameters<typeof spentSaid>[0]) => spentSaid(day, near, language);
    expect(words({ ...DAY, unit: 'mails', spent: '5', limit: '1' })).toMatch(/5.*\(max\. 1\)/);
    expect(words({ ...DAY, unit: 'USD', spent: '2.03', limit: '2.00' })).toMatch(/2\.03.*\(max\. 2\.00\)/);
    expect(words({ ...DAY, unit: 'mails', spent: '4', limit: '5' })).not.toContain('max.');
  }
});

it('what is spent within its limit reads as before', () => {
  expect(spentSaid({ ...DAY, unit: 'mails', spent: '10', limit: '10' }, false, 'en')).toBe(
    'Ada has answered 10 of 10 mails today',
  );
  expect(spentSaid({ ...DAY, unit: 'mails', spent: '5', limit: '1' }, false, 'en')).toBe(
    'Ada has answered 5 mails (max. 1) today',
  );
});
