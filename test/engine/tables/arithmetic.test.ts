import { describe, expect, it } from 'vitest';
import { ask, refused } from './ask.ts';

const ORDERS = [
  'Item;Price (EUR);Quantity;Discount;Ordered;Paid;Net/Gross',
  'Chair;1.234,50;3;10 %;01.03.2026;04.03.2026;1,19',
  'Table;0,10;3;;02.03.2026;;1,19',
  'Lamp;;2;5 %;03.03.2026;05.04.2026;1,07',
  'Sofa;2,00;many;5 %;03.03.2026;05.03.2026;0',
].join('\n');

const column = async (select: string) => {
  const { rows } = await ask(ORDERS, { select: [`${select} as x`] });
  return rows.map(({ x }) => x);
};

describe('arithmetic between the columns of a row', () => {
  it.each([
    ['Price * Quantity', [3703.5, 0.3, null, 'many']],
    ['"Price (EUR)" * Quantity', [3703.5, 0.3, null, 'many']],
    ['B * C', [3703.5, 0.3, null, 'many']],
    ['Price * Quantity * (1 - Discount)', [3333.15, null, null, 'many']],
    ['Price / 3', [411.5, '0.0333333333333333333333333333333', null, '0.666666666666666666666666666667']],
    ['round(Price / 3, 2)', [411.5, 0.03, null, 0.67]],
    ['Price * 19%', [234.555, 0.019, null, 0.38]],
    ['-Price + 1', [-1233.5, 0.9, null, -1]],
    ['max(Price, 1)', [1234.5, 1, null, 2]],
    ['Price * [Net/Gross]', [1469.055, 0.119, null, 0]],
    [
      'Quantity / "Net/Gross"',
      ['2.52100840336134453781512605042', '2.52100840336134453781512605042', '1.86915887850467289719626168224', 'many'],
    ],
    ['Paid - Ordered', [3, null, 33, 2]],
  ])('works out %s', async (select, wanted) => {
    expect(await column(select)).toEqual(wanted);
  });

  it('is a column like any other: added up, grouped, ordered, asked for, with the cells that it is made of', async () => {
    const text = 'Region,Price,Quantity\nN,2,3\nS,0.10,3\nN,1.5,4\n';
    const found = await ask(text, {
      select: ['Region', 'sum(Price * Quantity) as Total', 'max(Price * Quantity) as Most'],
      group_by: ['Region'],
      where: [{ column: 'Price * Quantity', op: '>', value: 0.3 }],
      order_by: ['Total desc'],
    });
    expect(found.rows).toEqual([
      { Region: 'N', Total: 12, Most: 6, cells: { Total: 'B2,B4,C2,C4', Most: 'B2,B4,C2,C4' } },
    ]);
    expect(found.columns).toMatchObject({ Total: 'B * C' });
    const plain = await ask(text, { select: ['Price * Quantity'], order_by: ['Price * Quantity desc'], limit: 1 });
    expect(plain.rows).toEqual([{ row: 2, 'Price * Quantity': 6 }]);
  });

  it('keeps the currency, and says which cells hold no number', async () => {
    const found = await ask(ORDERS, { select: ['sum(Price * Quantity) as Total'] });
    expect(found).toMatchObject({ units: { Total: 'EUR' }, rows: [{ Total: 3703.8 }] });
    expect(found.notes.join(' ')).toContain('hold no number are in no sum: B5 "many"');
  });

  it.each([
    ['Price * ', 'it ends early'],
    ['Price * Weight', 'there is no column "Weight"'],
    ['(Price + 1', '")" is missing'],
    ['sum(Price) / Quantity', 'put it into one too, as in sum(Quantity)'],
    ['sum(sum(Price) / 2)', 'sum is not worked out row by row'],
    ['sum(Price) / sum(Weight)', 'there is no column "Weight"'],
    ['1 + 2', 'has no column in it'],
    [`${'('.repeat(40)}Price${')'.repeat(40)} + 1`, 'deeper than 30'],
    ['Price * Price', 'EUR times EUR is no unit'],
  ])('says what is wrong with %s', async (select, message) => {
    expect(await refused(ORDERS, { select: [select] })).toContain(message);
  });

  it.each([
    ['学费(元) - 已付(元) as 欠费', [1000, 50.5]],
    ['学费(元)-已付(元) as 欠费(元)', [1000, 50.5]],
    ['(学费(元) - 已付(元)) * 2 as x', [2000, 101]],
    ['الحموضة % * 2 as x', [1.2, 3]],
    ['abs(الحموضة % - 1) as x', [0.4, 0.5]],
    ['max(الحموضة %, 1) as x', [1, 1.5]],
    ['net-price  (eur) + 1 as x', [3, 4]],
    ['Net - Price as x', [4, 5]],
    ['Price * 5% as x', [0.05, 0.1]],
  ])('takes a name with signs in it for that column, also within %s', async (select, wanted) => {
    const text = '学费(元),已付(元),الحموضة %,Net-Price (EUR),Net,Price\n3000,2000,0.6,2,5,1\n3100.5,3050,1.5,3,7,2\n';
    const { rows } = await ask(text, { select: [select] });
    expect(rows.map(({ row: _, ...values }) => Object.values(values)[0])).toEqual(wanted);
  });

  it('adds up and compares columns whose names have signs in them', async () => {
    const text = 'Who,学费(元),已付(元),الحموضة %\nN,3000,2000,0.6\nN,3100,3050,1.5\n';
    const { rows } = await ask(text, {
      select: [
        'min(الحموضة %)',
        'max("الحموضة %")',
        'sum(学费(元) - 已付(元)) as 欠费',
        'sum(学费(元) * الحموضة %) as x',
      ],
    });
    expect(rows[0]).toMatchObject({ 'min(الحموضة %)': 0.6, 'max(الحموضة %)': 1.5, 欠费: 1050, x: 6450 });
  });

  describe('out of what functions over many rows come to', () => {
    const OIL = 'Press,Oil kg,Olives kg\nN,128,640\nS,218.5,1150\nN,483,2300\n';

    it('is one figure of these rows, with all cells that it is made of', async () => {
      const { rows } = await ask(OIL, {
        select: ['sum(Oil kg) / sum(Olives kg) * 100 as Share', 'round(sum(Oil kg) / count, 1) as Mean'],
      });
      expect(rows).toEqual([
        { Share: 20.281173594132, Mean: 276.5, cells: { Share: 'B2:B4,C2:C4', Mean: 'B2:B4,2-4' } },
      ]);
    });

    it('is one of each group, by which they are put in order', async () => {
      const { rows } = await ask(OIL, {
        select: ['Press', 'sum(Olives kg) - sum(Oil kg) as Rest'],
        order_by: ['Rest desc'],
      });
      expect(rows.map(({ Press, Rest }) => [Press, Rest])).toEqual([
        ['N', 2329],
        ['S', 931.5],
      ]);
      const ordered = await ask(OIL, {
        select: ['Press', 'count'],
        order_by: ['sum(Oil kg) / sum(Olives kg)'],
      });
      expect(ordered.rows.map(({ Press }) => Press)).toEqual(['S', 'N']);
    });

    it('keeps units apart, says what is in no sum, and is no condition of rows', async () => {
      const found = await ask(ORDERS, { select: ['sum(Price) / sum(Quantity) as Each'] });
      expect(found).toMatchObject({ units: { Each: 'EUR' }, rows: [{ Each: 154.575 }] });
      expect(found.notes.join(' ')).toContain('hold no number are in no sum: C5 "many"');
      const where = [{ column: 'sum(Price) / 2', op: '>' as const, value: 1 }];
      expect(await refused(ORDERS, { select: ['Item'], where })).toContain('a condition is about rows');
    });

    it('says a division by zero in words', async () => {
      const { rows } = await ask('A,B\n1,0\n', { select: ['sum(A) / sum(B) as x'] });
      expect(rows[0]).toMatchObject({ x: 'division by zero' });
    });
  });

  it('takes a heading with signs in it for that heading', async () => {
    const found = await ask('Net-Price,A/B\n3,4\n', { select: ['Net-Price', 'A/B'] });
    expect(found.rows).toEqual([{ row: 2, 'Net-Price': 3, 'A/B': 4 }]);
  });
});
