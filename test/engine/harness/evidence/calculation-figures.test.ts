import { describe, expect, it } from 'vitest';
import type { Json } from '#contract';
import { judgeDeclared } from '../../../../engine/harness/evidence/claims.ts';
import { readAnswer } from '../../../../engine/record/declared.ts';
import calculate from '../../../../extensions/tools/calculate/index.ts';
import { toolContext } from '../../../extensions/tools/context.ts';
import { AT, resultsOf } from './evidence-of.ts';

const CSV = 'month,parts,labour\nAugust,37890.10,11200\nSeptember,52344.90,9800\n';

async function judged(shown: string, expression: string, values: object = {}) {
  const asked = calculate.input.parse({ expression, values });
  const result = (await calculate.run(asked, toolContext() as never)) as Json;
  const evidence = resultsOf({
    f1: { result: { path: 'finance/q3.csv', text: CSV } },
    k1: { tool: 'calculate', result },
  });
  const read = readAnswer({
    id: 'x',
    name: 'answer',
    arguments: { text: 'So [1].', figures: [{ shown, from: ['k1'] }] },
  });
  if (!read.ok) throw new Error(read.message);
  const mail = 'How much more is it, with 7,5 % on top? It has to be there by 24 December 2026.';
  const [one] = judgeDeclared(read.declared, {
    evidence,
    limitations: [],
    drifted: new Set(),
    now: AT,
    mail,
    enclosed: [],
  });
  return `${one?.verdict} ${one?.why ?? ''}`.trim();
}

describe('a figure that rests on a calculation', () => {
  it.each([
    ['38.1 %', '(52344.90 - 37890.10) / 37890.10', {}],
    [
      '14,454.80',
      'b - a',
      { a: { value: 37890.1, from: 'f1!B2' }, b: { value: 52344.9, from: 'q3.csv!September/parts' } },
    ],
    ['40,731.86', 'a * (1 + 7.5%)', { a: { value: '37890.10 EUR', from: 'finance/q3.csv' } }],
    ['18 December 2026', 'add_workdays("2026-12-24", -4)', {}],
  ])('is accepted where what went into it was read: %s', async (shown, expression, values) => {
    expect(await judged(shown, expression, values)).toMatch(/^supported/);
  });

  it.each([
    [
      'made-up',
      '14,000',
      '52000 - 38000',
      {},
      'unsupported the calculation rests on 52000: nothing that was read has it',
    ],
    ['of another cell', '1,400', 'b - a', { a: { value: 9800, from: 'f1!C2' }, b: 11200 }, 'C2 says 11200'],
    ['of no source', '9800', 'a', { a: { value: 9800, from: 'att_9!C2' } }, 'is called "att_9"'],
    ['another result', '38.2 %', '(52344.90 - 37890.10) / 37890.10', {}, 'unsupported'],
  ])('is not, where it is %s', async (_what, shown, expression, values, words) => {
    expect(await judged(shown, expression, values)).toContain(words);
  });
});
