import { jsonIn, type leanFetch } from '#contract/http';

const EVENTS = 'text/event-stream';

/**
 * Servers of this protocol answer with JSON also where a stream was asked for, which is one event then; some leave out the
 * names of events, which the SDK goes by.
 */
export const asStreamBy =
  (fetch: typeof leanFetch) =>
  async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const answer = await fetch(input, init);
    const isAsked = typeof init?.body === 'string' && init.body.includes('"stream":true');
    if (!isAsked || !answer.ok) return answer;
    const headers = { 'content-type': EVENTS };
    const { body } = answer;
    if (answer.headers.get('content-type')?.startsWith(EVENTS) === true)
      return new Response(body === null ? null : ReadableStream.from(withNames(body)), { headers });
    const text = await answer.text();
    if (jsonIn(text) === text) return new Response(text, { headers: answer.headers });
    return new Response(`event: message_start\ndata: ${text.replaceAll(/\r?\n/g, ' ')}\n\n`, { headers });
  };

/** The same stream with a name before an event's data where it has none. */
async function* withNames(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let isNamed = false;
  for await (const line of linesOf(body)) {
    if (line === '') isNamed = false;
    if (line.startsWith('event:')) isNamed = true;
    const isUnnamed: boolean = !isNamed && /^data: ?\{/.test(line);
    yield encoder.encode(isUnnamed ? `event: unnamed\n${line}\n` : `${line}\n`);
    isNamed ||= isUnnamed;
  }
}

/** Lines end as WHATWG HTML, 9.2.5, says; a mark of the byte order is no part of the first one. */
async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true });
    // The line feed behind a carriage return at the end may be still to come.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    yield* lines;
  }
  rest += decoder.decode();
  if (rest !== '') yield rest.replace(/\r$/, '');
}
