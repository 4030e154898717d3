import { addDays, daysBetween } from './days.ts';
import { type Decimal, numberOf, type Value, wrong } from './value.ts';

type NumberValue = Extract<Value, { readonly kind: 'number' }>;

export function number(value: Value): NumberValue {
  if (value.kind === 'number') return value;
  throw wrong(
    value.kind === 'date' ? `${value.day} is a date where a number is needed` : `"${value.text}" is no number`,
  );
}

export function day(value: Value): string {
  if (value.kind === 'date') return value.day;
  throw wrong('a date is needed: write it in quotation marks, "2026-11-23"');
}

export function whole(value: Value): number {
  const found = number(value).value;
  if (!found.isInteger() || found.abs().gt(1_000_000)) throw wrong('a whole number up to 1,000,000 is needed');
  return found.toNumber();
}

/** What has no unit takes that of the other. Throws where they have two. */
function commonUnit(values: readonly NumberValue[]): string | null {
  const units = [...new Set(values.flatMap(({ unit }) => unit ?? []))];
  if (units.length > 1) throw wrong(`${units.join(' and ')} cannot be put together: convert one of them first`);
  return units[0] ?? null;
}

export function add(a: Value, b: Value): Value {
  if (a.kind === 'date') return { kind: 'date', day: addDays(a.day, daysIn(b)) };
  if (b.kind === 'date') return { kind: 'date', day: addDays(b.day, daysIn(a)) };
  const [left, right] = [number(a), number(b)];
  return numberOf(left.value.plus(right.value), commonUnit([left, right]));
}

export function subtract(a: Value, b: Value): Value {
  if (a.kind === 'date' && b.kind === 'date') return numberOf(daysBetween(b.day, a.day), 'days');
  if (a.kind === 'date') return { kind: 'date', day: addDays(a.day, -daysIn(b)) };
  const [left, right] = [number(a), number(b)];
  return numberOf(left.value.minus(right.value), commonUnit([left, right]));
}

function daysIn(value: Value): number {
  const { unit } = number(value);
  if (unit !== null && !/^days?$/.test(unit))
    throw wrong(`to a date days are added, not ${unit}; add_months(date, n) adds months`);
  return whole(value);
}

export function multiply(a: Value, b: Value): Value {
  const [left, right] = [number(a), number(b)];
  return numberOf(left.value.times(right.value), productUnit(left.unit, right.unit));
}

function productUnit(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  if (a.endsWith(`/${b}`)) return a.slice(0, -b.length - 1);
  if (b.endsWith(`/${a}`)) return b.slice(0, -a.length - 1);
  throw wrong(`${a} times ${b} is no unit`);
}

export function divide(a: Value, b: Value): Value {
  const [left, right] = [number(a), number(b)];
  if (right.value.isZero()) throw wrong('it divides by zero');
  const unit = left.unit === right.unit ? null : right.unit === null ? left.unit : `${left.unit ?? 1}/${right.unit}`;
  return numberOf(left.value.div(right.value), unit);
}

const MOST_POWER = 1000;

export function power(a: Value, b: Value): Value {
  const [base, exponent] = [number(a), number(b)];
  if (base.unit !== null || exponent.unit !== null) throw wrong('a power has no unit');
  if (exponent.value.abs().gt(MOST_POWER)) throw wrong(`a power goes up to ${MOST_POWER}`);
  if (base.value.isNegative() && !exponent.value.isInteger()) throw wrong('there is no such root of a negative number');
  if (base.value.isZero() && exponent.value.isNegative()) throw wrong('it divides by zero');
  // Above that the result would have more digits than are kept, and would be worked out for nothing.
  if (!base.value.isZero() && base.value.abs().log().times(exponent.value).gt(60))
    throw wrong('the result has more than 60 digits');
  return numberOf(base.value.pow(exponent.value));
}

export function overAll(values: readonly Value[], work: (numbers: readonly Decimal[]) => Decimal): Value {
  const numbers = values.map(number);
  if (numbers.length === 0) throw wrong('a function needs a value');
  return numberOf(work(numbers.map(({ value }) => value)), commonUnit(numbers));
}
