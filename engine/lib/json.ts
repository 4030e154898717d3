import type { ZodType } from 'zod';

/** The value of a JSON text. Throws SyntaxError for what is no JSON, ZodError for what does not fit. */
export function parseJson<Value>(schema: ZodType<Value>, text: string): Value {
  return schema.parse(JSON.parse(text));
}
