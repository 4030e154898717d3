import { expect, it } from 'vitest';
import { verdictIn } from '../../../engine/learning/verdict.ts';

it.each([
  ['good', 'good', true],
  ['  Bad!\n', 'bad', true],
  ['/good', 'good', true],
  ['/BAD.\n\nThe sum is wrong.', 'bad', false],
] as const)('H-16: %j judges', (text, verdict, isAll) => {
  expect(verdictIn(text)).toEqual({ verdict, isAll });
});

it.each(['Good morning', 'good idea, but no', 'bad news', 'not good', '', '> good', 'good good', 'goodbye', '/goods'])(
  'H-16: %j is no verdict',
  (text) => expect(verdictIn(text)).toBeNull(),
);
