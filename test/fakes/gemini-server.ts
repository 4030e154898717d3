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

const args = z.record(z.string(), z.json());
const part = z.looseObject({
  text: z.string().optional(),
  thought: z.boolean().optional(),
  thoughtSignature: z.string().optional(),
  inlineData: z.object({ mimeType: z.string(), data: z.string() }).optional(),
  functionCall: z.object({ id: z.string().optional(), name: z.string(), args }).optional(),
  functionResponse: z.object({ id: z.string().optional(), name: z.string(), response: args }).optional(),
});
const content = z.strictObject({ role: z.enum(['user', 'model']), parts: z.array(part).min(1) });

const bodySchema = z.looseObject({
  contents: z.array(content).min(1),
  toolConfig: z.object({ functionCallingConfig: z.object({ mode: z.enum(['AUTO', 'NONE']) }) }).optional(),
  systemInstruction: z.looseObject({ parts: z.array(z.object({ text: z.string() })) }).optional(),
  tools: z
    .array(
      z.object({
        functionDeclarations: z.array(z.looseObject({ name: z.string(), parametersJsonSchema: z.looseObject({}) })),
      }),
    )
    .optional(),
});

type Content = z.infer<typeof content>;
type Part = z.infer<typeof part>;

const FOREIGN_SIGNATURE = 'skip_thought_signature_validator';

/** generateContent as the Gemini API documents it, with the signature rules of the third generation. */
export const geminiVendor: Vendor = {
  basePath: '',
  endpoint: /^\/v1beta\/models\/[^/]+:generateContent$/,
  keyOf: (headers) => String(headers['x-goog-api-key'] ?? ''),
  overflow: 'The input token count (1300000) exceeds the maximum number of tokens allowed (1048576).',
  view,
  violation,
  answer,
  failure,
};

function view({ path }: { path: string }, body: unknown): RequestView | undefined {
  const { data } = bodySchema.safeParse(body);
  if (!data) return undefined;
  const { contents } = data;
  const lastCall = contents.findLastIndex(({ role }) => role === 'model');
  const users = contents.filter(({ role, parts }) => role === 'user' && parts.some(({ text }) => text !== undefined));
  const all = contents.flatMap(({ parts }) => parts);
  return {
    model: path.replace(/^.*\/models\/|:generateContent$/g, ''),
    system: (data.systemInstruction?.parts ?? []).map(({ text }) => text).join('\n\n'),
    tools:
      data.toolConfig?.functionCallingConfig.mode === 'NONE'
        ? []
        : (data.tools ?? []).flatMap((tool) => tool.functionDeclarations.map(({ name }) => name)),
    lastUser: withoutRecalled((users.at(-1)?.parts ?? []).map(({ text }) => text ?? '').join('')),
    results: contents.slice(lastCall + 1).flatMap(({ parts }) => parts.flatMap(resultOf)),
    turn: contents.filter(({ role }) => role === 'model').length,
    images: all.flatMap(({ inlineData }) => inlineData?.data ?? []),
  };
}

function resultOf({ functionResponse }: Part) {
  if (!functionResponse) return [];
  const { id = '', response } = functionResponse;
  return [{ id, content: JSON.stringify(response), isError: response.ok === false }];
}

function violation(body: unknown, memory: Memory): string | undefined {
  const { contents } = bodySchema.parse(body);
  return unansweredCall(contents) ?? lostSignature(contents, memory);
}

function unansweredCall(contents: readonly Content[]): string | undefined {
  for (const [at, { role, parts }] of contents.entries()) {
    const calls = contents[at - 1]?.parts.flatMap(({ functionCall }) => functionCall ?? []) ?? [];
    const responses = parts.flatMap(({ functionResponse }) => functionResponse ?? []);
    if (calls.length !== responses.length) {
      return 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';
    }
    if (role === 'user' && calls.some(({ id, name }, n) => responses[n]?.id !== id || responses[n]?.name !== name)) {
      return 'Please ensure that function response parts match the function call parts of the function call turn.';
    }
  }
  const open = contents.at(-1)?.parts.some(({ functionCall }) => functionCall);
  return open ? 'Please ensure that function call turn comes immediately after a user turn.' : undefined;
}

/** The first call of a turn carries the signature: ours for exactly this call, or the mark of a foreign one. */
function lostSignature(contents: readonly Content[], { signatures }: Memory): string | undefined {
  for (const { parts } of contents) {
    const first = parts.find(({ functionCall }) => functionCall);
    if (!first) continue;
    if (first.thoughtSignature === undefined) {
      return `Function call is missing a thought_signature in functionCall parts: ${first.functionCall?.name}`;
    }
    const known = signatures.get(JSON.stringify(first.functionCall)) === first.thoughtSignature;
    if (!known && first.thoughtSignature !== FOREIGN_SIGNATURE) return 'Thought signature is not valid.';
  }
  return undefined;
}

function answer(turn: Turn, request: RequestView, memory: Memory) {
  const calls = numberedCalls(turn, request, memory, 'fc-');
  const { input = 100, output = 20, cached = 0 } = turn.usage ?? {};
  const thoughts = turn.thinking === undefined ? [] : [{ text: turn.thinking, thought: true }];
  const said = turn.text ? [{ text: turn.text }] : [];
  const callParts = calls.map((call, n) => {
    const functionCall = {
      ...(call.id !== null && { id: call.id }),
      name: call.name,
      args: call.rawArguments ?? call.arguments ?? {},
    };
    const thoughtSignature = `c2lnbmF0dXJl${memory.signatures.size}`;
    if (n === 0) memory.signatures.set(JSON.stringify(functionCall), thoughtSignature);
    return { functionCall, ...(n === 0 && { thoughtSignature }) };
  });
  const parts = [...thoughts, ...said, ...callParts];
  const body = {
    candidates: [
      {
        ...(parts.length > 0 && { content: { parts, role: 'model' } }),
        finishReason: turn.refusal ? 'SAFETY' : turn.length ? 'MAX_TOKENS' : 'STOP',
        index: 0,
      },
    ],
    usageMetadata: {
      promptTokenCount: input,
      candidatesTokenCount: output - thoughts.length,
      ...(thoughts.length > 0 && { thoughtsTokenCount: thoughts.length }),
      ...(cached > 0 && { cachedContentTokenCount: cached }),
      totalTokenCount: input + output,
    },
    modelVersion: request.model,
    responseId: 'fake',
  };
  return { body: JSON.stringify(body), contentType: 'application/json' };
}

const STATUS_NAMES = new Map([
  [400, 'INVALID_ARGUMENT'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [429, 'RESOURCE_EXHAUSTED'],
  [500, 'INTERNAL'],
  [503, 'UNAVAILABLE'],
]);

function failure({ status: told, message, retryAfter, overflow }: VendorError) {
  // What is too long in tokens is a 400 that names no reason; what is too long in bytes is told by its status.
  const asked = overflow ? 413 : told;
  // A wrong key is a bad request here.
  const status = asked === 401 ? 400 : asked;
  const details = [
    ...(asked === 401 ? [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }] : []),
    ...(retryAfter === undefined
      ? []
      : [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retryAfter}s` }]),
  ];
  const error = { code: status, message, status: STATUS_NAMES.get(status) ?? 'UNKNOWN', details };
  return { status, body: JSON.stringify({ error }), headers: {} };
}
