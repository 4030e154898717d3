import { z } from 'zod';
import type { Json } from '#contract';
import { messageOf } from './error-message.ts';

/** The value of a JSON text, in the shape of the schema. Throws when the text is no JSON or has another shape. */
export const parseJson = <Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> =>
  schema.parse(JSON.parse(text));

/** The same; undefined instead of an error. */
export function readJson<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Any JSON. `JSON.parse` returns nothing else, so the value is not walked a second time. */
export const anyJson = z.custom<Json>();

/** An object with any JSON in it. */
export const jsonObject = z.custom<{ readonly [key: string]: Json }>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

/** What is wrong with a call whose arguments are this text, for the model: a schema does not say that a text is no JSON at all. */
export function notJson(text: string): string {
  const again = 'write all of them again as one JSON object';
  try {
    JSON.parse(text);
    return `the arguments are no JSON object; ${again}`;
  } catch (error) {
    return `the arguments are no valid JSON (${messageOf(error)}); ${again}`;
  }
}

/**
 * One text for all JSON values that are equal, as RFC 8785 writes it but for two cases, which stay as they were first
 * hashed: questions to owners are stored under these hashes, and one that changed would void its answer. Names that are
 * array indexes (`"10"`) stand first and in the order of numbers, and half of a surrogate pair is escaped, not refused.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
