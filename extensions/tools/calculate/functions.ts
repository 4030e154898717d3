import { addDays, addMonths, addWorkdays, daysBetween, weekdayOf, workdaysBetween } from './days.ts';
import { day, number, overAll, whole } from './operations.ts';
import { Decimal, numberOf, type Value, wrong } from './value.ts';

type Work = (values: readonly Value[]) => Value;

const at = (values: readonly Value[], index: number): Value =>
  values[index] ?? raise(`the function needs ${index + 1} values`);
const raise = (message: string): never => {
  throw wrong(message);
};
const date = (made: string): Value => ({ kind: 'date', day: made });
const total = (numbers: readonly Decimal[]): Decimal => numbers.reduce((sum, one) => sum.plus(one), new Decimal(0));

function round(values: readonly Value[]): Value {
  const { value, unit } = number(at(values, 0));
  const places = values.length > 1 ? whole(at(values, 1)) : 0;
  if (Math.abs(places) > 30) throw wrong('round to at most 30 places');
  const factor = new Decimal(10).pow(places);
  // Half up and away from zero, as money is rounded.
  return numberOf(value.times(factor).round().div(factor), unit);
}

export const FUNCTIONS: Readonly<Record<string, Work>> = {
  round,
  abs: (values) => overAll([at(values, 0)], ([only = new Decimal(0)]) => only.abs()),
  min: (values) => overAll(values, (numbers) => Decimal.min(...numbers)),
  max: (values) => overAll(values, (numbers) => Decimal.max(...numbers)),
  sum: (values) => overAll(values, total),
  avg: (values) => overAll(values, (numbers) => total(numbers).div(numbers.length)),
  days: (values) => numberOf(daysBetween(day(at(values, 0)), day(at(values, 1))), 'days'),
  workdays: (values) => numberOf(workdaysBetween(day(at(values, 0)), day(at(values, 1))), 'days'),
  add_days: (values) => date(addDays(day(at(values, 0)), whole(at(values, 1)))),
  add_months: (values) => date(addMonths(day(at(values, 0)), whole(at(values, 1)))),
  add_years: (values) => date(addMonths(day(at(values, 0)), 12 * whole(at(values, 1)))),
  add_workdays: (values) => date(addWorkdays(day(at(values, 0)), whole(at(values, 1)))),
  weekday: (values) => ({ kind: 'text', text: weekdayOf(day(at(values, 0))) }),
};
