// Over 300 lines: a table, a row for each behaviour that a vendor, or something before one, is known to have.
import type { HttpAnswer } from '../../fakes/http-server.ts';
import { OLDER, type Row } from './row.ts';
import { ANSWER, type Asked, answered, says, type Wire } from './wire.ts';

const SECOND = 'and the second half.';
const PAGE = '<!DOCTYPE html><html><head><title>Sorry</title></head><body>Please wait.</body></html>';
const HTML = { 'content-type': 'text/html; charset=utf-8' };
const LONG_ANSWERS = { models: { m: { context_tokens: 200_000, max_output_tokens: 64_000, images: true } } };

/** This one first; then a good answer. */
const once =
  (first: HttpAnswer): Row['answer'] =>
  ({ before, wire }) =>
    before === 0 ? first : says(wire);
/** Half of an answer first; then the rest of it. */
const halves =
  (first: HttpAnswer): Row['answer'] =>
  ({ before, wire }) =>
    before === 0 ? first : says(wire, SECOND);
const tooLong =
  (refusal: HttpAnswer): Row['answer'] =>
  ({ wire, text }) =>
    text.includes(OLDER) ? refusal : says(wire);

type Rows = Readonly<Record<string, readonly [Wire, HttpAnswer]>>;
const json = (status: number, body: object | string, headers: Record<string, string> = {}) =>
  answered(status, body, headers);

const REFUSED: Rows = {
  'wrong-status': ['chat', json(500, { error: { code: 'content_filter', message: 'no' } })],
  'flat-code': [
    'chat',
    json(400, { code: 'DataInspectionFailed', message: 'Input may be inappropriate', request_id: 'x' }),
  ],
  'type-alone': ['chat', json(400, { error: { type: 'content_filter', message: 'high risk' } })],
  'inside-200': ['chat', json(200, { error: { code: 'content_policy_violation', message: 'no' } })],
  'chat-filter-with-text': [
    'chat',
    json(200, { choices: [{ finish_reason: 'content_filter', message: { content: 'I was about' } }] }),
  ],
  'anthropic-with-call': [
    'anthropic',
    json(200, {
      type: 'message',
      role: 'assistant',
      content: [
        { type: 'text', text: 'Let me' },
        { type: 'tool_use', id: 't1', name: 'write_file', input: { path: 'x.md', content: 'x' } },
      ],
      stop_reason: 'refusal',
      usage: { input_tokens: 900, output_tokens: 9 },
    }),
  ],
  'gemini-blocklist': ['gemini', json(200, { candidates: [{ finishReason: 'BLOCKLIST', content: null }] })],
  'gemini-prompt-nulls': [
    'gemini',
    json(200, { candidates: null, promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }),
  ],
  'responses-partial': [
    'responses',
    json(200, {
      status: 'incomplete',
      incomplete_details: { reason: 'content_filter' },
      output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I was' }] }],
    }),
  ],
  'responses-failed': [
    'responses',
    json(200, { status: 'failed', error: { code: 'invalid_prompt', message: 'flagged' }, output: [] }),
  ],
};

const SETUP: Rows = {
  'region-openai': [
    'chat',
    json(403, { error: { code: 'unsupported_country_region_territory', type: 'request_forbidden', message: 'x' } }),
  ],
  'region-page': ['chat', answered(403, PAGE, HTML)],
  'region-451': ['anthropic', answered(451, PAGE, HTML)],
  'gemini-service-disabled': [
    'gemini',
    json(403, {
      error: {
        code: 403,
        status: 'PERMISSION_DENIED',
        message: 'Generative Language API has not been used',
        details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'SERVICE_DISABLED' }],
      },
    }),
  ],
  'key-inside-200-chat': ['chat', json(200, { error: { code: 'invalid_api_key', message: 'no' } })],
  'key-inside-200-anthropic': [
    'anthropic',
    json(200, { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } }),
  ],
  'key-inside-200-gemini': [
    'gemini',
    json(200, { error: { code: 401, status: 'UNAUTHENTICATED', message: 'API keys are not supported' } }),
  ],
  'model-wrong-status': ['chat', json(500, { error: { code: 'model_not_found', message: 'no such model' } })],
  'model-azure': ['chat', json(404, { error: { code: 'DeploymentNotFound', message: 'does not exist' } })],
  'model-deprecated': ['chat', json(400, { error: { code: 'model_deprecated', message: 'use another one' } })],
  'model-flat': ['chat', json(404, { detail: 'Model not found' })],
  'billing-anthropic': ['anthropic', json(402, { type: 'error', error: { type: 'billing_error', message: 'x' } })],
  'quota-429': ['chat', json(429, { error: { type: 'exceeded_current_quota_error', message: 'suspended' } })],
  'quota-flat': [
    'chat',
    json(400, { code: 'Arrearage', message: 'Access denied, account in arrears', request_id: 'x' }),
  ],
};

const WAITS: Rows = {
  'page-as-json': ['chat', json(200, PAGE)],
  'page-anthropic': ['anthropic', answered(200, PAGE, HTML)],
  'page-gemini': ['gemini', answered(200, PAGE, HTML)],
  'page-responses': ['responses', answered(200, PAGE, HTML)],
  'page-ollama': ['ollama', answered(200, PAGE, HTML)],
  'truncated-chat': ['chat', json(200, '{"choices":[{"message":{"role":"assistant","content":"Here')],
  'truncated-anthropic': ['anthropic', json(200, '{"type":"message","content":[{"type":"text","te')],
  'truncated-gemini': ['gemini', json(200, '{"candidates":[{"content":{"parts":[{"te')],
  'truncated-ollama': ['ollama', json(200, '{"message":{"role":"assistant","con')],
  'gemini-daily-quota': [
    'gemini',
    json(429, {
      error: {
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        message: 'You exceeded your current quota',
        details: [
          { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId: 'PerDay' }] },
          { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '3600s' },
        ],
      },
    }),
  ],
  'gemini-inside-200': ['gemini', json(200, { error: { code: 503, status: 'UNAVAILABLE', message: 'overloaded' } })],
  'wait-for-an-hour': ['chat', json(429, { error: { message: 'slow down' } }, { 'retry-after': '3600' })],
  'other-json': ['anthropic', json(200, { status: 'ok' })],
  'legacy-completion': ['chat', json(200, { object: 'text_completion', choices: [{ text: ANSWER }] })],
};

const LONG: Rows = {
  bedrock: ['chat', json(400, { message: 'Input is too long for requested model.' })],
  nim: [
    'chat',
    json(400, { object: 'error', message: 'maximum context length is 4096', type: 'BadRequestError', code: 400 }),
  ],
  ai21: ['chat', json(422, { detail: [{ msg: 'prompt is too long', type: 'value_error' }] })],
  'wrong-status': ['chat', json(500, { error: { code: 'context_length_exceeded', message: 'too long' } })],
  'anthropic-page': ['anthropic', answered(413, PAGE, HTML)],
  'gemini-page': ['gemini', answered(413, PAGE, HTML)],
  'anthropic-window': [
    'anthropic',
    json(200, {
      type: 'message',
      role: 'assistant',
      content: [],
      stop_reason: 'model_context_window_exceeded',
      usage: { input_tokens: 9000, output_tokens: 0 },
    }),
  ],
  'ollama-words': ['ollama', json(400, { error: 'input length exceeds the context length' })],
};

/** Fails in this way, and answers when it is asked again. */
const ONCE: Rows = {
  'retry-after-words': ['chat', json(429, { error: { message: 'busy' } }, { 'retry-after': 'soon' })],
  'retry-after-negative': ['anthropic', json(529, { error: { type: 'overloaded_error' } }, { 'retry-after': '-5' })],
  'retry-after-date': ['chat', json(429, {}, { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' })],
  'should-not-retry': ['responses', json(503, { error: null }, { 'x-should-retry': 'false' })],
  'early-425': ['chat', json(425, '')],
  'conflict-409': ['gemini', json(409, { error: { code: 409, status: 'ABORTED', message: 'x' } })],
  'cloudflare-520': ['anthropic', answered(520, PAGE, HTML)],
  'empty-choices': ['chat', json(200, { choices: [] })],
  'null-content': [
    'chat',
    json(200, { choices: [{ finish_reason: 'stop', message: { role: 'assistant', content: null } }] }),
  ],
  'reasoning-only-chat': [
    'chat',
    json(200, { choices: [{ finish_reason: 'stop', message: { content: '', reasoning_content: 'Hm.' } }] }),
  ],
  'reasoning-only-anthropic': [
    'anthropic',
    json(200, {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'thinking', thinking: 'Hm.', signature: 's' }],
      stop_reason: 'end_turn',
    }),
  ],
  'reasoning-only-gemini': [
    'gemini',
    json(200, { candidates: [{ finishReason: 'STOP', content: { parts: [{ thought: true, text: 'Hm.' }] } }] }),
  ],
  'reasoning-only-responses': [
    'responses',
    json(200, { status: 'completed', output: [{ type: 'reasoning', id: 'r1', summary: [] }] }),
  ],
  'reasoning-only-ollama': [
    'ollama',
    json(200, { message: { role: 'assistant', content: '', thinking: 'Hm.' }, done: true, done_reason: 'stop' }),
  ],
  'gemini-null-content': ['gemini', json(200, { candidates: [{ finishReason: 'STOP', content: null }] })],
  'gemini-null-parts': [
    'gemini',
    json(200, {
      candidates: [{ finishReason: 'STOP', content: { role: 'model', parts: null } }],
      promptFeedback: null,
    }),
  ],
  'gemini-unknown-end': [
    'gemini',
    json(200, { candidates: [{ finishReason: 'SOMETHING_NEW', content: { parts: [] } }] }),
  ],
  'ollama-error-in-stream': [
    'ollama',
    json(200, '{"message":{"role":"assistant","content":"The"},"done":false}\n{"error":"the runner has stopped"}\n', {
      'content-type': 'application/x-ndjson',
    }),
  ],
  'same-id-anthropic': [
    'anthropic',
    says('anthropic', '', [
      { id: 't1', name: 'list_files', arguments: {} },
      { id: 't1', name: 'list_files', arguments: { path: 'x' } },
    ]),
  ],
  'responses-null-output': ['responses', json(200, { status: 'completed', output: [], error: null })],
};

const chatCall = (call: object): HttpAnswer =>
  json(200, {
    choices: [{ finish_reason: 'tool_calls', message: { role: 'assistant', content: null, tool_calls: [call] } }],
  });

/** Calls that are written badly: the model is told, or they are read, and it answers. */
const CALLS: Rows = {
  'half-json': [
    'chat',
    chatCall({ id: 'c1', type: 'function', function: { name: 'list_files', arguments: '{"path": "x' } }),
  ],
  'object-arguments': [
    'chat',
    chatCall({ id: 'c1', type: 'function', function: { name: 'list_files', arguments: {} } }),
  ],
  'null-arguments': [
    'chat',
    chatCall({ id: 'c1', type: 'function', function: { name: 'list_files', arguments: null } }),
  ],
  'no-id': ['chat', chatCall({ type: 'function', function: { name: 'list_files', arguments: '{}' } })],
  'responses-half-json': [
    'responses',
    json(200, {
      status: 'completed',
      output: [{ type: 'function_call', call_id: 'c1', name: 'list_files', arguments: '{"path": ' }],
    }),
  ],
  'anthropic-text-input': [
    'anthropic',
    json(200, {
      type: 'message',
      role: 'assistant',
      stop_reason: 'tool_use',
      content: [{ type: 'tool_use', id: 't1', name: 'list_files', input: '{"path": ' }],
    }),
  ],
  'ollama-text-arguments': [
    'ollama',
    json(200, {
      done: true,
      done_reason: 'stop',
      message: {
        role: 'assistant',
        content: '',
        tool_calls: [{ function: { name: 'list_files', arguments: '{"pa' } }],
      },
    }),
  ],
  'gemini-no-arguments': [
    'gemini',
    json(200, {
      candidates: [
        { finishReason: 'STOP', content: { parts: [{ functionCall: { name: 'list_files', args: null } }] } },
      ],
    }),
  ],
};

/** A call whose arguments are no text, where the protocol has one: it is made all the same. */
const MADE: Rows = {
  'responses-object-arguments': [
    'responses',
    json(200, {
      status: 'completed',
      output: [{ type: 'function_call', call_id: 'c1', name: 'list_files', arguments: { path: '.' } }],
    }),
  ],
};

const text = { type: 'text/plain; charset=utf-8' } as const;
const asText = (wire: Wire): HttpAnswer => ({ ...says(wire), headers: { 'content-type': text.type } });

const chunk = (content: string, finish: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}`;
const stream = (lines: readonly string[], end: string, more: Partial<HttpAnswer> = {}): HttpAnswer => ({
  ...answered(200, lines.map((line) => `${line}${end}${end}`).join(''), { 'content-type': 'text/event-stream' }),
  ...more,
});
const UMLAUTS = 'Grüße – schön, daß Sie fragen ✓';
const CHAT_STREAM = [
  ': keep-alive',
  chunk('Grüße – schön, '),
  ': keep-alive',
  chunk('daß Sie fragen ✓'),
  chunk('', 'stop'),
  'data: [DONE]',
];
const EVENTS: readonly object[] = [
  {
    type: 'message_start',
    message: { type: 'message', role: 'assistant', content: [], usage: { input_tokens: 3000, output_tokens: 1 } },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Grüße – schön, ' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'daß Sie fragen ✓' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 20 } },
  { type: 'message_stop' },
];
const nameless = EVENTS.map((one) => `data: ${JSON.stringify(one)}`);
const named = (end: string) =>
  EVENTS.map((one) => `event: ${'type' in one ? one.type : ''}${end}data: ${JSON.stringify(one)}`);
const half = (events: readonly string[]) => events.slice(0, 3);
const RESPONSES_STREAM = [
  `event: response.created\ndata: ${JSON.stringify({ type: 'response.created', response: { status: 'in_progress', output: [] } })}`,
  `event: response.output_text.delta\ndata: ${JSON.stringify({ type: 'response.output_text.delta', delta: 'The first half ' })}`,
];

const STREAMS: readonly Row[] = [
  ...(['\n', '\r\n', '\r'] as const).map(
    (end, at): Row => ({
      id: `stream-chat-${['lf', 'crlf', 'cr'][at]}`,
      wire: 'chat',
      ends: 'answered',
      config: { stream: true },
      reply: UMLAUTS,
      answer: () => stream(CHAT_STREAM, end, { pieceBytes: 3 }),
    }),
  ),
  {
    id: 'stream-chat-bom',
    wire: 'chat',
    ends: 'answered',
    config: { stream: true },
    reply: UMLAUTS,
    answer: () => stream([`\uFEFF${CHAT_STREAM[1]}`, ...CHAT_STREAM.slice(2)], '\n', { pieceBytes: 1 }),
  },
  {
    id: 'stream-chat-cut',
    wire: 'chat',
    ends: 'answered',
    config: { stream: true },
    reply: SECOND,
    answer: halves(stream([chunk('The first half ')], '\n')),
  },
  ...(['\n', '\r\n'] as const).map(
    (end, at): Row => ({
      id: `stream-anthropic-${['lf', 'crlf'][at]}`,
      wire: 'anthropic',
      ends: 'answered',
      reply: UMLAUTS,
      manifest: LONG_ANSWERS,
      answer: () =>
        stream([': keep-alive', `event: ping${end}data: {"type":"ping"}`, ...named(end)], end, { pieceBytes: 5 }),
    }),
  ),
  {
    id: 'stream-anthropic-bom',
    wire: 'anthropic',
    ends: 'answered',
    reply: UMLAUTS,
    manifest: LONG_ANSWERS,
    answer: () =>
      stream(
        named('\n').map((one, at) => (at === 0 ? `\uFEFF${one}` : one)),
        '\n',
      ),
  },
  {
    id: 'stream-anthropic-nameless',
    wire: 'anthropic',
    ends: 'answered',
    reply: UMLAUTS,
    manifest: LONG_ANSWERS,
    answer: () => stream(nameless, '\n'),
  },
  {
    id: 'stream-anthropic-unasked',
    wire: 'anthropic',
    ends: 'answered',
    reply: UMLAUTS,
    answer: () => stream(named('\n'), '\n'),
  },
  {
    id: 'stream-anthropic-cut',
    wire: 'anthropic',
    ends: 'answered',
    manifest: LONG_ANSWERS,
    answer: ({ before, wire }: Asked) => (before === 0 ? stream(half(named('\n')), '\n') : says(wire)),
  },
  {
    id: 'stream-responses-cut',
    wire: 'responses',
    ends: 'answered',
    reply: SECOND,
    config: { api: 'responses', stream: true },
    answer: halves(stream(RESPONSES_STREAM, '\n')),
  },
  {
    id: 'stream-responses-error',
    wire: 'responses',
    ends: 'answered',
    config: { api: 'responses', stream: true },
    answer: once(
      stream([...RESPONSES_STREAM, 'event: error\ndata: {"type":"error","code":"server_error","message":"x"}'], '\n'),
    ),
  },
];

const broken = (finish_reason: string | null): HttpAnswer =>
  json(200, { choices: [{ index: 0, finish_reason, message: { role: 'assistant', content: 'The first half ' } }] });

/** Ends that nobody has named: what was said until then is gone on with. */
const GOES_ON: Rows = {
  'unknown-end': ['chat', broken('something_new')],
  'empty-end': ['chat', broken('')],
  'no-end': ['chat', broken(null)],
  'unknown-end-anthropic': [
    'anthropic',
    json(200, {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'The first half ' }],
      stop_reason: 'compaction',
    }),
  ],
  'unknown-end-gemini': [
    'gemini',
    json(200, { candidates: [{ finishReason: 'SOMETHING_NEW', content: { parts: [{ text: 'The first half ' }] } }] }),
  ],
  'cancelled-responses': [
    'responses',
    json(200, {
      status: 'cancelled',
      output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'The first half ' }] }],
    }),
  ],
  'not-done-ollama': ['ollama', json(200, { message: { role: 'assistant', content: 'The first half ' }, done: false })],
};

const rowsOf = (
  name: string,
  rows: Rows,
  more: (answer: HttpAnswer) => Pick<Row, 'ends' | 'answer'> & Partial<Row>,
): Row[] => Object.entries(rows).map(([id, [wire, answer]]) => ({ id: `${name}-${id}`, wire, ...more(answer) }));

export const STRANGER_ROWS: readonly Row[] = [
  ...rowsOf('refused', REFUSED, (answer) => ({ ends: 'refused', answer: () => answer })),
  ...rowsOf('setup', SETUP, (answer) => ({ ends: 'setup', answer: () => answer })),
  ...rowsOf('waits', WAITS, (answer) => ({ ends: 'waits', answer: () => answer })),
  ...rowsOf('long', LONG, (answer) => ({ ends: 'shortened', history: true, answer: tooLong(answer) })),
  ...rowsOf('once', ONCE, (answer) => ({ ends: 'answered', answer: once(answer) })),
  ...rowsOf('call', CALLS, (answer) => ({ ends: 'answered', answer: once(answer) })),
  ...rowsOf('made', MADE, (answer) => ({
    ends: 'answered',
    answer: once(answer),
    heard: (all) => {
      if (!all.at(-1)?.text.includes('function_call_output')) throw new Error('the call was not made');
    },
  })),
  ...rowsOf('goes-on', GOES_ON, (answer) => ({ ends: 'answered', reply: SECOND, answer: halves(answer) })),
  ...(['chat', 'responses', 'anthropic', 'gemini', 'ollama'] as const).map(
    (wire): Row => ({ id: `as-text-${wire}`, wire, ends: 'answered', answer: () => asText(wire) }),
  ),
  {
    id: 'text-as-content-anthropic',
    wire: 'anthropic',
    ends: 'answered',
    answer: () => json(200, { type: 'message', role: 'assistant', content: ANSWER, stop_reason: 'end_turn' }),
  },
  ...(['chat', 'responses', 'anthropic', 'ollama'] as const).map(
    (wire): Row => ({
      id: `moved-elsewhere-${wire}`,
      wire,
      ends: 'waits',
      answer: ({ request }) => {
        const port = request.headers.host?.split(':')[1] ?? '';
        return answered(307, '', { location: `http://localhost:${port}${request.path}?moved=1` });
      },
      heard: (all) => {
        if (all.some(({ request }) => request.path.includes('moved=1')))
          throw new Error('the key went to another server');
      },
    }),
  ),
  ...STREAMS,
];
