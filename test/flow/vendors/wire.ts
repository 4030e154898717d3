import type { HttpAnswer, HttpRequest } from '../../fakes/http-server.ts';

/** The wire forms of vendors, and the adapter and the settings that speak each. */
export const WIRES = {
  chat: { adapter: 'openai-compatible', path: '/v1', config: {} },
  responses: { adapter: 'openai-compatible', path: '/v1', config: { api: 'responses' } },
  anthropic: { adapter: 'anthropic-compatible', path: '', config: {} },
  gemini: { adapter: 'gemini-compatible', path: '', config: {} },
  ollama: { adapter: 'openai-compatible', path: '/v1', config: { api: 'ollama' } },
} as const;

export type Wire = keyof typeof WIRES;

export const ANSWER = 'Here is your answer.';

// biome-ignore lint/suspicious/noExplicitAny: bodies of five protocols; a row looks at what it is about.
export type Body = any;

/** One request as a row sees it. */
export interface Asked {
  readonly wire: Wire;
  readonly body: Body;
  /** The whole of it as text. */
  readonly text: string;
  /** How often this row was asked before. */
  readonly before: number;
  readonly request: HttpRequest;
}

export interface Call {
  readonly id: string;
  readonly name: string;
  readonly arguments: object;
}

const JSON_TYPE = { 'content-type': 'application/json' };

export const answered = (status: number, body: object | string, headers: Record<string, string> = {}): HttpAnswer => ({
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
  headers: { ...JSON_TYPE, ...headers },
});

/** An answer that is whole: a text, or calls. */
export const says = (wire: Wire, text: string = ANSWER, calls: readonly Call[] = []): HttpAnswer =>
  answered(200, BODIES[wire](text, calls));

const BODIES: Readonly<Record<Wire, (text: string, calls: readonly Call[]) => object>> = {
  chat: (text, calls) => ({
    id: 'c',
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: calls.length > 0 ? null : text,
          ...(calls.length > 0 && {
            tool_calls: calls.map(({ id, name, arguments: args }) => ({
              id,
              type: 'function',
              function: { name, arguments: JSON.stringify(args) },
            })),
          }),
        },
        finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
      },
    ],
    usage: { prompt_tokens: 3000, completion_tokens: 20, total_tokens: 3020 },
  }),
  responses: (text, calls) => ({
    id: 'r',
    object: 'response',
    status: 'completed',
    output:
      calls.length > 0
        ? calls.map(({ id, name, arguments: args }) => ({
            type: 'function_call',
            id: `fc_${id}`,
            call_id: id,
            name,
            arguments: JSON.stringify(args),
            status: 'completed',
          }))
        : [{ type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text }] }],
    usage: { input_tokens: 3000, output_tokens: 20 },
  }),
  anthropic: (text, calls) => ({
    id: 'msg',
    type: 'message',
    role: 'assistant',
    content:
      calls.length > 0
        ? calls.map(({ id, name, arguments: input }) => ({ type: 'tool_use', id, name, input }))
        : [{ type: 'text', text }],
    stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
    usage: { input_tokens: 3000, output_tokens: 20 },
  }),
  gemini: (text, calls) => ({
    candidates: [
      {
        finishReason: 'STOP',
        content: {
          role: 'model',
          parts:
            calls.length > 0
              ? calls.map(({ id, name, arguments: args }) => ({ functionCall: { id, name, args } }))
              : [{ text }],
        },
      },
    ],
    usageMetadata: { promptTokenCount: 3000, candidatesTokenCount: 20 },
  }),
  ollama: (text, calls) => ({
    model: 'm',
    created_at: '2026-11-28T12:00:00.1Z',
    message: {
      role: 'assistant',
      content: calls.length > 0 ? '' : text,
      ...(calls.length > 0 && {
        tool_calls: calls.map(({ name, arguments: args }, index) => ({ function: { index, name, arguments: args } })),
      }),
    },
    done: true,
    done_reason: 'stop',
    prompt_eval_count: 3000,
    eval_count: 20,
  }),
};

/** What `/api/show` says of a model that calls tools and sees. */
export const SHOWN = {
  details: { family: 'qwen3', parameter_size: '8.2B' },
  model_info: { 'general.architecture': 'qwen3', 'qwen3.context_length': 40_960 },
  capabilities: ['completion', 'tools', 'vision'],
};

/** An error in the form that each protocol has for it. */
export function refuses(
  wire: Wire,
  status: number,
  message: string,
  { code = null, type }: { code?: string | number | null; type?: string } = {},
): HttpAnswer {
  if (wire === 'anthropic')
    return answered(status, { type: 'error', error: { type: type ?? 'invalid_request_error', message } });
  if (wire === 'ollama') return answered(status, { error: message });
  if (wire === 'gemini')
    return answered(status, { error: { code: status, message, status: type ?? 'INVALID_ARGUMENT' } });
  return answered(status, { error: { message, type: type ?? 'invalid_request_error', param: null, code } });
}

/** Tools of a request: name, description, schema. */
export const toolsOf = (wire: Wire, body: Body): readonly { name: string; description: string; schema: Body }[] => {
  const map = (list: Body[] | undefined, get: (tool: Body) => Body) => (list ?? []).map(get);
  switch (wire) {
    case 'chat':
    case 'ollama':
      return map(body.tools, ({ function: f }) => ({ name: f.name, description: f.description, schema: f.parameters }));
    case 'responses':
      return map(body.tools, (t) => ({ name: t.name, description: t.description, schema: t.parameters }));
    case 'anthropic':
      return map(body.tools, (t) => ({ name: t.name, description: t.description, schema: t.input_schema }));
    case 'gemini':
      return map(body.tools?.[0]?.functionDeclarations, (t) => ({
        name: t.name,
        description: t.description,
        schema: t.parametersJsonSchema ?? t.parameters,
      }));
  }
};

function* objectsIn(value: Body): Generator<Body> {
  if (typeof value !== 'object' || value === null) return;
  yield value;
  for (const inner of Object.values(value)) yield* objectsIn(inner);
}

/** Of the messages alone: tools have ids and types of their own. */
const saidIn = (body: Body): Body[] => [...objectsIn(body.messages ?? body.input ?? body.contents)];

const callId = (one: Body): string[] => {
  if (one.type === 'function' && one.function) return [one.id];
  if (one.type === 'function_call') return [one.call_id];
  if (one.type === 'tool_use') return [one.id];
  return one.functionCall ? [one.functionCall.id] : [];
};

const resultId = (one: Body): string[] => {
  if (one.role === 'tool') return [one.tool_call_id];
  if (one.type === 'function_call_output') return [one.call_id];
  if (one.type === 'tool_result') return [one.tool_use_id];
  return one.functionResponse ? [one.functionResponse.id] : [];
};

/** Ids of calls and of results in what was sent, in order. */
export const idsOf = (body: Body): { readonly calls: string[]; readonly results: string[] } => ({
  calls: saidIn(body).flatMap(callId),
  results: saidIn(body).flatMap(resultId),
});

/** Roles in what was sent, in order; results of calls are `tool`. */
export function rolesOf(wire: Wire, body: Body): string[] {
  if (wire === 'chat' || wire === 'ollama')
    return body.messages.map(({ role }: Body) => role).filter((role: string) => role !== 'system');
  if (wire === 'anthropic') return body.messages.map(({ role }: Body) => role);
  if (wire === 'gemini') return body.contents.map(({ role }: Body) => role);
  return body.input.map(({ role, type }: Body) => role ?? type);
}

/** Pictures in what was sent: the type that is said of each, and its bytes. */
export const picturesOf = (body: Body): { readonly type: string; readonly bytes: Buffer }[] =>
  saidIn(body).flatMap(pictureIn);

function pictureIn(one: Body): { type: string; bytes: Buffer }[] {
  // Ollama is told no type; it looks at the bytes.
  if (Array.isArray(one.images))
    return one.images.map((data: string) => {
      const bytes = Buffer.from(data, 'base64');
      return { type: typeOf(bytes), bytes };
    });
  const url = one.image_url?.url ?? one.image_url;
  if (typeof url === 'string') {
    const [, type = '', data = ''] = /^data:([^;]+);base64,(.*)$/s.exec(url) ?? [];
    return [{ type, bytes: Buffer.from(data, 'base64') }];
  }
  const { media_type: type = one.inlineData?.mimeType, data = one.inlineData?.data } =
    (one.type === 'image' && one.source) || {};
  return typeof data === 'string' ? [{ type, bytes: Buffer.from(data, 'base64') }] : [];
}

export const MAGIC: readonly (readonly [string, (bytes: Buffer) => boolean])[] = [
  ['image/png', (b) => b.subarray(0, 8).toString('hex') === '89504e470d0a1a0a'],
  ['image/jpeg', (b) => b.subarray(0, 3).toString('hex') === 'ffd8ff'],
  ['image/gif', (b) => b.subarray(0, 4).toString('latin1') === 'GIF8'],
  ['image/webp', (b) => b.subarray(8, 12).toString('latin1') === 'WEBP'],
];

const typeOf = (bytes: Buffer): string => MAGIC.find(([, is]) => is(bytes))?.[0] ?? 'application/octet-stream';
