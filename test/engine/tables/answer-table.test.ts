import { describe, expect, it } from 'vitest';
import type { TableQuery } from '#contract';
import { answerTable } from '../../../engine/tables/answer-table.ts';
import { NOTHING, sourceOf } from './ask.ts';

async function answer(text: string, query: Partial<TableQuery>, name?: string, signal = new AbortController().signal) {
  const asked = { source: sourceOf(text, name), query: { ...NOTHING, ...query }, file: null };
  return (await answerTable(asked, signal)).answer;
}

const LARGE = `id;v\n${Array.from({ length: 100_000 }, (_, n) => `${n + 1};${n % 7},50`).join('\n')}\n`;

describe('a question over a large table, in a thread of its own', () => {
  it('is answered over all its rows', async () => {
    const found = await answer(LARGE, { select: ['sum(v)', 'count'], group_by: [] });
    const sum = Array.from({ length: 100_000 }, (_, n) => 10 * (n % 7) + 5).reduce((a, b) => a + b) / 10;
    expect(found.rows).toEqual([
      { 'sum(v)': sum, count: 100_000, cells: { 'sum(v)': 'B2:B100001', count: '2-100001' } },
    ]);
  });

  it('is answered over tables of a page, its empty cells kept', async () => {
    const html =
      '<table border=1><tr><th>Model<th>2025<th>2026<tr><td>Mini<td><td>2790<tr><td>Lasta<td>3290<td></table>';
    const found = await answer(html, { select: ['Model'], where: [{ column: '2025', op: 'empty' }] }, 'prices.html');
    expect(found.rows).toEqual([{ row: 2, Model: 'Mini' }]);
  });

  it('is sent back with what to ask instead', async () => {
    await expect(answer(LARGE, { select: ['sum(w)'] })).rejects.toMatchObject({
      code: 'invalid_arguments',
      message: expect.stringContaining('Columns: A id, B v'),
    });
  });

  it('ends with its run', async () => {
    const stop = new AbortController();
    const asked = answer(LARGE, { select: ['sum(v)'] }, 'a.csv', stop.signal);
    stop.abort();
    await expect(asked).rejects.toMatchObject({ code: 'tool_failed' });
  });
});
