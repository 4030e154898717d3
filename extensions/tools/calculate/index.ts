import { z } from 'zod';
import { defineTool } from '#contract';
import { evaluate, MAX_EXPRESSION } from './evaluate.ts';
import { type Value, valueFrom, wrong } from './value.ts';

const MAX_VALUES = 100;
const MOST_DIGITS = 15;
const given = z.union([z.number(), z.string().max(120)]);

const input = z.object({
  name: z.string().optional(),
  value: z.union([z.number(), z.string()]),
  from: z.string().optional(),
});

export default defineTool({
  description:
    'Exact arithmetic and dates in place of your head: + - * / ^ 19%, round(x, 2) min max sum avg abs; "12.50 EUR"; ' +
    'days("2026-01-31", "2026-03-01") add_days add_months workdays add_workdays weekday.',
  risk: 'read',
  // It reads nothing: whoever may look at a file may add up what stands in it.
  scope: 'files:read',
  uses: [],
  onlyWith: 'numbers',
  input: z.object({
    expression: z.string().trim().min(1).max(MAX_EXPRESSION),
    values: z
      .record(
        z.string().regex(/^[\p{L}_][\p{L}\p{N}_]{0,60}$/u),
        z.union([given, z.object({ value: given, from: z.string().max(300) })]),
      )
      .default({})
      .describe('names in expression: 12.5 or {value, from: "call id!C4"}'),
  }),
  output: z.object({
    expression: z.string(),
    result: z.union([z.number(), z.string()]),
    unit: z.string().optional(),
    rounded: z.boolean().optional(),
    inputs: z.array(input),
  }),
  provenance: () => null,
  run({ expression, values }, { persona }) {
    const named = Object.entries(values).map(([name, one]) => ({
      name,
      ...(typeof one === 'object' ? one : { value: one }),
    }));
    if (named.length > MAX_VALUES) throw wrong(`at most ${MAX_VALUES} values`);
    const known = new Map(named.map(({ name, value }) => [name, valueFrom(value, persona.timezone)]));
    const { value, literals, used } = evaluate(expression, known, persona.timezone);
    const inputs = [
      ...named.filter(({ name }) => used.has(name)),
      ...literals.map((literal) => ({ value: shown(literal) })),
    ];
    return { expression, ...resultOf(value), inputs };
  },
});

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
