import { z } from 'zod';
import type { Json, JsonObject } from '#contract';
import { anyJson, jsonObject, parseJson, readJson } from '../../lib/json.ts';
import type { Blobs } from '../../storage/blobs.ts';
import type { StoredToolEvent } from '../../storage/types/runs.ts';
import { MAX_PAYLOAD_CHARS } from './run-events.ts';

// The only code that reads or writes `thread_tool_events.payload_json`.

const callPayload = z.looseObject({ arguments: anyJson.optional() });
const resultPayload = z.looseObject({
  ok: z.boolean(),
  result: anyJson.optional(),
  error: z.object({ code: z.string(), message: z.string() }).catchall(anyJson).exactOptional(),
  /** The artifact that holds the whole result; the row then holds none. */
  artifact: z.string().nullish(),
  /** The call of the same turn that was made in its place. */
  same_as: z.string().optional(),
});
export type ToolResultPayload = z.infer<typeof resultPayload>;

/** One row of the trace, its payload read. */
export type ToolEvent = { readonly tool: string; readonly callId: string } & (
  | { readonly type: 'tool_call'; readonly payload: { readonly arguments: Json } }
  | { readonly type: 'tool_result'; readonly payload: ToolResultPayload }
);

/** What is too large for the row is put into an artifact, which the row names beside whether the call went well. */
export function encodeToolPayload(
  payload: { readonly ok?: boolean; readonly [name: string]: unknown },
  artifacts: Pick<Blobs, 'put'>,
): string {
  const whole = JSON.stringify(payload);
  if (whole.length <= MAX_PAYLOAD_CHARS) return whole;
  const { ok } = payload;
  return JSON.stringify({ ...(ok === undefined ? {} : { ok }), artifact: artifacts.put(Buffer.from(whole)) });
}

export function decodeToolEvent(row: StoredToolEvent, artifacts: Pick<Blobs, 'getSync'>): ToolEvent {
  const { tool_name: tool, tool_call_id: callId, event_type: type } = row;
  const read = (sha256: string): unknown => JSON.parse(Buffer.from(artifacts.getSync(sha256)).toString('utf8'));
  const stored: unknown = JSON.parse(row.payload_json);
  if (type === 'tool_call') {
    const large = pointer.safeParse(stored);
    const { arguments: args = null } = callPayload.parse(large.success ? read(large.data.artifact) : stored);
    return { type, tool, callId, payload: { arguments: args } };
  }
  const payload = resultPayload.parse(stored);
  if (typeof payload.artifact !== 'string') return { type, tool, callId, payload };
  // The artifact is the result of the call, or all of a payload that was too large: an error, or a result beside it.
  const whole = payload.ok
    ? largePayload.safeParse(read(payload.artifact))
    : resultPayload.safeParse(read(payload.artifact));
  return { type, tool, callId, payload: whole.success ? whole.data : payload };
}

const pointer = z.strictObject({ artifact: z.string() });
const largePayload = resultPayload.extend({ ok: z.literal(true), result: anyJson, artifact: z.null() });

/** The whole result of a call that went well. */
export function resultIn({ result, artifact }: ToolResultPayload, artifacts: Pick<Blobs, 'getSync'>): Json {
  if (result !== undefined || typeof artifact !== 'string') return result ?? null;
  return parseJson(anyJson, Buffer.from(artifacts.getSync(artifact)).toString('utf8'));
}

/**
 * The fields of a result as a model was shown it: `ok`, `result` or `error`, `source`, `observed_at` (an ISO time),
 * `truncated`, `ref` and what else its tool or the gateway put beside them. Empty where the text is no JSON object.
 */
export const shownIn = (content: string): JsonObject => readJson(jsonObject, content) ?? {};
