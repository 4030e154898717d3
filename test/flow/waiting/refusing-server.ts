import { type HttpAnswer, type HttpServer, startHttpServer } from '../../fakes/http-server.ts';

/** What one mail meets at a vendor that answers all others. */
type Refusal = Omit<HttpAnswer, 'body'> & { readonly body: object | string };

const HTML = { 'content-type': 'text/html' };
/** Two words in one string: no vendor is known by what stands in its texts. */
const said = (code: string | null, type: string, message: string) => ({ error: { message, type, param: null, code } });
const failed = (body: object | string, status: number, headers: Readonly<Record<string, string>> = {}): Refusal => ({
  status,
  body,
  headers,
});

/** As vendors and the servers before them refuse one request, whatever it was of it that they do not take. */
export const REFUSALS: Readonly<Record<string, Refusal>> = {
  'content-403': failed({ code: 'permission denied', error: 'the content breaks the guidelines (SAFETY_CHECK)' }, 403),
  'content-400': failed(said('content_filter', 'invalid_request_error', 'the prompt triggered the policy'), 400),
  'flagged-400': failed(said('invalid_prompt', 'invalid_request_error', 'the prompt was flagged'), 400),
  'larger-than-a-minute': failed(
    said('rate_limit_exceeded', 'tokens', 'the request is larger than what a minute has: 30000, asked 50000'),
    429,
    { 'x-ratelimit-limit-tokens': '30000', 'x-ratelimit-remaining-tokens': '30000' },
  ),
  'busy-429': failed(said('rate_limit_exceeded', 'requests', 'later'), 429, { 'retry-after': '3600' }),
  'afford-402': failed({ error: { message: 'you can only afford 3120 tokens', code: 402 } }, 402),
  'no-endpoint-404': failed({ error: { message: 'no endpoint takes what stands in this mail', code: 404 } }, 404),
  'broken-500': failed(said(null, 'server_error', 'something went wrong'), 500),
  'page-502': failed('<html><h1>502 Bad Gateway</h1></html>', 502, HTML),
  'busy-503': failed(said(null, 'overloaded', 'come again'), 503),
  'inside-200': failed({ id: 'x', choices: [{ error: { code: 503, message: 'upstream is down' } }] }, 200),
  'no-answer-200': failed({ error: 'Unexpected endpoint or method' }, 200),
  'cut-off': { status: 200, body: { id: 'x', choices: [] }, cut: true },
};

/** Chat completions; a mail that has `refuse:<name>` in it is refused that way, each time. */
export async function startRefusingServer(answer: string): Promise<HttpServer & { readonly refused: string[] }> {
  const refused: string[] = [];
  const server = await startHttpServer(({ raw }) => {
    const text = raw.toString();
    const name = /refuse:([a-z0-9-]+)/.exec(text)?.[1];
    const refusal = name === undefined ? undefined : REFUSALS[name];
    if (name !== undefined && refusal) {
      refused.push(name);
      return { ...refusal, body: typeof refusal.body === 'string' ? refusal.body : JSON.stringify(refusal.body) };
    }
    const message = { role: 'assistant', content: answer };
    const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
    return {
      status: 200,
      body: JSON.stringify({ id: 'x', choices: [{ index: 0, message, finish_reason: 'stop' }], usage }),
    };
  });
  return { ...server, refused };
}
