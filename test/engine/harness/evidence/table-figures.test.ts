import { describe, expect, it } from 'vitest';
import type { Json } from '#contract';
import { judgeDeclared } from '../../../../engine/harness/evidence/claims.ts';
import { limitationsOf } from '../../../../engine/harness/evidence/limitations.ts';
import { readAnswer } from '../../../../engine/record/declared.ts';
import { ask } from '../../tables/ask.ts';
import { AT, resultsOf } from './evidence-of.ts';

const CSV = [
  'Region;Article;Amount',
  ...Array.from({ length: 12 }, (_, n) => `${n % 3 === 0 ? 'North' : 'South'};A${n};${n + 1},50 €`),
].join('\n');

const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;
const SUMS = asJson({
  source: 'att_1',
  ...(await ask(CSV, { select: ['sum(Amount)', 'share(Amount)'], group_by: ['Region'] })),
});
const ROWS = asJson({ source: 'att_1', ...(await ask(CSV, { order_by: ['Amount desc'], limit: 3 })) });

function verdict(figure: object, result: Json): string | undefined {
  const evidence = resultsOf({ q1: { tool: 'query_table', result } });
  const read = readAnswer({
    id: 'x',
    name: 'answer',
    arguments: asJson({ text: 'So [1].', figures: [{ from: ['q1'], ...figure }] }),
  });
  if (!read.ok) throw new Error(read.message);
  const limitations = limitationsOf(evidence, { now: AT, drifted: new Set() });
  const given = { evidence, limitations, drifted: new Set<string>(), now: AT, mail: '', enclosed: [] };
  return judgeDeclared(read.declared, given)[0]?.verdict;
}

describe('a figure that rests on a question over a table', () => {
  it.each([
    { shown: '24,00 €' },
    { shown: '24.00 EUR', cells: ['C2,C5,C8,C11'] },
    { shown: '24', cells: ['C2', 'C5', 'C8', 'C11'] },
    { shown: '24', formula: 'sum(C2,C5,C8,C11)' },
    { shown: '24', cells: 'North/sum(Amount)' },
    { shown: '28.6 %', cells: ['North/share(Amount)'] },
    { shown: '60,00 €', cells: ['$C$3:$C$4, C6:C7, C9:C10, C12:C13'] },
    { shown: '60', cells: ['B3'] },
  ])('is accepted: $shown $cells $formula', (figure) => {
    expect(verdict(figure, SUMS)).toBe('supported');
  });

  it.each([{ shown: '29,00 €' }, { shown: '60', cells: ['C2,C5,C8,C11'] }, { shown: '24', formula: 'sum(C3:C4)' }])(
    'is not, where it is wrong: $shown $cells $formula',
    (figure) => {
      expect(verdict(figure, SUMS)).not.toBe('supported');
    },
  );

  it.each([
    { shown: '22.00', formula: 'C12 + C11' },
    { shown: '34,50 €', formula: 'sum(C11:C13)' },
    { shown: '12,50 €', cells: ['C12:C13'], formula: 'max(#1)' },
  ])('is worked out of cells of the table itself that were listed: $shown $formula', (figure) => {
    expect(verdict(figure, ROWS)).toBe('supported');
  });

  it.each([
    { shown: '24.00', formula: 'C12 + C11' },
    { shown: '34,50 €', formula: 'sum(C10:C13)' },
    { shown: '22.00', formula: 'B12 + B11' },
  ])('is not, where it is wrong or was not listed: $shown $formula', (figure) => {
    expect(verdict(figure, ROWS)).not.toMatch(/^(?:supported|contradicted)/);
  });

  it('is found by the number of its row and the letter of its column', () => {
    expect(verdict({ shown: '12,50 €', cells: ['C13'] }, ROWS)).toBe('supported');
    expect(verdict({ shown: '11,50 €', cells: ['C13'] }, ROWS)).toBe('contradicted');
  });
});
