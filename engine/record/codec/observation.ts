import { z } from 'zod';
import type { JsonObject } from '#contract';
import { json } from './fields.ts';

const fields = z.record(z.string(), json);

/** A JSON object that is kept as text, such as the arguments of an approval. Throws where it is none. */
export const readObject = (text: string): JsonObject => fields.parse(JSON.parse(text));

/**
 * The fields of a result as a model was shown it: `ok`, `result` or `error`, `source`, `observed_at` (an ISO time),
 * `truncated`, `ref` and what else its tool or the gateway put beside them. Empty where the text is no JSON object.
 */
export function shownIn(content: string): JsonObject {
  try {
    const read = fields.safeParse(JSON.parse(content));
    return read.success ? read.data : {};
  } catch {
    return {};
  }
}
