import { describe, expect, it } from 'vitest';
import { computedMs } from '../../computed.ts';
import { ask, refused } from './ask.ts';

const REPORT = [
  'Report Q1;;',
  '',
  'Region;Date;Amount (EUR)',
  'North;03.01.2026;1.234,56',
  'South;14.02.2026;-12,50',
  'north ;15.02.2026;',
  'East;01.03.2026;n/a',
  'Total;;1.222,06',
].join('\n');

describe('a question over a table', () => {
  it('finds the headings below a title, leaves out the sum at the end, and shows rows with their numbers', async () => {
    const { rows, columns, units, notes, total_rows } = await ask(REPORT, {});
    expect(total_rows).toBe(4);
    expect(columns).toEqual({ Region: 'A', Date: 'B', 'Amount (EUR)': 'C' });
    expect(units).toEqual({ 'Amount (EUR)': 'EUR' });
    expect(rows[0]).toEqual({ row: 4, Region: 'North', Date: '2026-01-03', 'Amount (EUR)': 1234.56 });
    expect(rows[2]).toMatchObject({ 'Amount (EUR)': null });
    expect(notes).toEqual(['row 8 is left out: it is the sum of those above (Total | 1.222,06)']);
  });

  it('groups without case, names the cells of each figure, and says which cells hold no number', async () => {
    const { rows, notes } = await ask(REPORT, {
      select: ['region', 'sum( amount )', 'count', 'avg(C)'],
      group_by: ['Region'],
      order_by: ['sum(Amount) desc'],
    });
    expect(rows).toEqual([
      {
        Region: 'North',
        'sum(Amount (EUR))': 1234.56,
        count: 2,
        'avg(Amount (EUR))': 1234.56,
        cells: { 'sum(Amount (EUR))': 'C4', count: '4,6', 'avg(Amount (EUR))': 'C4' },
      },
      expect.objectContaining({ Region: 'South', 'sum(Amount (EUR))': -12.5 }),
      expect.objectContaining({ Region: 'East', 'sum(Amount (EUR))': null, count: 1 }),
    ]);
    expect(notes).toContain('cells of "Amount (EUR)" that hold no number are in no sum: C7 "n/a"');
  });

  it('adds up decimals as a person does', async () => {
    const csv = `n\n${Array.from({ length: 1000 }, () => '0.1').join('\n')}\n99999999999999999.01\n`;
    expect((await ask(csv, { select: ['sum(n)'] })).rows[0]?.['sum(n)']).toBe('100000000000000099.01');
    expect((await ask('n\n0.1\n0.2\n', { select: ['sum(n)'] })).rows[0]?.['sum(n)']).toBe(0.3);
  });

  it.each([
    ['1,234.56', '"1,234.56"\n"2,000"\n3.5', 3238.06],
    ['1.234,56', '"1.234,56"\n"2.000"\n"3,5"', 3238.06],
    ['1 234,56', '"1 234,56"\n"2\u00a0000"\n"3,5"', 3238.06],
    ["1'234.56", "1'234.56\n2’000\n3.5", 3238.06],
    ['12,34,567.00 of India', '"12,34,567.00"\n"1,000"', 1235567],
    ['losses in brackets and behind', '(5.50)\n3-\n-1\n−2', -11.5],
    ['percent', '12.5 %\n7.5%', 20],
    ['money', '"$1,000.00"\n$2.50', 1002.5],
    ['money behind', '"1.000,00 €"\n"2,50 EUR"', 1002.5],
    ['Swiss whole amounts', "CHF 1'250.--\nCHF 3.-", 1253],
  ])('reads %s', async (_style, cells, sum) => {
    expect((await ask(`v\n${cells}\n`, { select: ['sum(v)'] })).rows[0]?.['sum(v)']).toBe(sum);
  });

  it('asks back where all numbers of a column could be either, and where no other column tells', async () => {
    const csv = 'Item;Qty\nA;1,234\nB;2,500\n';
    expect(await refused(csv, { select: ['sum(Qty)'] })).toMatch(
      /"1,234" may be 1234 or 1\.234.*numbers: "1,234\.56"/s,
    );
    expect((await ask(csv, { select: ['sum(Qty)'], numbers: '1.234,56' })).rows[0]?.['sum(Qty)']).toBe(3.734);
    expect((await ask(csv, { select: ['count(Qty)'] })).rows[0]?.['count(Qty)']).toBe(2);
    const decided = await ask('Item;Qty;Price\nA;1,234;2.50\nB;2,500;3\n', {
      select: ['sum(Qty)'],
      numbers: '1.234,56',
    });
    expect(decided.rows[0]?.['sum(Qty)']).toBe(3734);
    expect(decided.notes).toEqual(['numbers of "Qty" are read as "Price" writes them']);
  });

  it('asks back where days and months could be either', async () => {
    const csv = 'Day;n\n03/04/2026;1\n05/06/2026;2\n';
    expect(await refused(csv, { group_by: ['month(Day)'] })).toMatch(/dates: "d\/m\/y"/);
    const by = async (dates: 'd/m/y' | 'm/d/y') =>
      (await ask(csv, { group_by: ['month(Day)'], dates })).rows.map((row) => row['month(Day)']);
    expect([await by('d/m/y'), await by('m/d/y')]).toEqual([
      ['2026-04', '2026-06'],
      ['2026-03', '2026-05'],
    ]);
    expect((await ask(`${csv}31/12/2026;3\n`, { group_by: ['month(Day)'] })).rows[0]).toMatchObject({
      'month(Day)': '2026-04',
    });
  });

  it('adds up no amounts of several currencies', async () => {
    const csv = 'Konto;Betrag\nA;CHF 10.00\nB;EUR 3.00\nC;CHF 5.00\n';
    expect(await refused(csv, { select: ['sum(Betrag)'] })).toContain('CHF (2 rows), EUR (1 rows)');
    expect((await ask(csv, { select: ['sum(Betrag)'], group_by: ['unit(Betrag)'] })).rows).toMatchObject([
      { 'unit(Betrag)': 'CHF', 'sum(Betrag)': '15 CHF' },
      { 'unit(Betrag)': 'EUR', 'sum(Betrag)': '3 EUR' },
    ]);
  });

  it('names the nearest column for one that is not there', async () => {
    expect(await refused(REPORT, { select: ['Amunt'] })).toContain('the nearest is "Amount (EUR)". Columns: A Region');
    expect(await refused(REPORT, { select: ['median(Amount)'] })).toContain('there is no function "median"');
  });

  it.each([
    ['=', 'NORTH', [4, 6]],
    ['!=', 'north', [5, 7]],
    ['contains', 'OU', [5]],
    ['starts_with', 'n', [4, 6]],
    ['in', ['south', 'East'], [5, 7]],
  ] as const)('filters by %s', async (op, value, rows) => {
    const { rows: found } = await ask(REPORT, { where: [{ column: 'Region', op, value: value as never }] });
    expect(found.map(({ row }) => row)).toEqual(rows);
  });

  it.each([
    [{ column: 'Amount', op: '>', value: 0 }, [4]],
    [{ column: 'Amount', op: '<=', value: '1.234,56' }, [4, 5]],
    [{ column: 'Amount', op: '=', value: 1234.56 }, [4]],
    [{ column: 'Amount', op: 'empty' }, [6]],
    [{ column: 'Amount', op: 'not_empty' }, [4, 5, 7]],
    [{ column: 'Date', op: 'between', value: ['2026-02-01', '28.02.2026'] }, [5, 6]],
    [{ column: 'Date', op: '>=', value: '15 Feb 2026' }, [6, 7]],
    [{ column: 'month(Date)', op: '=', value: '2026-02' }, [5, 6]],
  ] as const)('compares %j', async (condition, rows) => {
    expect((await ask(REPORT, { where: [condition] })).rows.map(({ row }) => row)).toEqual(rows);
  });

  it('holds all conditions or one of them', async () => {
    const where = [
      { column: 'Region', op: '=', value: 'South' },
      { column: 'Amount', op: '>', value: 0 },
    ] as const;
    expect((await ask(REPORT, { where })).rows).toEqual([]);
    expect((await ask(REPORT, { where, match: 'any' })).rows).toHaveLength(2);
  });

  it('orders numbers, dates and words each in their way, and what is empty last', async () => {
    const rows = async (order_by: string[]) => (await ask(REPORT, { order_by })).rows.map(({ row }) => row);
    expect(await rows(['Amount'])).toEqual([5, 4, 7, 6]);
    expect(await rows(['Amount desc'])).toEqual([7, 4, 5, 6]);
    expect(await rows(['Region', 'Date desc'])).toEqual([7, 6, 4, 5]);
  });

  it('pages through rows with a total', async () => {
    const csv = `n\n${Array.from({ length: 120 }, (_, n) => n + 1).join('\n')}\n`;
    const first = await ask(csv, { limit: 50, header: 1 });
    expect([first.answer_rows, first.next_offset]).toEqual([120, 50]);
    const last = await ask(csv, { limit: 50, offset: 100 });
    expect([last.rows.length, last.rows[0]?.n, last.next_offset]).toEqual([20, 101, null]);
    expect(await refused(csv, { offset: 120 })).toContain('there are 120 rows');
  });

  it('keeps a row that adds up by chance', async () => {
    expect((await ask('Item,n\nA,10\nB,20\nC,30\n', { select: ['sum(n)'] })).rows[0]?.['sum(n)']).toBe(60);
    expect((await ask('Item,n\nA,10\nB,20\nSumme,30\n', { select: ['sum(n)'] })).rows[0]?.['sum(n)']).toBe(30);
    expect((await ask('Item,n\nA,10\nB,20\nTotal,31\n', { select: ['sum(n)'] })).notes[0]).toContain('is called a sum');
  });

  it('counts no sum that is called so, of one row, of a part, or above a tax', async () => {
    const sumOf = async (rows: string) => {
      const { rows: found, notes } = await ask(`Item,n\n${rows}\n`, { select: ['sum(n)'] });
      return [found[0]?.['sum(n)'], notes.filter((note) => note.includes('is left out')).length];
    };
    expect(await sumOf('A,50\nTotal,50')).toEqual([50, 1]);
    expect(await sumOf('A,60\nB,40\nTotal,100\nVAT,20\nGrand total,120')).toEqual([120, 2]);
    expect(await sumOf('A,60\nB,40\nSubtotal,100\nC,7\nD,8\nSubtotal,15\nTotal,115')).toEqual([115, 3]);
    expect(await sumOf('A,60\nSubtotal:,60\nC,8\nSubtotal:,8\nTotal,68')).toEqual([68, 3]);
    expect(await sumOf('Shell,50\nTotal Energies,50')).toEqual([100, 0]);
    expect(await sumOf('Shell,50\nTotal Energies,70\nBP,70\nTotal,190')).toEqual([190, 1]);
    expect(await sumOf('A,60\nB,40\nTotal,101\nVAT,20\nGrand total,120')).toEqual([221, 1]);
  });

  it('takes the year in a heading for a name, and rows that begin with numbers for rows', async () => {
    const md = 'Model | 2025 | 2026\n--- | --- | ---\nMini | | 2790\nLasta | 3290 |\n';
    expect((await ask(md, { select: ['sum(2025)', 'sum(2026)', 'count(2025)'] }, 'a.md')).rows[0]).toMatchObject({
      'sum(2025)': 3290,
      'sum(2026)': 2790,
      'count(2025)': 1,
    });
    expect((await ask('1,2\n3,4\n', { select: ['sum(A)', 'sum(B)'] })).rows[0]).toMatchObject({
      'sum(A)': 4,
      'sum(B)': 6,
    });
  });

  it('asks which of several tables, unless only one has the columns', async () => {
    const html = `<table border=1><tr><th>a<th>b<tr><td>1<td>2</table><table border=1><tr><th>c<th>d<tr><td>3<td>4</table>`;
    expect(await refused(html, {}, 'x.html')).toContain('there are 2 tables: say which by table. Tables: 1 "table 1"');
    expect((await ask(html, { select: ['sum(d)'] }, 'x.html')).rows[0]?.['sum(d)']).toBe(4);
    expect((await ask(html, { table: '1' }, 'x.html')).rows).toEqual([{ row: 2, a: 1, b: 2 }]);
  });

  it('keeps article numbers and postcodes as they are written', async () => {
    expect((await ask('Zip,Art\n01067,A-12\n80331,B 7\n', {})).rows).toEqual([
      { row: 2, Zip: '01067', Art: 'A-12' },
      { row: 3, Zip: 80331, Art: 'B 7' },
    ]);
  });

  it('answers in time whatever stands in the cells', async () => {
    const digits = '9'.repeat(70);
    const nasty = [`"${'1,'.repeat(30)}"`, `${digits}.${digits}`, '1'.repeat(79), '((((1', "1'1'1'1", '1 2 3 4 5'];
    const csv = `v;w\n${Array.from({ length: 20_000 }, (_, n) => `${nasty[n % nasty.length]};${n}`).join('\n')}\n`;
    const begun = computedMs();
    expect((await ask(csv, { select: ['sum(w)', 'count_distinct(v)'] })).rows[0]?.['sum(w)']).toBe(199_990_000);
    expect(computedMs() - begun).toBeLessThan(5000);
  });
});
