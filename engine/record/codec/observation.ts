import type { JsonObject } from '#contract';
import { jsonObject, readJson } from '../../lib/json.ts';

/**
 * The fields of a result as a model was shown it: `ok`, `result` or `error`, `source`, `observed_at` (an ISO time),
 * `truncated`, `ref` and what else its tool or the gateway put beside them. Empty where the text is no JSON object.
 */
export const shownIn = (content: string): JsonObject => readJson(jsonObject, content) ?? {};
