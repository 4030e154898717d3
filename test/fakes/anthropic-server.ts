import { z } from 'zod';
import { anthropicStream } from './anthropic-stream.ts';
import {
  type Memory,
  numberedCalls,
  type RequestView,
  type Turn,
  type Vendor,
  type VendorError,
  withoutRecalled,
} from './model-script.ts';

const input = z.record(z.string(), z.json());
const block = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({
    type: z.literal('image'),
    source: z.object({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
  }),
  z.looseObject({ type: z.literal('tool_use'), id: z.string().regex(/^[a-zA-Z0-9_-]+$/), name: z.string(), input }),
  z.looseObject({
    type: z.literal('tool_result'),
    tool_use_id: z.string(),
    content: z.string(),
    is_error: z.boolean().optional(),
  }),
  z.looseObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
  z.looseObject({ type: z.literal('redacted_thinking'), data: z.string() }),
]);
const message = z.strictObject({ role: z.enum(['user', 'assistant']), content: z.array(block).min(1) });
const cacheControl = z.object({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']) });

const bodySchema = z.strictObject({
  model: z.string().min(1),
  max_tokens: z.int().positive(),
  stream: z.boolean().optional(),
  cache_control: cacheControl.optional(),
  tools: z
    .array(z.looseObject({ name: z.string(), input_schema: z.looseObject({ type: z.literal('object') }) }))
    .min(1)
    .optional(),
  tool_choice: z.object({ type: z.enum(['auto', 'none']) }).optional(),
  system: z
    .array(z.strictObject({ type: z.literal('text'), text: z.string(), cache_control: cacheControl.optional() }))
    .optional(),
  messages: z.array(message).min(1),
});

type Block = z.infer<typeof block>;
type Message = z.infer<typeof message>;
type ToolUse = Extract<Block, { type: 'tool_use' }>;
type ToolResult = Extract<Block, { type: 'tool_result' }>;

/** The Messages API as Anthropic documents it, streamed where the request says so. */
export const anthropicVendor: Vendor = {
  basePath: '',
  endpoint: /^\/v1\/messages$/,
  keyOf: ({ authorization = '' }) => authorization.replace(/^Bearer /, ''),
  overflow: 'prompt is too long: 1003211 tokens > 1000000 maximum',
  view,
  violation,
  answer,
  failure,
};

function view(_request: unknown, body: unknown): RequestView | undefined {
  const { data } = bodySchema.safeParse(body);
  if (!data) return undefined;
  const { messages } = data;
  const lastCall = messages.findLastIndex(({ role }) => role === 'assistant');
  const users = messages.filter(({ role, content }) => role === 'user' && content.some(({ type }) => type === 'text'));
  const all = messages.flatMap(({ content }) => content);
  return {
    model: data.model,
    system: (data.system ?? []).map(({ text }) => text).join('\n\n'),
    tools: data.tool_choice?.type === 'none' ? [] : (data.tools ?? []).map(({ name }) => name),
    lastUser: withoutRecalled(
      (users.at(-1)?.content ?? []).map((item) => (item.type === 'text' ? item.text : '')).join(''),
    ),
    results: messages.slice(lastCall + 1).flatMap(({ content }) => content.filter(isResult).map(resultOf)),
    turn: messages.filter(({ role }) => role === 'assistant').length,
    images: all.flatMap((item) => (item.type === 'image' ? item.source.data : [])),
  };
}

const isUse = (item: Block): item is ToolUse => item.type === 'tool_use';
const isResult = (item: Block): item is ToolResult => item.type === 'tool_result';
const resultOf = (item: ToolResult) => ({
  id: item.tool_use_id,
  content: item.content,
  isError: item.is_error ?? false,
});

function violation(body: unknown, memory: Memory): string | undefined {
  const { messages, tools } = bodySchema.parse(body);
  const blocks = messages.flatMap(({ content }) => content);
  if (messages[0]?.role !== 'user') return 'messages: first message must use the "user" role';
  if (messages.at(-1)?.role !== 'user') return 'This model does not support assistant message prefill.';
  if (blocks.some((item) => item.type === 'text' && item.text.trim() === '')) {
    return 'messages: text content blocks must contain non-whitespace text';
  }
  if (!tools && blocks.some(isUse))
    return 'Requests which include `tool_use` or `tool_result` blocks must define tools';
  return unansweredUse(combined(messages)) ?? alteredThinking(messages, memory);
}

/** The API joins turns of one role before it looks at them. */
function combined(messages: readonly Message[]): Message[] {
  const turns: Message[] = [];
  for (const { role, content } of messages) {
    const last = turns.at(-1);
    if (last?.role === role) turns.splice(-1, 1, { role, content: [...last.content, ...content] });
    else turns.push({ role, content });
  }
  return turns;
}

function unansweredUse(messages: readonly Message[]): string | undefined {
  for (const [at, { content }] of messages.entries()) {
    const open = (messages[at - 1]?.content ?? []).filter(isUse).map(({ id }) => id);
    const given = content.filter(isResult).map(({ tool_use_id }) => tool_use_id);
    const unknown = given.find((id) => !open.includes(id));
    if (unknown) return `messages.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${unknown}`;
    const missing = open.filter((id) => !given.includes(id));
    if (missing.length > 0) {
      return `messages.${at - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}`;
    }
  }
  return undefined;
}

/** Thinking must come back with its signature, and before the calls that it led to. */
function alteredThinking(messages: readonly Message[], { signatures }: Memory): string | undefined {
  for (const [at, { content }] of messages.entries()) {
    const thinking = content.flatMap((item) => (item.type === 'thinking' ? item : []));
    if (thinking.some((item) => signatures.get(item.thinking) !== item.signature)) {
      return `messages.${at}.content.0: Invalid \`signature\` in \`thinking\` block`;
    }
    if (content.some((item) => isUse(item) && signatures.has(item.id)) && thinking.length === 0) {
      return `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`tool_use\`.`;
    }
  }
  return undefined;
}

function answer(turn: Turn, request: RequestView, memory: Memory, body: unknown) {
  const calls = numberedCalls(turn, request, memory, 'toolu_fake');
  const signature = `c2lnbmF0dXJl${memory.signatures.size}`;
  if (turn.thinking !== undefined) {
    memory.signatures.set(turn.thinking, signature);
    for (const { id } of calls) memory.signatures.set(id ?? '', signature);
  }
  const { input: tokens = 100, output = 20, cached = 0, cacheWrite = 0 } = turn.usage ?? {};
  const reply = {
    id: 'msg_fake',
    type: 'message',
    role: 'assistant',
    model: request.model,
    content: [
      ...(turn.thinking === undefined ? [] : [{ type: 'thinking', thinking: turn.thinking, signature }]),
      ...(turn.text ? [{ type: 'text', text: turn.text }] : []),
      ...calls.map((call) => ({
        type: 'tool_use',
        id: call.id ?? '',
        name: call.name,
        input: call.rawArguments ?? call.arguments ?? {},
      })),
    ],
    stop_reason: turn.refusal ? 'refusal' : turn.length ? 'max_tokens' : calls.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: tokens - cached - cacheWrite,
      cache_creation_input_tokens: cacheWrite,
      cache_read_input_tokens: cached,
      output_tokens: output,
    },
  };
  return bodySchema.parse(body).stream
    ? { body: anthropicStream(reply), contentType: 'text/event-stream' }
    : { body: JSON.stringify(reply), contentType: 'application/json' };
}

const ERROR_TYPES = new Map([
  [401, 'authentication_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [500, 'api_error'],
  [529, 'overloaded_error'],
]);

function failure({ status: asked, message: text, retryAfter, overflow }: VendorError) {
  // A prompt of too many tokens is a 400 without a code; the one of too many bytes says what it is.
  const status = overflow ? 413 : asked;
  const type = ERROR_TYPES.get(status) ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
  return {
    status,
    body: JSON.stringify({ type: 'error', error: { type, message: text }, request_id: 'req_fake' }),
    headers: { 'request-id': 'req_fake', ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }) },
  };
}
