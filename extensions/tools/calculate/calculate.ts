import { evaluate } from './evaluate.ts';
import { type Value, valueFrom, wrong } from './value.ts';

const MAX_VALUES = 100;
const MOST_DIGITS = 15;

type Given = number | string;

interface Asked {
  readonly expression: string;
  readonly values: Readonly<Record<string, Given | { readonly value: Given; readonly from: string }>>;
  readonly timezone: string;
}

/** What the expression comes to, and the inputs that it used. Throws `invalid_arguments`. */
export function calculate({ expression, values, timezone }: Asked) {
  const named = Object.entries(values).map(([name, one]) => ({
    name,
    ...(typeof one === 'object' ? one : { value: one }),
  }));
  if (named.length > MAX_VALUES) throw wrong(`at most ${MAX_VALUES} values`);
  const known = new Map(named.map(({ name, value }) => [name, valueFrom(value, timezone)]));
  const { value, literals, used } = evaluate(expression, known, timezone);
  const inputs = [
    ...named.filter(({ name }) => used.has(name)),
    ...literals.map((literal) => ({ value: shown(literal) })),
  ];
  return { expression, ...resultOf(value), inputs };
}

const shown = (literal: string): number | string =>
  literal.length <= MOST_DIGITS && Number.isFinite(Number(literal)) ? Number(literal) : literal;

function resultOf(value: Value) {
  if (value.kind === 'date') return { result: value.day };
  if (value.kind === 'text') return { result: value.text };
  const short = value.value.toSignificantDigits(MOST_DIGITS);
  const unit = value.unit === null ? {} : { unit: value.unit };
  if (short.eq(value.value)) return { result: short.toNumber(), ...unit };
  // More digits than a number of JSON holds: whole and exact decimals as text, all else rounded.
  return value.value.decimalPlaces() <= 20
    ? { result: value.value.toFixed(), ...unit }
    : { result: short.toNumber(), rounded: true, ...unit };
}
