import { describe, expect, it } from 'vitest';
import type { TableFileFormat, TableQuery } from '#contract';
import { readDocument } from '../../../engine/documents/read.ts';
import { answerIn } from '../../../engine/tables/answer-in.ts';
import { NOTHING, sourceOf } from './ask.ts';

/** The rows of an answer as a file. */
async function made(text: string, query: Partial<TableQuery>, file: TableFileFormat) {
  const all = { ...NOTHING, limit: Number.MAX_SAFE_INTEGER, ...query };
  const found = await answerIn({ source: sourceOf(text), query: all, file });
  if (!found.ok || found.file === null) throw new Error(found.ok ? 'no file was made' : found.message);
  return { ...found.file, answer: found.answer };
}

/** The cells of a workbook as the reader of documents sees them. */
async function cellsIn(bytes: Uint8Array) {
  const read = await readDocument({ name: 'made.xlsx', type: '', bytes });
  if (!read.ok) throw new Error(read.refusal.message);
  return read.document.tables[0]?.rows;
}

const NASTY = [
  'Name;When;Amount;Code;Note',
  '=1+2;03.01.2026;1.234,56 EUR;007;plain',
  '+49 30;04.01.2026 14:30;-5,00 EUR;4711;"two\nlines, ""quoted"""',
  '@SUM(A1);05.01.2026;0,10 EUR;; blanks ',
  '-cmd|x;29.02.2028;9.999.999,99 EUR;12345678901234567890;',
].join('\n');

describe('the rows of an answer as a workbook', () => {
  it('are numbers, days and texts, and no text is a formula', async () => {
    const { bytes, rows, answer } = await made(NASTY, {}, 'xlsx');
    expect(rows).toBe(4);
    expect(answer.rows).toHaveLength(4);
    expect(await cellsIn(bytes)).toEqual([
      ['Name', 'When', 'Amount (EUR)', 'Code', 'Note'],
      ['=1+2', '2026-01-03', 1234.56, '007', 'plain'],
      ['+49 30', '2026-01-04T14:30:00', -5, 4711, 'two lines, "quoted"'],
      ['@SUM(A1)', '2026-01-05', 0.1, null, 'blanks'],
      ['-cmd|x', '2028-02-29', 9999999.99, '12345678901234567890', null],
    ]);
  });

  it('are what was asked for: groups, their order, and as many as were wanted', async () => {
    const text = `Region,Amount\n${Array.from({ length: 40 }, (_, at) => `R${at % 20},${at}`).join('\n')}`;
    const query = { group_by: ['Region'], select: ['sum(Amount) as Total'], order_by: ['Total desc'] };
    const all = await made(text, query, 'xlsx');
    expect(all.rows).toBe(20);
    expect(all.answer.rows).toHaveLength(5);
    expect((await cellsIn(all.bytes))?.slice(0, 3)).toEqual([
      ['Region', 'Total'],
      ['R19', 58],
      ['R18', 56],
    ]);
    expect((await made(text, { ...query, limit: 3 }, 'xlsx')).rows).toBe(3);
  });

  it('are of a name that a sheet may have, and of no more than can be worked with', async () => {
    const table = { name: "[a]: b/c*'", rows: [['A'], ['1']] };
    const source = { name: 'x', type: 'text/markdown', bytes: Buffer.alloc(0), tables: [table] };
    const found = await answerIn({ source, query: NOTHING, file: 'xlsx' });
    expect(found.ok).toBe(true);
    const large = `a\n${'1\n'.repeat(50_001)}`;
    await expect(made(large, {}, 'csv')).rejects.toThrow('a file has at most 50000 rows');
  });
});

describe('the rows of an answer as CSV', () => {
  it('hold nothing that a spreadsheet makes a formula of', async () => {
    const { bytes } = await made(NASTY, {}, 'csv');
    expect(Buffer.from(bytes).toString('utf8')).toBe(
      [
        '\ufeffName,When,Amount (EUR),Code,Note',
        "'=1+2,2026-01-03,1234.56,007,plain",
        `'+49 30,2026-01-04T14:30:00,-5,4711,"two lines, ""quoted"""`,
        "'@SUM(A1),2026-01-05,0.1,,blanks",
        "'-cmd|x,2028-02-29,9999999.99,12345678901234567890,",
        '',
      ].join('\r\n'),
    );
  });
});
