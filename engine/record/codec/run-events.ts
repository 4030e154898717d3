import { z } from 'zod';
import type { Json, JsonObject, ModelMessage } from '#contract';
import { anyJson, jsonObject, parseJson, readJson } from '../../lib/json.ts';
import type { Blobs } from '../../storage/blobs.ts';
import type { NewEvent, StoredEvent, StoredToolEvent } from '../../storage/types/runs.ts';
import {
  type EventType,
  isRecorded,
  type PayloadOf,
  type Recorded,
  type RunEvent,
  VERSION,
  whatIsWrong,
} from '../events.ts';

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

// The only code that reads or writes `run_events.payload_json`.

/** A larger payload is kept as an artifact, and the row names it. */
export const MAX_PAYLOAD_CHARS = 32_768;

/** A payload is none of those that this version, or an older one, writes under that type. */
export class UnreadableEvent extends Error {
  override readonly name = 'UnreadableEvent';
}

/** The row of an event that is to be written; what is too large for it is put into an artifact. */
export function encodeEvent<Type extends EventType>(
  type: Type,
  payload: PayloadOf<Type>,
  artifacts: Pick<Blobs, 'put'>,
): NewEvent {
  const whole = JSON.stringify(payload);
  const isTooLarge = whole.length > MAX_PAYLOAD_CHARS;
  return {
    type,
    v: VERSION,
    payload_json: isTooLarge ? JSON.stringify({ artifact: artifacts.put(Buffer.from(whole)) }) : whole,
  };
}

/** An event that is about to be written; null where its payload is too large to stand in its row. */
export function readStaged({ type, v, payload_json }: NewEvent): Recorded | null {
  const found = { type, v, data: JSON.parse(payload_json) as unknown };
  return isRecorded(found) ? found : null;
}

/** An event from its row, checked and otherwise as it stands there. Throws UnreadableEvent. */
export function decodeEvent(row: StoredEvent, artifacts: Pick<Blobs, 'getSync'>): RunEvent {
  const { run_id, seq, type, v, at, fence } = row;
  const found = { type, v, data: wholePayload(row.payload_json, artifacts) };
  if (isRecorded(found)) return { ...found, seq, at, fence };
  throw new UnreadableEvent(`event ${seq} (${type}) of run ${run_id} cannot be read: ${whatIsWrong(found)}`);
}

const pointer = z.strictObject({ artifact: z.string() });

function wholePayload(stored: string, artifacts: Pick<Blobs, 'getSync'>): unknown {
  const payload: unknown = JSON.parse(stored);
  // Seen in the text, so that most payloads are not looked at twice.
  if (!stored.startsWith('{"artifact":')) return payload;
  const large = pointer.safeParse(payload);
  return large.success ? JSON.parse(Buffer.from(artifacts.getSync(large.data.artifact)).toString('utf8')) : payload;
}

/** Messages are written by the gateway alone and sent on byte for byte, so no copy is made of them. */
const messages = z.custom<readonly ModelMessage[]>(
  (given) => Array.isArray(given) && given.every((message) => typeof message === 'object' && 'role' in message),
);

/** What a model was shown of a mail, from `messages.rendered_json` or the event that holds it instead. */
export const readMessages = (text: string): readonly ModelMessage[] => parseJson(messages, text);
