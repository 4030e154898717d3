import { expect, it } from 'vitest';
import { spentSaid } from '../../../engine/delivery/notices/waiting-notice.ts';
import { LANGUAGES } from '../../../engine/languages/language.ts';
import { sumOf } from '../../../engine/languages/sizes.ts';

/** Beside the sum stands what it may be at most, in brackets. */
const atMost = (sum: string) => new RegExp(`[(（](?:max\\.|máx\\.|上限) ${sum.replace('.', '\\.')}[)）]`);

const DAY = { name: 'Ada', mails: 5, most: null, digits: 2 };

it.each(LANGUAGES)('a budget that was lowered below what is spent is no part of a whole (%s)', (language) => {
  for (const near of [false, true]) {
    const words = (day: Parameters<typeof spentSaid>[0]) => spentSaid(day, near, language);
    const mails = words({ ...DAY, unit: 'mails', spent: 5, limit: 1 });
    expect(mails.search('5')).toBeLessThan(mails.search(atMost('1')));
    expect(mails).toContain('5');
    const usd = words({ ...DAY, unit: 'USD', spent: 2.03, limit: 2 });
    const [spent, limit] = [sumOf(2.03, language), sumOf(2, language)];
    expect(usd.search(spent)).toBeLessThan(usd.search(atMost(limit)));
    expect(usd).toContain(spent);
    expect(words({ ...DAY, unit: 'mails', spent: 4, limit: 5 })).not.toMatch(atMost('5'));
  }
});

it('what is spent within its limit reads as before', () => {
  expect(spentSaid({ ...DAY, unit: 'mails', spent: 10, limit: 10 }, false, 'en')).toBe(
    'Ada has answered 10 of 10 mails today',
  );
  expect(spentSaid({ ...DAY, unit: 'mails', spent: 5, limit: 1 }, false, 'en')).toBe(
    'Ada has answered 5 mails (max. 1) today',
  );
});
