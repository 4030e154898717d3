import type { HarnessProviderAdapter, Json, ProviderDefinition } from '#contract';
import { silentLog } from '../../../engine/lib/log/log.ts';
import anthropic from '../../../extensions/providers/anthropic/index.ts';
import gemini from '../../../extensions/providers/gemini/index.ts';
import openai from '../../../extensions/providers/openai/index.ts';
import type { HttpAnswer } from '../../fakes/http-server.ts';

/** What a server says that it counted, by what is wrong with it; `true`: it counted well. */
export type Way =
  | 'true'
  | 'missing'
  | 'null'
  | 'nulls'
  | 'zeros'
  | 'no output'
  | 'far too low'
  | 'far too high'
  | 'no cost';

interface Counts {
  readonly input: number;
  readonly output: number;
}

/** One form of answers on the wire: an adapter, and a server's answer of `text` with what it says it has used. */
export interface Form {
  readonly name: string;
  adapter(baseUrl: string, most: number): Promise<HarnessProviderAdapter>;
  answer(text: string, usage: Json | undefined, isStream: boolean): HttpAnswer;
  /** The names of the counts of input and output. */
  readonly counts: readonly [string, string];
  /** Longer answers, which alone are streamed. */
  readonly isLong?: true;
  /** The same answer where it fails behind what it has used; absent: another form shows it. */
  fails?(text: string, usage: Json | undefined): HttpAnswer;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const json = (body: object): HttpAnswer => ({ status: 200, body: JSON.stringify(body), headers: JSON_TYPE });
const events = (list: readonly object[]): HttpAnswer => ({
  status: 200,
  body: list.map((one) => `${'type' in one ? `event: ${one.type}\n` : ''}data: ${JSON.stringify(one)}\n\n`).join(''),
  headers: { 'content-type': 'text/event-stream' },
});
const lines = (list: readonly object[]): HttpAnswer => ({
  status: 200,
  body: list.map((one) => `${JSON.stringify(one)}\n`).join(''),
  headers: { 'content-type': 'application/x-ndjson' },
});
const given = (key: string, usage: Json | undefined) => (usage === undefined ? {} : { [key]: usage });
const halves = (text: string) => [text.slice(0, text.length / 2), text.slice(text.length / 2)];

const made =
  <Config>(definition: ProviderDefinition<Config>, path: string, config: object = {}) =>
  async (baseUrl: string, most: number): Promise<HarnessProviderAdapter> =>
    definition.create({
      name: 'main',
      config: definition.config?.parse({ base_url: `${baseUrl}${path}`, ...config }) as Config,
      secrets: { api_key: 'key' },
      models: { m1: { context_tokens: 100_000, max_output_tokens: most } as never },
      log: silentLog,
    });

const CHAT = ['prompt_tokens', 'completion_tokens'] as const;
const MESSAGES = ['input_tokens', 'output_tokens'] as const;
const message = (text: string) => ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] });
const delta = (content: string, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta: { content }, finish_reason }],
});
const SHOWN = { model_info: { 'm.context_length': 100_000 }, capabilities: ['completion', 'tools'] };

/** What Ollama is asked besides. */
export const besides = (path: string): HttpAnswer | undefined => (path === '/api/show' ? json(SHOWN) : undefined);

const messageOf = (text: string, usage: Json | undefined): HttpAnswer =>
  json({
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    ...given('usage', usage),
  });
const counted = (usage: Json | undefined): object => (typeof usage === 'object' && usage !== null ? usage : {});

export const FORMS: readonly Form[] = [
  {
    name: 'chat completions',
    counts: CHAT,
    adapter: made(openai, '/v1'),
    answer: (text, usage) =>
      json({ choices: [{ finish_reason: 'stop', message: { content: text } }], ...given('usage', usage) }),
  },
  {
    // The counts come last, behind the end of the answer.
    name: 'chat completions as a stream',
    counts: CHAT,
    adapter: made(openai, '/v1', { stream: true }),
    answer: (text, usage) =>
      events([
        ...halves(text).map((half) => delta(half)),
        delta('', 'stop'),
        ...(usage === undefined ? [] : [{ choices: [], usage }]),
      ]),
    fails: (text, usage) =>
      events([
        delta(text),
        { choices: [], ...given('usage', usage) },
        { error: { code: 502, message: 'upstream failed' } },
      ]),
  },
  {
    name: 'Responses',
    counts: MESSAGES,
    adapter: made(openai, '/v1', { api: 'responses' }),
    answer: (text, usage) => json({ status: 'completed', output: [message(text)], ...given('usage', usage) }),
  },
  {
    name: 'Responses as a stream',
    counts: MESSAGES,
    adapter: made(openai, '/v1', { api: 'responses' }),
    answer: (text, usage) =>
      events([
        { type: 'response.created', response: { status: 'in_progress', output: [], usage: null } },
        {
          type: 'response.completed',
          response: { status: 'completed', output: [message(text)], ...given('usage', usage) },
        },
      ]),
    fails: (text, usage) =>
      events([
        { type: 'response.created', response: { status: 'in_progress', output: [], usage: null } },
        { type: 'response.output_text.delta', delta: text },
        {
          type: 'response.failed',
          response: {
            status: 'failed',
            error: { code: 'server_error', message: 'x' },
            output: [],
            ...given('usage', usage),
          },
        },
      ]),
  },
  {
    name: 'messages',
    counts: MESSAGES,
    adapter: made(anthropic, ''),
    answer: messageOf,
  },
  {
    // What it begins with says that one token was written; the count comes with its end.
    name: 'messages as a stream',
    counts: MESSAGES,
    isLong: true,
    adapter: made(anthropic, ''),
    answer: (text, usage, isStream) => {
      if (!isStream) return messageOf(text, usage);
      const { input_tokens = null } = counted(usage) as { input_tokens?: number | null };
      const began = { type: 'message', role: 'assistant', content: [], usage: { input_tokens, output_tokens: 1 } };
      return events([
        { type: 'message_start', message: began },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        ...halves(text).map((half) => ({
          type: 'content_block_delta',
          index: 0,
          delta: { type: 'text_delta', text: half },
        })),
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, ...given('usage', usage) },
        { type: 'message_stop' },
      ]);
    },
    fails: (text, usage) => {
      const { input_tokens = null } = counted(usage) as { input_tokens?: number | null };
      const began = { type: 'message', role: 'assistant', content: [], usage: { input_tokens, output_tokens: 1 } };
      return events([
        { type: 'message_start', message: began },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
        { type: 'message_delta', delta: { stop_reason: null }, ...given('usage', usage) },
        { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
      ]);
    },
  },
  {
    name: 'generateContent',
    counts: ['promptTokenCount', 'candidatesTokenCount'],
    adapter: made(gemini, ''),
    answer: (text, usage) =>
      json({
        candidates: [{ finishReason: 'STOP', content: { parts: [{ text }] } }],
        ...given('usageMetadata', usage),
      }),
    // It is asked for no stream; what it could not make a call of comes with its usage all the same.
    fails: (_, usage) =>
      json({
        candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL', content: {} }],
        ...given('usageMetadata', usage),
      }),
  },
  {
    name: 'Ollama',
    counts: ['prompt_eval_count', 'eval_count'],
    adapter: made(openai, '/v1', { api: 'ollama' }),
    answer: (text, usage) =>
      json({
        message: { role: 'assistant', content: text },
        done: true,
        done_reason: 'stop',
        ...counted(usage),
      }),
  },
  {
    name: 'Ollama as a stream',
    counts: ['prompt_eval_count', 'eval_count'],
    adapter: made(openai, '/v1', { api: 'ollama' }),
    answer: (text, usage) =>
      lines([
        ...halves(text).map((content) => ({ message: { role: 'assistant', content }, done: false })),
        { message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop', ...counted(usage) },
      ]),
    fails: (text) =>
      lines([
        { message: { role: 'assistant', content: text }, done: false },
        { error: 'the model runner has stopped' },
      ]),
  },
];

/** What a server says that has read and written so much. */
export function saidOf({ counts: [input, output] }: Form, way: Way, used: Counts): Json | undefined {
  switch (way) {
    case 'missing':
      return undefined;
    case 'null':
      return null;
    case 'nulls':
      return { [input]: null, [output]: null };
    case 'zeros':
      return { [input]: 0, [output]: 0 };
    case 'no output':
      return { [input]: used.input };
    case 'far too low':
      return { [input]: Math.ceil(used.input / 10), [output]: Math.ceil(used.output / 10) };
    case 'far too high':
      return { [input]: used.input * 2 + 3000, [output]: used.output };
    case 'no cost':
      return { [input]: used.input, [output]: used.output, cost: 0 };
    case 'true':
      return { [input]: used.input, [output]: used.output };
  }
}
