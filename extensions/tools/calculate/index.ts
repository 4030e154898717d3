import { z } from 'zod';
import { defineTool } from '#contract';

const MAX_EXPRESSION = 1000;
const given = z.union([z.number(), z.string().max(120)]);

const input = z.object({
  name: z.string().optional(),
  value: z.union([z.number(), z.string()]),
  from: z.string().optional(),
});

export default defineTool({
  description:
    'Exact arithmetic and dates: + - * / ^ 19%, round(x, 2) min max sum avg abs; "12.50 EUR"; ' +
    'days("2026-01-31", b) add_days add_months workdays add_workdays weekday.',
  risk: 'read',
  // It reads nothing: whoever may look at a file may add up what stands in it.
  scope: 'files:read',
  uses: [],
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
  async run({ expression, values }, { persona }) {
    // Most runs have nothing to calculate.
    const { calculate } = await import('./calculate.ts');
    return calculate({ expression, values, timezone: persona.timezone });
  },
});
