import { z } from 'zod';
import {
  type Memory,
  numberedCalls,
  type RequestView,
  type Turn,
  type Vendor,
  withoutRecalled,
} from './model-script.ts';
import { openaiVendor } from './openai-server.ts';

const said = z.object({
  type: z.literal('message').optional(),
  role: z.enum(['user', 'assistant']),
  content: z
    .array(
      z.discriminatedUnion('type', [
        z.object({ type: z.literal('input_text'), text: z.string() }),
        z.object({ type: z.literal('output_text'), text: z.string() }),
        z.object({ type: z.literal('input_image'), image_url: z.string(), detail: z.enum(['auto', 'low', 'high']) }),
      ]),
    )
    .min(1),
});
const call = z.object({
  type: z.literal('function_call'),
  call_id: z.string().max(64),
  name: z.string(),
  arguments: z.string(),
});
const result = z.object({ type: z.literal('function_call_output'), call_id: z.string(), output: z.string() });
const reasoning = z.object({
  type: z.literal('reasoning'),
  id: z.string(),
  summary: z.array(z.object({ type: z.literal('summary_text'), text: z.string() })),
  encrypted_content: z.string(),
});
const item = z.union([reasoning, call, result, said]);

const bodySchema = z.looseObject({
  model: z.string().min(1),
  store: z.literal(false),
  include: z.array(z.literal('reasoning.encrypted_content')),
  instructions: z.string().optional(),
  max_output_tokens: z.int().positive().optional(),
  tools: z
    .array(
      z.object({
        type: z.literal('function'),
        name: z.string(),
        description: z.string(),
        parameters: z.looseObject({}),
        strict: z.literal(false),
      }),
    )
    .optional(),
  tool_choice: z.enum(['auto', 'none']).optional(),
  input: z.array(item).min(1),
});

type Item = z.infer<typeof item>;

/** The Responses API as OpenAI documents it, without storage on the vendor's side. */
export const openaiResponsesVendor: Vendor = {
  ...openaiVendor,
  endpoint: /^\/v1\/responses$/,
  view,
  violation,
  answer,
};

function view(_request: unknown, body: unknown): RequestView | undefined {
  const { data } = bodySchema.safeParse(body);
  if (!data) return undefined;
  const { input } = data;
  const lastCall = input.findLastIndex((entry) => isSaidBy(entry, 'assistant') || isCall(entry));
  const lastUser = input.findLast((entry) => isSaidBy(entry, 'user'));
  return {
    model: data.model,
    system: data.instructions ?? '',
    tools: data.tool_choice === 'none' ? [] : (data.tools ?? []).map(({ name }) => name),
    lastUser: lastUser
      ? withoutRecalled(
          partsOf(lastUser)
            .map((part) => ('text' in part ? part.text : ''))
            .join(''),
        )
      : '',
    results: input.slice(lastCall + 1).flatMap((entry) => {
      if (!('output' in entry)) return [];
      return [{ id: entry.call_id, content: entry.output, isError: entry.output.startsWith('{"ok":false') }];
    }),
    // Reasoning, text and calls of one answer are items of their own.
    turn: input.filter((entry, at) => isModels(entry) && !isModels(input[at - 1])).length,
    images: input.flatMap((entry) =>
      partsOf(entry).flatMap((part) => ('image_url' in part ? part.image_url.replace(/^data:[^;]+;base64,/, '') : [])),
    ),
  };
}

const partsOf = (entry: Item) => ('content' in entry ? entry.content : []);
const isCall = (entry: Item) => entry.type === 'function_call';
const isModels = (entry: Item | undefined): boolean =>
  entry !== undefined && (isCall(entry) || entry.type === 'reasoning' || isSaidBy(entry, 'assistant'));
const isSaidBy = (entry: Item, role: string) => 'role' in entry && entry.role === role;

function violation(body: unknown, { signatures }: Memory): string | undefined {
  const { input } = bodySchema.parse(body);
  const calls = input.flatMap((entry) => (entry.type === 'function_call' ? entry.call_id : []));
  const results = input.flatMap((entry) => (entry.type === 'function_call_output' ? entry.call_id : []));
  const unanswered = calls.find((id) => !results.includes(id));
  if (unanswered) return `No tool output found for function call ${unanswered}.`;
  const unknown = results.find((id) => !calls.includes(id));
  if (unknown) return `No tool call found for function call output with call_id ${unknown}.`;
  const thoughts = input.flatMap((entry) => (entry.type === 'reasoning' ? entry : []));
  if (thoughts.some(({ id, encrypted_content }) => signatures.get(id) !== encrypted_content)) {
    return 'The encrypted content could not be verified.';
  }
  const lost = calls.find((id) => signatures.has(id) && !thoughts.some((thought) => thought.id === signatures.get(id)));
  return lost && `Item of type 'function_call' was provided without its required 'reasoning' item: ${lost}.`;
}

function answer(turn: Turn, request: RequestView, memory: Memory) {
  const calls = numberedCalls(turn, request, memory, 'call_fake');
  const id = `rs_fake${memory.signatures.size}`;
  const encrypted_content = Buffer.from(turn.thinking ?? '').toString('base64');
  if (turn.thinking !== undefined) {
    memory.signatures.set(id, encrypted_content);
    for (const { id: callId } of calls) memory.signatures.set(callId ?? '', id);
  }
  const content = turn.refusal
    ? [{ type: 'refusal', refusal: turn.text ?? '' }]
    : [{ type: 'output_text', text: turn.text ?? '', annotations: [], logprobs: [] }];
  const { input = 100, output = 20, cached = 0, cacheWrite = 0 } = turn.usage ?? {};
  const body = {
    id: 'resp_fake',
    object: 'response',
    status: turn.length ? 'incomplete' : 'completed',
    error: null,
    incomplete_details: turn.length ? { reason: 'max_output_tokens' } : null,
    model: request.model,
    output: [
      ...(turn.thinking === undefined ? [] : [{ type: 'reasoning', id, summary: [], encrypted_content }]),
      ...(turn.text ? [{ type: 'message', id: 'msg_fake', role: 'assistant', status: 'completed', content }] : []),
      ...calls.map(({ id: call_id, name, rawArguments, arguments: given }) => ({
        type: 'function_call',
        id: `fc_${call_id}`,
        call_id,
        name,
        arguments: rawArguments ?? JSON.stringify(given ?? {}),
        status: 'completed',
      })),
    ],
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: cached, cache_write_tokens: cacheWrite },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + output,
    },
  };
  return { body: JSON.stringify(body), contentType: 'application/json' };
}
