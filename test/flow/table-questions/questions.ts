import type Database from 'better-sqlite3';
import type { Json, TableQuery } from '#contract';
import type { Locale } from './sales.ts';

export interface Question {
  readonly name: string;
  readonly ask: Partial<TableQuery>;
  /** Columns of the answer, each row in its order, money in cents; worked out by SQLite. */
  readonly expected: readonly (readonly (string | number | null)[])[];
  readonly columns: readonly string[];
}

/** Fifteen questions over the sales in one country's words. */
export function questionsFor({ headings, name }: Locale, database: Database.Database): readonly Question[] {
  const [region, product, day, quantity, amount, status] = headings;
  const sql = (text: string) => database.prepare(text).raw().all() as (string | number | null)[][];
  const some = [...new Set(sql("select product from sales where product like 'Pump%'").flat())] as string[];
  const one = (what: string, columns: readonly string[], ask: Partial<TableQuery>, text: string): Question => ({
    name: `${name}: ${what}`,
    ask,
    columns,
    expected: sql(text),
  });
  const sum = `sum(${amount})`;
  return [
    one('the sum', [sum], { select: [sum] }, 'select sum(cents) from sales'),
    one('how many', ['count'], { select: ['count'] }, 'select count(*) from sales'),
    one(
      'how many are filled in',
      [`count(${amount})`],
      { select: [`count(${amount})`] },
      'select count(cents) from sales',
    ),
    one(
      'how many are empty',
      ['count'],
      { select: ['count'], where: [{ column: amount, op: 'empty' }] },
      'select count(*) from sales where cents is null',
    ),
    one(
      'the average',
      [`avg(${quantity})`],
      { select: [`avg(${quantity})`] },
      'select 1.0 * sum(quantity) / count(*) from sales',
    ),
    one(
      'the largest and the smallest',
      [`max(${amount})`, `min(${amount})`],
      { select: [`max(${amount})`, `min(${amount})`] },
      'select max(cents), min(cents) from sales',
    ),
    one(
      'the first and the last day',
      [`min(${day})`, `max(${day})`],
      { select: [`min(${day})`, `max(${day})`] },
      'select min(day), max(day) from sales',
    ),
    one(
      'by region',
      [region, sum, 'count'],
      { select: [sum, 'count'], group_by: [region], order_by: [region] },
      'select region, sum(cents), count(*) from sales group by region order by region',
    ),
    one(
      'shares',
      [product, `share(${quantity})`],
      { select: [`share(${quantity})`], group_by: [product], order_by: [product] },
      'select product, 100.0 * sum(quantity) / (select sum(quantity) from sales) from sales group by product order by product',
    ),
    one(
      'the top three',
      [product, amount],
      {
        select: [product, amount],
        order_by: [`${amount} desc`],
        limit: 3,
        where: [{ column: amount, op: 'not_empty' }],
      },
      'select product, cents from sales where cents is not null order by cents desc limit 3',
    ),
    one(
      'open ones above a limit',
      ['count', sum],
      {
        select: ['count', sum],
        where: [
          { column: status, op: '=', value: 'OPEN' },
          { column: amount, op: '>', value: 100_000.5 },
        ],
      },
      "select count(*), sum(cents) from sales where status = 'open' and cents > 10000050",
    ),
    one(
      'by month',
      [`month(${day})`, `sum(${quantity})`],
      { select: [`sum(${quantity})`], group_by: [`month(${day})`], order_by: [`month(${day})`] },
      'select substr(day, 1, 7) as m, sum(quantity) from sales group by m order by m',
    ),
    one(
      'of products that another table named',
      [sum],
      { select: [sum], where: [{ column: product, op: 'in', value: some }] },
      "select sum(cents) from sales where product like 'Pump%'",
    ),
    one(
      'of a quarter',
      ['count', `sum(${quantity})`],
      {
        select: ['count', `sum(${quantity})`],
        where: [{ column: day, op: 'between', value: ['2026-04-01', '2026-06-30'] }],
      },
      "select count(*), sum(quantity) from sales where day between '2026-04-01' and '2026-06-30'",
    ),
    one(
      'by two columns',
      [region, status, sum],
      {
        select: [sum],
        group_by: [region, status],
        order_by: [region, `${status} desc`],
        where: [{ column: product, op: 'starts_with', value: 'hose' }],
      },
      "select region, status, sum(cents) from sales where product like 'Hose%' group by region, status order by region, status desc",
    ),
  ];
}

/** The rows of an answer in the columns of a question, amounts of money in cents. */
export function rowsIn(answer: Json, { columns }: Question, amount: string): (string | number | null)[][] {
  const { rows } = answer as { rows: readonly Readonly<Record<string, string | number | null>>[] };
  return rows.map((row) =>
    columns.map((column) => {
      const value = row[column] ?? null;
      return column.includes(amount) && !column.startsWith('count') && typeof value === 'number'
        ? Math.round(value * 100)
        : value;
    }),
  );
}
