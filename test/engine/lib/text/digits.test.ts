import { expect, it } from 'vitest';
import { digitOf } from '../../../../engine/lib/text/digits.ts';

/** Ways of writing numbers that have a digit for each figure. */
const systems = Intl.supportedValuesOf('numberingSystem').flatMap((system) => {
  const write = new Intl.NumberFormat('en', { numberingSystem: system, useGrouping: false });
  const digits = Array.from({ length: 10 }, (_, figure) => write.format(figure));
  return digits.every((digit) => /^\p{Nd}$/u.test(digit)) ? [{ system, digits }] : [];
});

it.each(systems)('the digits of $system are worth what they say', ({ digits }) => {
  expect(digits.map(digitOf)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

it('looks at many scripts, also at those whose rows follow each other', () => {
  const names = systems.map(({ system }) => system);
  expect(names.length).toBeGreaterThan(60);
  expect(names).toEqual(expect.arrayContaining(['arab', 'deva', 'mathbold', 'mathmono', 'fullwide']));
});
