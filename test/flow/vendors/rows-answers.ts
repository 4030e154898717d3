import type { HttpAnswer } from '../../fakes/http-server.ts';
import { OLDER, type Row } from './row.ts';
import { ANSWER, type Asked, answered, refuses, says, type Wire } from './wire.ts';

/** Refused as long as the older mails of the thread are in it. */
const tooLong =
  (refusal: (wire: Wire) => HttpAnswer) =>
  ({ wire, text }: Asked): HttpAnswer =>
    text.includes(OLDER) ? refusal(wire) : says(wire);

const LONG: Readonly<Record<string, readonly [Wire, (wire: Wire) => HttpAnswer]>> = {
  openai: [
    'chat',
    (w) => refuses(w, 400, "This model's maximum context length is 8192 tokens.", { code: 'context_length_exceeded' }),
  ],
  'openai-responses': [
    'responses',
    (w) => refuses(w, 400, 'Your input exceeds the context window of this model.', { code: 'context_length_exceeded' }),
  ],
  anthropic: ['anthropic', (w) => refuses(w, 400, 'prompt is too long: 208310 tokens > 200000 maximum')],
  'anthropic-large': [
    'anthropic',
    (w) => refuses(w, 413, 'Request exceeds the maximum size', { type: 'request_too_large' }),
  ],
  gemini: [
    'gemini',
    (w) => refuses(w, 400, 'The input token count (1200000) exceeds the maximum number of tokens allowed'),
  ],
  kimi: ['chat', (w) => refuses(w, 400, 'Your request exceeded model token limit: 131072')],
  dashscope: [
    'chat',
    () => answered(400, { code: 'InvalidParameter', message: 'Range of input length should be [1, 30720]' }),
  ],
  tgi: [
    'chat',
    () =>
      answered(422, {
        error: 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096',
        error_type: 'validation',
      }),
  ],
  vllm: [
    'chat',
    () =>
      answered(400, {
        object: 'error',
        message: 'max_tokens must be at least 1, got -2048.',
        type: 'BadRequestError',
        code: 400,
      }),
  ],
  'llama-cpp': [
    'chat',
    () =>
      answered(400, {
        error: {
          code: 400,
          message: 'the request exceeds the available context size',
          type: 'exceed_context_size_error',
        },
      }),
  ],
  mistral: [
    'chat',
    () =>
      answered(400, {
        object: 'error',
        message: 'Prompt contains 40000 tokens, too large for model with 32768 maximum context length',
        type: 'invalid_request_prompt',
        code: '3051',
      }),
  ],
  deepseek: [
    'chat',
    (w) => refuses(w, 400, "This model's maximum context length is 65536 tokens", { code: 'invalid_request_error' }),
  ],
  groq: [
    'chat',
    (w) => refuses(w, 413, 'Request too large for model', { code: 'rate_limit_exceeded', type: 'tokens' }),
  ],
  together: [
    'chat',
    () =>
      answered(422, {
        error: {
          message: '`inputs` tokens + `max_new_tokens` must be <= 8193',
          type: 'invalid_request_error',
          code: null,
        },
      }),
  ],
  fireworks: [
    'chat',
    () =>
      answered(400, {
        error: {
          object: 'error',
          type: 'invalid_request_error',
          message: 'The prompt is too long: 9000, model maximum context length: 8191',
        },
      }),
  ],
  cohere: [
    'chat',
    () => answered(400, { message: 'too many tokens: total number of tokens in the prompt cannot exceed 4081' }),
  ],
  'lm-studio': [
    'chat',
    () => answered(400, { error: 'Trying to keep the first 9000 tokens when context the overflows.' }),
  ],
  xai: [
    'chat',
    () =>
      answered(400, {
        code: 'Client specified an invalid argument',
        error: "This model's maximum prompt length is 131072",
      }),
  ],
  openrouter: [
    'chat',
    () =>
      answered(400, {
        error: {
          message: 'This endpoint’s maximum context length is 8192 tokens.',
          code: 400,
          metadata: { provider_name: 'X' },
        },
      }),
  ],
  'minute-window': [
    'chat',
    () =>
      answered(
        429,
        {
          error: {
            message: 'Request too large for gpt: Limit 30000, Requested 50000',
            type: 'tokens',
            code: 'rate_limit_exceeded',
          },
        },
        { 'x-ratelimit-limit-tokens': '30000', 'x-ratelimit-remaining-tokens': '30000' },
      ),
  ],
  proxy: [
    'chat',
    () =>
      answered(413, '<html><head><title>413 Request Entity Too Large</title></head></html>', {
        'content-type': 'text/html',
      }),
  ],
  zhipu: ['chat', () => answered(400, { error: { code: '1261', message: 'Prompt 超长' } })],
  inside: ['chat', () => answered(200, { error: { code: 400, message: 'context length exceeded' } })],
};

/** Each names a refusal of content in a way of its own. */
const REFUSED: Readonly<Record<string, readonly [Wire, () => HttpAnswer]>> = {
  azure: [
    'chat',
    () =>
      answered(400, {
        error: {
          message: 'filtered',
          type: null,
          code: 'content_filter',
          status: 400,
          innererror: { code: 'ResponsibleAIPolicyViolation' },
        },
      }),
  ],
  openai: [
    'responses',
    () => answered(400, { error: { message: 'flagged', type: 'invalid_request_error', code: 'invalid_prompt' } }),
  ],
  'azure-inside': [
    'chat',
    () =>
      answered(200, {
        choices: [{ index: 0, finish_reason: 'content_filter', message: { role: 'assistant', content: '' } }],
      }),
  ],
  openrouter: [
    'chat',
    () =>
      answered(403, {
        error: {
          code: 403,
          message: 'flagged',
          metadata: { reasons: ['violence'], flagged_input: 'x', provider_name: 'OpenAI' },
        },
      }),
  ],
  dashscope: [
    'chat',
    () =>
      answered(400, {
        error: { code: 'data_inspection_failed', message: 'Input data may contain inappropriate content.' },
      }),
  ],
  anthropic: [
    'anthropic',
    () => answered(200, { type: 'message', role: 'assistant', content: [], stop_reason: 'refusal', usage: {} }),
  ],
  gemini: ['gemini', () => answered(200, { promptFeedback: { blockReason: 'OTHER' } })],
  'gemini-answer': ['gemini', () => answered(200, { candidates: [{ finishReason: 'SAFETY' }] })],
  'responses-incomplete': [
    'responses',
    () => answered(200, { status: 'incomplete', incomplete_details: { reason: 'content_filter' }, output: [] }),
  ],
  'responses-failed': [
    'responses',
    () => answered(200, { status: 'failed', error: { code: 'content_policy_violation', message: 'no' }, output: [] }),
  ],
  'refusal-part': [
    'responses',
    () =>
      answered(200, {
        status: 'completed',
        output: [{ type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] }],
      }),
  ],
};

/** What only an owner can mend; told by one mail, or by two that meet the same. */
const SETUP: Readonly<Record<string, readonly [Wire, (wire: Wire) => HttpAnswer]>> = {
  openai: [
    'chat',
    (w) =>
      refuses(w, 404, 'The model `x` does not exist or you do not have access to it.', { code: 'model_not_found' }),
  ],
  'openai-responses': [
    'responses',
    (w) => refuses(w, 400, 'The requested model does not exist.', { code: 'model_not_found' }),
  ],
  anthropic: ['anthropic', (w) => refuses(w, 404, 'model: claude-x', { type: 'not_found_error' })],
  gemini: ['gemini', (w) => refuses(w, 404, 'models/x is not found for API version v1beta', { type: 'NOT_FOUND' })],
  xai: [
    'chat',
    () => answered(404, { code: 'Some requested entity was not found', error: 'The model x does not exist' }),
  ],
  groq: ['chat', (w) => refuses(w, 400, 'The model has been decommissioned', { code: 'model_decommissioned' })],
  ollama: ['chat', (w) => refuses(w, 404, 'model "x" not found, try pulling it first', { type: 'api_error' })],
  'ollama-tools': [
    'chat',
    (w) => refuses(w, 400, 'registry.ollama.ai/library/x does not support tools', { type: 'api_error' }),
  ],
  'lm-studio': ['chat', (w) => refuses(w, 404, 'No models loaded. Please load a model', { code: 'model_not_found' })],
  'lm-studio-400': ['chat', () => answered(400, { error: 'No models loaded.' })],
  gone: ['chat', (w) => refuses(w, 410, 'This model has been retired')],
  openrouter: ['chat', () => answered(404, { error: { message: 'No endpoints found for x.', code: 404 } })],
  mistral: [
    'chat',
    () => answered(400, { object: 'error', message: 'Invalid model: x', type: 'invalid_model', code: '1500' }),
  ],
  together: ['chat', (w) => refuses(w, 404, 'Unable to access model x', { code: 'model_not_available' })],
  'no-credit-anthropic': [
    'anthropic',
    (w) => refuses(w, 400, 'Your credit balance is too low to access the Anthropic API.'),
  ],
  'no-credit-402': [
    'chat',
    () =>
      answered(402, {
        error: { message: 'Insufficient Balance', type: 'unknown_error', code: 'invalid_request_error' },
      }),
  ],
  'no-credit-429': [
    'chat',
    (w) =>
      refuses(w, 429, 'You exceeded your current quota', { code: 'insufficient_quota', type: 'insufficient_quota' }),
  ],
  'key-401': ['anthropic', (w) => refuses(w, 401, 'invalid x-api-key', { type: 'authentication_error' })],
  'key-400-xai': [
    'chat',
    () => answered(400, { code: 'Client specified an invalid argument', error: 'Incorrect API key provided: xa***' }),
  ],
  'key-400-gemini': [
    'gemini',
    () =>
      answered(400, {
        error: {
          code: 400,
          message: 'API key not valid.',
          status: 'INVALID_ARGUMENT',
          details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }],
        },
      }),
  ],
  'region-gemini': [
    'gemini',
    (w) => refuses(w, 400, 'User location is not supported for the API use.', { type: 'FAILED_PRECONDITION' }),
  ],
  'wrong-path': ['chat', () => answered(404, '404 page not found', { 'content-type': 'text/plain' })],
  'wrong-method': ['chat', () => answered(405, '')],
  parameter: [
    'chat',
    (w) => refuses(w, 400, "Unsupported value: 'temperature' does not support 0.2", { code: 'unsupported_value' }),
  ],
};

const WAITS: Readonly<Record<string, readonly [Wire, () => HttpAnswer]>> = {
  'choice-429': ['chat', () => answered(200, { id: 'x', choices: [{ error: { code: 429, message: 'busy' } }] })],
  'choice-503': [
    'chat',
    () =>
      answered(200, {
        id: 'x',
        choices: [{ index: 0, error: { code: 503, message: 'down' }, finish_reason: 'error' }],
      }),
  ],
  'error-only': ['chat', () => answered(200, { error: { message: 'upstream', code: 502 } })],
  'error-text': ['chat', () => answered(200, { error: 'Unexpected endpoint or method.' })],
  'no-choices': ['chat', () => answered(200, { id: 'x', choices: [] })],
  'null-choices': ['chat', () => answered(200, { id: 'x', choices: null, error: null })],
  page: ['chat', () => answered(200, '<html>maintenance</html>', { 'content-type': 'text/html' })],
  empty: ['chat', () => answered(200, '')],
  'cloudflare-524': ['chat', () => answered(524, '<html>timeout</html>', { 'content-type': 'text/html' })],
  'no-content': [
    'anthropic',
    () => answered(200, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
  ],
  'overloaded-529': [
    'anthropic',
    () => answered(529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
  ],
  'gemini-empty': ['gemini', () => answered(200, {})],
  'responses-failed': [
    'responses',
    () => answered(200, { status: 'failed', error: { code: 'server_error', message: 'x' }, output: [] }),
  ],
  'responses-null': ['responses', () => answered(200, { status: 'in_progress', output: null })],
  array: ['chat', () => answered(200, [])],
};

const sse = (chunks: readonly object[]): HttpAnswer =>
  answered(200, `${chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')}data: [DONE]\n\n`, {
    'content-type': 'text/event-stream',
  });
const delta = (content: string, finish: string | null = null) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta: { content }, finish_reason: finish }],
});
const streamed = (): HttpAnswer => sse([delta('Here is '), delta('your answer.'), delta('', 'stop')]);
const streamedCall = (): HttpAnswer =>
  sse([
    {
      choices: [
        {
          index: 0,
          delta: {
            role: 'assistant',
            tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'list_files', arguments: '' } }],
          },
        },
      ],
    },
    { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '{"pa' } }] } }] },
    { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: 'th":"x"}' } }] } }] },
    {
      choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }],
      usage: { prompt_tokens: 3000, completion_tokens: 5, total_tokens: 3005 },
    },
  ]);

/** Moves a POST to another path of the same server, once. */
const moved =
  (status: number) =>
  ({ wire, request }: Asked): HttpAnswer => {
    if (request.path.includes('moved=1'))
      return request.method === 'POST' ? says(wire) : answered(405, { error: { message: 'only POST' } });
    return answered(status, '', { location: `${request.path}?moved=1` });
  };

const onlyStream =
  (refusal: () => HttpAnswer) =>
  ({ body }: Asked): HttpAnswer =>
    body.stream === true ? streamed() : refusal();

const SERVER_ROWS: readonly Row[] = [
  { id: 'streams-unasked', wire: 'chat', ends: 'answered', answer: streamed },
  {
    id: 'streams-calls-unasked',
    wire: 'chat',
    ends: 'answered',
    answer: ({ before }) => (before === 0 ? streamedCall() : streamed()),
  },
  {
    id: 'streams-only-400',
    wire: 'chat',
    ends: 'answered',
    answer: onlyStream(() =>
      answered(400, { code: 'InvalidParameter', message: 'This model only support stream mode' }),
    ),
  },
  {
    id: 'streams-only-422',
    wire: 'chat',
    ends: 'answered',
    answer: onlyStream(() => answered(422, { detail: 'stream must be true' })),
  },
  {
    id: 'streams-set',
    wire: 'chat',
    ends: 'answered',
    config: { stream: true },
    answer: onlyStream(() => answered(500, 'no')),
  },
  {
    id: 'streams-responses-unasked',
    wire: 'responses',
    ends: 'answered',
    answer: () =>
      answered(
        200,
        `event: response.created\ndata: ${JSON.stringify({ type: 'response.created', response: { status: 'in_progress', output: [] } })}\n\nevent: response.completed\ndata: ${JSON.stringify({ type: 'response.completed', response: { status: 'completed', output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: ANSWER }] }] } })}\n\n`,
        { 'content-type': 'text/event-stream' },
      ),
  },
  {
    id: 'json-in-place-of-stream',
    wire: 'anthropic',
    ends: 'answered',
    manifest: { models: { m: { context_tokens: 200_000, max_output_tokens: 64_000, images: true } } },
    answer: ({ wire }) => says(wire),
  },
  ...[301, 302, 307, 308].flatMap((status) =>
    (['chat', 'anthropic', 'responses', 'ollama'] as const).map(
      (wire): Row => ({ id: `moved-${status}-${wire}`, wire, ends: 'answered', answer: moved(status) }),
    ),
  ),
  {
    id: 'moved-for-ever',
    wire: 'chat',
    ends: 'waits',
    answer: ({ request }) => answered(307, '', { location: request.path }),
  },
  {
    id: 'max-tokens-too-large',
    wire: 'chat',
    ends: 'answered',
    manifest: { models: { m: { context_tokens: 128_000, max_output_tokens: 100_000 } } },
    answer: ({ wire, body }) =>
      (body.max_tokens ?? 0) > 4096
        ? answered(400, {
            object: 'error',
            message: "'max_tokens' is too large: 100000",
            type: 'BadRequestError',
            code: 400,
          })
        : says(wire),
  },
  {
    id: 'broken-off-length',
    wire: 'chat',
    ends: 'answered',
    reply: 'and the second half.',
    answer: halves('chat', {
      choices: [{ index: 0, message: { role: 'assistant', content: 'The first half ' }, finish_reason: 'length' }],
    }),
  },
  {
    id: 'broken-off-error',
    wire: 'chat',
    ends: 'answered',
    reply: 'and the second half.',
    answer: halves('chat', {
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'The first half ' },
          finish_reason: 'error',
          error: { code: 502 },
        },
      ],
    }),
  },
  {
    id: 'broken-off-pause',
    wire: 'anthropic',
    ends: 'answered',
    reply: 'and the second half.',
    answer: halves('anthropic', {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'The first half ' }],
      stop_reason: 'pause_turn',
    }),
  },
  {
    id: 'broken-off-gemini',
    wire: 'gemini',
    ends: 'answered',
    reply: 'and the second half.',
    answer: halves('gemini', {
      candidates: [{ finishReason: 'MAX_TOKENS', content: { role: 'model', parts: [{ text: 'The first half ' }] } }],
    }),
  },
  {
    id: 'broken-off-responses',
    wire: 'responses',
    ends: 'answered',
    reply: 'and the second half.',
    answer: halves('responses', {
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'The first half ' }] }],
    }),
  },
];

function halves(wire: Wire, first: object): Row['answer'] {
  return ({ before }) => (before === 0 ? answered(200, first) : says(wire, 'and the second half.'));
}

export const ANSWER_ROWS: readonly Row[] = [
  ...Object.entries(LONG).map(
    ([name, [wire, refusal]]): Row => ({
      id: `long-${name}`,
      wire,
      ends: 'shortened',
      history: true,
      answer: tooLong(refusal),
    }),
  ),
  ...Object.entries(REFUSED).map(
    ([name, [wire, answer]]): Row => ({ id: `refused-${name}`, wire, ends: 'refused', answer }),
  ),
  ...Object.entries(SETUP).map(
    ([name, [wire, answer]]): Row => ({
      id: `setup-${name}`,
      wire,
      ends: 'setup',
      answer: () => answer(wire),
    }),
  ),
  ...Object.entries(WAITS).map(([name, [wire, answer]]): Row => ({ id: `waits-${name}`, wire, ends: 'waits', answer })),
  ...SERVER_ROWS,
];
