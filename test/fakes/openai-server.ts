import { z } from 'zod';
import {
  type Memory,
  numberedCalls,
  type RequestView,
  type Turn,
  type Vendor,
  type VendorError,
  withoutRecalled,
} from './model-script.ts';

const message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
  content: z
    .union([
      z.string(),
      z.array(z.looseObject({ text: z.string().optional(), image_url: z.object({ url: z.string() }).optional() })),
    ])
    .nullish(),
  tool_calls: z
    .array(
      z.object({
        id: z.string(),
        type: z.literal('function'),
        function: z.object({ name: z.string(), arguments: z.string() }),
      }),
    )
    .min(1)
    .optional(),
  tool_call_id: z.string().optional(),
  reasoning_content: z.string().optional(),
});

const bodySchema = z.looseObject({
  model: z.string().min(1),
  messages: z.array(message).min(1),
  tools: z
    .array(
      z.object({
        type: z.literal('function'),
        function: z.looseObject({ name: z.string(), parameters: z.looseObject({ type: z.literal('object') }) }),
      }),
    )
    .min(1)
    .optional(),
  max_tokens: z.int().positive().optional(),
  max_completion_tokens: z.int().positive().optional(),
  reasoning_effort: z.string().optional(),
  tool_choice: z.enum(['auto', 'none']).optional(),
});

type Message = z.infer<typeof message>;

/** Chat completions as OpenAI documents them, with `reasoning_content` as compatible servers have it. */
export const openaiVendor: Vendor = {
  basePath: '/v1',
  endpoint: /^\/v1\/chat\/completions$/,
  keyOf: ({ authorization = '' }) => authorization.replace(/^Bearer /, ''),
  overflow: "This model's maximum context length is 128000 tokens. However, your messages resulted in 190000 tokens.",
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
  return {
    model: data.model,
    system: messages
      .filter(({ role }) => role === 'system')
      .map(textOf)
      .join('\n\n'),
    tools: data.tool_choice === 'none' ? [] : (data.tools ?? []).map((tool) => tool.function.name),
    lastUser: withoutRecalled(textOf(messages.findLast(({ role }) => role === 'user'))),
    results: messages.slice(lastCall + 1).flatMap((item) => (item.role === 'tool' ? [resultOf(item)] : [])),
    turn: messages.filter(({ role }) => role === 'assistant').length,
    images: messages.flatMap(imagesOf),
  };
}

const textOf = (item: Message | undefined): string =>
  typeof item?.content === 'string' ? item.content : (item?.content ?? []).map((part) => part.text ?? '').join('');

const imagesOf = (item: Message): string[] =>
  typeof item.content === 'string'
    ? []
    : (item.content ?? []).flatMap((part) => part.image_url?.url.replace(/^data:[^;]+;base64,/, '') ?? []);

function resultOf(item: Message) {
  const content = textOf(item);
  return { id: item.tool_call_id ?? '', content, isError: content.startsWith('{"ok":false') };
}

function violation(body: unknown, memory: Memory): string | undefined {
  const { messages, tools, model, reasoning_effort, max_tokens } = bodySchema.parse(body);
  if (/^gpt-(5\.[456]|6)/.test(model) && tools && reasoning_effort !== 'none') {
    return `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`;
  }
  if (/^(gpt-[56]|o\d)/.test(model) && max_tokens !== undefined) {
    return "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
  }
  return unansweredCall(messages) ?? lostReasoning(messages, memory);
}

function unansweredCall(messages: readonly Message[]): string | undefined {
  let open: string[] = [];
  for (const item of [...messages, undefined]) {
    if (item?.role === 'tool') {
      if (!open.includes(item.tool_call_id ?? '')) {
        return "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
      }
      open = open.filter((id) => id !== item.tool_call_id);
    } else if (open.length > 0) {
      return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(', ')}`;
    } else open = (item?.tool_calls ?? []).map(({ id }) => id);
  }
  return undefined;
}

/** Servers with interleaved thinking want it back with the calls that it led to. */
function lostReasoning(messages: readonly Message[], { signatures }: Memory): string | undefined {
  const altered = messages.some((item) =>
    item.tool_calls?.some(({ id }) => signatures.has(id) && signatures.get(id) !== item.reasoning_content),
  );
  return altered ? 'The reasoning_content in the thinking mode must be passed back to the API.' : undefined;
}

function answer(turn: Turn, request: RequestView, memory: Memory) {
  const calls = numberedCalls(turn, request, memory, 'call_fake');
  if (turn.thinking !== undefined) {
    for (const { id } of calls) if (id !== null) memory.signatures.set(id, turn.thinking);
  }
  const message = {
    role: 'assistant',
    content: turn.refusal || (calls.length > 0 && !turn.text) ? null : (turn.text ?? ''),
    ...(turn.thinking !== undefined && { reasoning_content: turn.thinking }),
    ...(calls.length > 0 && { tool_calls: calls.map(callOut) }),
    refusal: turn.refusal ? (turn.text ?? '') : null,
    annotations: [],
  };
  const finish_reason = turn.length ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop';
  const body = {
    id: 'chatcmpl-fake',
    object: 'chat.completion',
    created: 1_790_000_000,
    model: request.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason }],
    usage: usageOut(turn),
    service_tier: 'default',
  };
  return { body: JSON.stringify(body), contentType: 'application/json' };
}

function usageOut({ usage, costUsd }: Turn) {
  const { input = 100, output = 20, cached = 0, cacheWrite = 0 } = usage ?? {};
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: cacheWrite, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0 },
    ...(costUsd !== undefined && { cost: costUsd }),
  };
}

const callOut = (call: ReturnType<typeof numberedCalls>[number]) => ({
  ...(call.id !== null && { id: call.id }),
  type: 'function',
  function: { name: call.name, arguments: call.rawArguments ?? JSON.stringify(call.arguments ?? {}) },
});

function failure({ status, message: text, retryAfter, overflow }: VendorError) {
  const type = status === 429 ? 'requests' : status >= 500 ? 'server_error' : 'invalid_request_error';
  const code = overflow ? 'context_length_exceeded' : status === 429 ? 'rate_limit_exceeded' : null;
  return {
    status,
    body: JSON.stringify({ error: { message: text, type, param: overflow ? 'messages' : null, code } }),
    headers: { 'x-request-id': 'req_fake', ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }) },
  };
}
