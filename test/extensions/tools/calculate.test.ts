import { describe, expect, it } from 'vitest';
import calculate from '../../../extensions/tools/calculate/index.ts';
import { computedMs } from '../../computed.ts';
import { errorWith, toolContext } from './context.ts';

type Values = Record<string, number | string | { value: number | string; from: string }>;

async function work(expression: string, values: Values = {}, timezone = 'UTC') {
  const persona = { id: 'ada', name: 'Ada', address: 'ada@agents.localhost', timezone };
  const context = toolContext({ persona }) as never;
  return (await calculate.run(calculate.input.parse({ expression, values }), context)) as Record<string, unknown>;
}

/** Day by day. */
function nthWorkday(start: string, count: number): string {
  let at = Date.parse(`${start}T00:00:00Z`);
  for (let left = Math.abs(count); left > 0; ) {
    at += Math.sign(count) * 86_400_000;
    if (![0, 6].includes(new Date(at).getUTCDay())) left -= 1;
  }
  return new Date(at).toISOString().slice(0, 10);
}

describe('calculate', () => {
  it.each([
    ['0.1 + 0.2', 0.3],
    ['2 + 3 * 4 ^ 2 / 8 - -1', 9],
    ['-2 ^ 2', -4],
    ['2 ^ 3 ^ 2', 512],
    ['(1200 - 50) * 19%', 218.5],
    ['round(2.345, 2)', 2.35],
    ['round(-2.5)', -3],
    ['round(1234, -2)', 1200],
    ['avg(1, 2, 4)', '2.33333333333333'],
    ['min(3, -1) + max(1; 2) + sum(1, 2, 3) + abs(-4)', 11],
    ['99999999999999999999 + 1', '100000000000000000000'],
    ['1000 * 1.035 ^ 10', '1410.59876062112'],
    ['3 × 4 ÷ 2 − 1', 5],
  ])('%s is %s', async (expression, result) => {
    const found = await work(expression);
    expect(String(found.result)).toBe(String(result));
  });

  it.each([
    ['"12.50 EUR" * 3', 37.5, 'EUR'],
    ['"€12.50" + "2.50 EUR"', 15, 'EUR'],
    ['"100 EUR" / "8 kg"', 12.5, 'EUR/kg'],
    ['"12.5 EUR/kg" * "8 kg"', 100, 'EUR'],
    ['"30 EUR" / "40 EUR"', 0.75, undefined],
    ['"2026-03-01" - "2026-02-01"', 28, 'days'],
  ])('%s keeps its unit', async (expression, result, unit) => {
    const found = await work(expression);
    expect([found.result, found.unit]).toEqual([result, unit]);
  });

  it.each([
    ['days("2024-02-28", "2024-03-01")', 2],
    ['add_days("2026-12-30", 3)', '2027-01-02'],
    ['"2026-12-30" + 3', '2027-01-02'],
    ['add_months("2026-01-31", 1)', '2026-02-28'],
    ['add_months("2024-03-31", -1)', '2024-02-29'],
    ['add_years("2024-02-29", 1)', '2025-02-28'],
    ['weekday("2026-11-23")', 'Monday'],
    ['workdays("2026-11-23", "2026-11-30")', 5],
    ['workdays("2026-11-20", "2026-11-22")', 0],
    ['add_workdays("2026-11-20", 1)', '2026-11-23'],
    ['add_workdays("2026-11-23", -1)', '2026-11-20'],
    ['add_workdays("2026-11-21", 5)', '2026-11-27'],
    ['add_workdays("2026-11-23", 250)', '2027-11-08'],
  ])('%s is %s', async (expression, result) => {
    expect((await work(expression)).result).toBe(result);
  });

  it('counts working days in both directions as one day after the other does', async () => {
    for (const start of ['2026-11-16', '2026-11-20', '2026-11-21', '2026-11-22']) {
      for (let count = 1; count <= 12; count += 1) {
        const [after, before] = [nthWorkday(start, count), nthWorkday(start, -count)];
        expect((await work(`add_workdays("${start}", ${count})`)).result).toBe(after);
        expect((await work(`add_workdays("${start}", -${count})`)).result).toBe(before);
        expect((await work(`workdays("${start}", "${after}")`)).result).toBe(count);
      }
    }
  });

  it('takes the day of an instant where the persona is', async () => {
    expect((await work('add_days("2026-11-23T23:30:00Z", 0)', {}, 'Europe/Berlin')).result).toBe('2026-11-24');
    expect((await work('add_days("2026-11-23T23:30:00Z", 0)', {}, 'America/New_York')).result).toBe('2026-11-23');
  });

  it('works with named values and says where each comes from', async () => {
    const values = { net: { value: '1200.00 EUR', from: 'att_1!C4' }, rate: 0.19, unused: 1 };
    expect(await work('net * (1 + rate)', values)).toEqual({
      expression: 'net * (1 + rate)',
      result: 1428,
      unit: 'EUR',
      inputs: [{ name: 'net', value: '1200.00 EUR', from: 'att_1!C4' }, { name: 'rate', value: 0.19 }, { value: 1 }],
    });
  });

  it.each([
    ['1 / 0', 'divides by zero'],
    ['0 ^ -1', 'divides by zero'],
    ['"1 EUR" + "1 USD"', 'EUR and USD'],
    ['a + 1', '"a" is not among the values'],
    ['median(1)', 'there is no function "median"'],
    ['constructor(1)', 'there is no function'],
    ['sum(1,234, 5)', '"1,234" may be one number or two'],
    ['1 2', 'a sign is missing'],
    ['5 kg', 'belongs into quotation marks'],
    ['"1.234,5"', 'write numbers as 1234.56'],
    ['(1 + 2', '")" is missing'],
    ['1 +', 'it ends where a value'],
    ['weekday("2026-02-30")', 'there is no day 2026-02-30'],
    ['9 ^ 999', 'more than 60 digits'],
    ['(-8) ^ 0.5', 'no such root'],
    ['add_months("2026-01-01", 999999)', 'out of range'],
    [`${'('.repeat(200)}1`, 'deeper than'],
    [`1${'+1'.repeat(300)}`, 'more than 400 parts'],
    ['process.exit()', 'cannot be read'],
  ])('refuses %s', async (expression, words) => {
    await expect(work(expression)).rejects.toEqual(errorWith('invalid_arguments', words));
  });

  it('ends in time whatever it is asked', async () => {
    const begun = computedMs();
    const nasty = [
      '1.000000000000000000000000000001^1000',
      `${'9'.repeat(60)}%`,
      '2^0.123456789^0.5',
      '-'.repeat(990) + 1,
    ];
    for (const expression of nasty) await work(expression).catch(() => {});
    expect(computedMs() - begun).toBeLessThan(1000);
  });
});
