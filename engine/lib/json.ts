import { type ZodType, z } from 'zod';
import type { Json, JsonObject } from '#contract';

/** The value of a JSON text. Throws SyntaxError for what is no JSON, ZodError for what does not fit. */
export function parseJson<Value>(schema: ZodType<Value>, text: string): Value {
  return schema.parse(JSON.parse(text));
}

/** Any value: whatever JSON.parse returns is one. */
export const anyJson = z.custom<Json>(() => true);

export const jsonObject = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);
