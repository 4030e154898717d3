import type { HttpAnswer } from '../../fakes/http-server.ts';
import { callsInPlace, rolesAlternate } from './checks.ts';
import { OLDER, type Row } from './row.ts';
import { jpeg } from './rows-pictures.ts';
import { ANSWER, type Asked, answered, type Body, refuses, SHOWN, says } from './wire.ts';

/** What is Ollama's alone: over its own API, as its servers answered it (looked at on 29 November 2026). */
type Own = Omit<Row, 'id' | 'wire'>;

const chat = (message: object, more: object = {}): HttpAnswer =>
  answered(200, {
    model: 'm',
    created_at: '2026-11-28T12:00:00.1Z',
    message: { role: 'assistant', content: '', ...message },
    done: true,
    done_reason: 'stop',
    prompt_eval_count: 3000,
    eval_count: 20,
    ...more,
  });
const call = (name: string, args: unknown) => ({ tool_calls: [{ function: { name, arguments: args } }] });
const list = call('list_files', {});
const lines = (...parts: readonly object[]): HttpAnswer =>
  answered(200, parts.map((part) => `${JSON.stringify({ model: 'm', ...part })}\n`).join(''), {
    'content-type': 'application/x-ndjson',
  });
const part = (content: string) => ({ message: { role: 'assistant', content }, done: false });
const LAST = { message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop', prompt_eval_count: 3000 };

/** Something first, then an answer, as long as what comes back keeps the rules of its API. */
const then =
  (first: () => HttpAnswer, ...second: (() => HttpAnswer)[]) =>
  ({ wire, body, before }: Asked): HttpAnswer => {
    if (!callsInPlace(wire, body)) return refuses(wire, 400, 'json: cannot unmarshal into Go struct field');
    return [first, ...second][before]?.() ?? says(wire);
  };
const always = (status: number, error: object | string) => () => answered(status, error);
const said = (error: string) => ({ error });
const of = (what: object) => ({ '/api/show': () => answered(200, { ...SHOWN, ...what }) });
const loaded = (context_length?: number) => ({
  '/api/ps': () => answered(200, { models: [{ name: 'm', model: 'm', ...(context_length && { context_length }) }] }),
});
const most = (bytes: Body): number => bytes?.options?.num_ctx ?? 0;
const cutAsLongAs =
  (read: number) =>
  ({ wire, text }: Asked): HttpAnswer =>
    text.includes(OLDER) ? chat({ content: 'What do you mean?' }, { prompt_eval_count: read }) : says(wire);

const NOT_THERE = { ends: 'setup', answer: always(404, said("model 'm' not found")) } as const;

const OWN: Readonly<Record<string, Own>> = {
  // The model is not there, or cannot do what is asked of it.
  'not-pulled': { ...NOT_THERE, besides: { '/api/show': always(404, said("model 'm' not found")) } },
  // It was there when it was looked at.
  'removed-meanwhile': NOT_THERE,
  'calls-no-tools': { ends: 'setup', answer: ({ wire }) => says(wire), besides: of({ capabilities: ['completion'] }) },
  'calls-no-tools-older': {
    ends: 'setup',
    besides: of({ capabilities: undefined }),
    answer: always(400, said('registry.ollama.ai/library/m does not support tools')),
  },
  'cloud-401': { ends: 'setup', answer: always(401, said('unauthorized')) },
  'cloud-401-at-once': {
    ends: 'setup',
    answer: always(401, said('unauthorized')),
    besides: { '/api/show': always(401, said('unauthorized')) },
  },
  // It cannot answer for a moment.
  'busy-503': {
    ends: 'waits',
    answer: always(503, said('server busy, please try again. maximum pending requests exceeded')),
  },
  'busy-then-answers': {
    ends: 'answered',
    answer: then(always(503, said('server busy, please try again. maximum pending requests exceeded'))),
  },
  'busy-at-show': {
    ends: 'answered',
    answer: ({ wire }) => says(wire),
    besides: { '/api/show': (before) => (before < 2 ? answered(503, said('server busy')) : answered(200, SHOWN)) },
  },
  'no-memory': {
    ends: 'waits',
    answer: always(500, said('model requires more system memory (9.3 GiB) than is available (5.1 GiB)')),
  },
  'runner-died': { ends: 'answered', answer: then(always(500, said('llama runner process has terminated'))) },
  'page-502': {
    ends: 'waits',
    answer: () => answered(502, '<html>Bad Gateway</html>', { 'content-type': 'text/html' }),
  },
  'empty-200': { ends: 'waits', answer: always(200, '') },
  'error-in-200': { ends: 'waits', answer: always(200, said('an error was encountered while running the model')) },
  // A connection or a stream that breaks off.
  'cut-off': { ends: 'waits', answer: () => ({ ...says('ollama'), cut: true }) },
  'cut-off-once': { ends: 'answered', answer: then(() => ({ ...says('ollama'), cut: true })) },
  'streams-unasked': { ends: 'answered', answer: () => lines(part('Here is '), part('your answer.'), LAST) },
  'streams-calls-unasked': {
    ends: 'answered',
    answer: then(() => lines({ message: { role: 'assistant', content: '', ...list }, done: false }, LAST)),
  },
  'stream-breaks-off': {
    ends: 'answered',
    reply: 'The first half and the second half.',
    answer: ({ wire, before }) =>
      before === 0 ? lines(part('The first '), part('half ')) : says(wire, 'and the second half.'),
  },
  'stream-cut-in-a-line': {
    ends: 'answered',
    reply: 'The first half and the second half.',
    answer: ({ wire, before }) =>
      before === 0
        ? answered(200, String(lines(part('The first '), part('half '), LAST).body).slice(0, -60))
        : says(wire, 'and the second half.'),
  },
  'stream-with-error': {
    ends: 'answered',
    answer: then(() => lines(part('Here is '), said('an error was encountered while running the model'))),
  },
  // An answer that is not whole, or none.
  'broken-off-length': {
    ends: 'answered',
    reply: 'and the second half.',
    answer: ({ wire, before }) =>
      before === 0
        ? chat({ content: 'The first half ' }, { done_reason: 'length' })
        : says(wire, 'and the second half.'),
  },
  'only-loaded': { ends: 'answered', answer: then(() => chat({}, { done_reason: 'load' })) },
  'older-without-reason': { ends: 'answered', answer: () => chat({ content: ANSWER }, { done_reason: undefined }) },
  'call-not-done': {
    ends: 'answered',
    answer: then(() => chat(call('write_file', { path: 'a', content: 'b' }), { done: false, done_reason: undefined })),
    heard: (all) => {
      if (all.at(-1)?.text.includes('"tool_name":"write_file"')) throw new Error('a call that is not whole was made');
    },
  },
  // Thinking.
  'thinks-apart': {
    ends: 'answered',
    answer: then(() => chat({ thinking: 'The files may say.', ...list })),
    heard: (all) => {
      if (!all.at(-1)?.text.includes('"thinking":"The files may say."')) throw new Error('its thoughts are not kept');
    },
  },
  'thinks-and-answers': { ends: 'answered', answer: () => chat({ thinking: 'They ask for it.', content: ANSWER }) },
  'thinks-in-text': { ends: 'answered', answer: () => chat({ content: `<think>They ask for it.</think>\n${ANSWER}` }) },
  'thinks-only': { ends: 'answered', answer: then(() => chat({ thinking: 'They ask for it.' })) },
  // Calls.
  'calls-without-ids': {
    ends: 'answered',
    answer: then(
      () => chat({ tool_calls: [...list.tool_calls, ...call('read_file', { path: 'x.md' }).tool_calls] }),
      () => chat(list),
    ),
  },
  'arguments-as-text': { ends: 'answered', answer: then(() => chat(call('read_file', '{"path":"x.md"}'))) },
  'arguments-broken': { ends: 'answered', answer: then(() => chat(call('read_file', '{"path":'))) },
  'arguments-a-list': { ends: 'answered', answer: then(() => chat(call('read_file', ['x.md']))) },
  'arguments-null': { ends: 'answered', answer: then(() => chat(call('list_files', null))) },
  'call-in-text': {
    ends: 'answered',
    answer: then(() => chat({ content: '<tool_call>\n{"name": "list_files", "arguments": {}}\n</tool_call>' })),
    heard: (all) => {
      if (all.length < 2) throw new Error('the call was not made');
    },
  },
  'call-that-it-cannot-read': {
    ends: 'answered',
    answer: then(always(500, said("error parsing tool call: raw='{\"pa', err=unexpected end of JSON input"))),
  },
  'alternates-after-call': {
    ends: 'answered',
    answer: ({ wire, body, before }) =>
      callsInPlace(wire, body) && rolesAlternate(wire, body)
        ? ([() => chat(list), () => chat({})][before]?.() ?? says(wire))
        : refuses(wire, 400, 'conversation roles must alternate'),
  },
  // Its window.
  'window-asked-for': {
    ends: 'answered',
    answer: ({ wire, body }) => (most(body) >= 8192 ? says(wire) : says(wire, 'Cut.')),
  },
  'cut-by-window': { ends: 'shortened', history: true, answer: cutAsLongAs(1200), besides: loaded(2048) },
  'cut-by-window-unsaid': { ends: 'shortened', history: true, answer: cutAsLongAs(1200), besides: loaded() },
  'counts-what-is-new': { ends: 'answered', answer: () => chat({ content: ANSWER }, { prompt_eval_count: 40 }) },
  'counts-nothing': {
    ends: 'answered',
    answer: () => chat({ content: ANSWER }, { prompt_eval_count: undefined, eval_count: undefined }),
  },
  'too-long-400': {
    ends: 'shortened',
    history: true,
    answer: ({ wire, text }) =>
      text.includes(OLDER) ? refuses(wire, 400, 'the input length exceeds the context length') : says(wire),
  },
  'window-of-its-owner': {
    ends: 'answered',
    config: { num_ctx: 5000 },
    answer: ({ wire }) => says(wire),
    heard: (all) => {
      if (all.some(({ body }) => most(body) !== 5000)) throw new Error('it was asked for another window');
    },
  },
  // Pictures.
  'no-sight': {
    ends: 'left_out',
    besides: of({ capabilities: ['completion', 'tools'] }),
    pictures: [{ name: 'a.jpg', type: 'image/jpeg', bytes: jpeg(50, 50) }],
    answer: ({ wire, text }) =>
      text.includes('"images"')
        ? refuses(wire, 500, 'this model is missing data required for image input')
        : says(wire),
  },
  // Another server behind the address.
  'another-server': {
    ends: 'answered',
    answer: ({ request }) => (request.path.endsWith('/v1/chat/completions') ? says('chat') : answered(404, 'no')),
    besides: { '/api/show': always(404, '404 page not found'), '/api/version': always(404, '404 page not found') },
  },
  'another-server-200': {
    ends: 'answered',
    answer: ({ request }) => (request.path.endsWith('/v1/chat/completions') ? says('chat') : answered(404, 'no')),
    besides: {
      '/api/show': always(200, { error: 'Unexpected endpoint or method. (POST /api/show). Returning 200 anyway' }),
      '/api/version': always(200, { error: 'Unexpected endpoint or method. (GET /api/version). Returning 200 anyway' }),
    },
  },
};

export const OLLAMA_ROWS: readonly Row[] = Object.entries(OWN).map(
  ([name, own]): Row => ({ id: `ollama-${name}`, wire: 'ollama', ...own }),
);
