import { EngineError } from '#contract';
import type { BroughtByToken, ByToken } from '../actions/bring-result.ts';
import { isRefusal } from '../actions/refusal.ts';
import type { Readiness } from './readiness.ts';
import { type ConsoleRequest, failed, json, type Reply } from './reply.ts';

/** All that the console answers with. */
export interface ConsoleAnswers {
  readiness(): Promise<Readiness>;
  /** In the text format of Prometheus. */
  metrics(): Promise<string>;
  readonly bring: BringResult;
}

const NOWHERE = failed(404, 'not_found', 'there is nothing here');

/** What a request is answered; there is nothing but these four. */
export async function answerTo(asked: ConsoleRequest, { readiness, metrics, bring }: ConsoleAnswers): Promise<Reply> {
  const [path = ''] = asked.url.split('?', 1);
  if (asked.method === 'POST') {
    const persona = personaIn(path);
    return persona === null ? NOWHERE : takeResult(asked, persona, bring);
  }
  if (asked.method !== 'GET' && asked.method !== 'HEAD') return NOWHERE;
  if (path === '/healthz') return json(200, { ok: true });
  if (path === '/readyz') {
    const found = await readiness();
    return json(found.ok ? 200 : 503, found);
  }
  if (path !== '/metrics') return NOWHERE;
  return { status: 200, type: 'text/plain; version=0.0.4', body: await metrics(), headers: {} };
}

/** Ends the call whose token it is; null also where there is no such persona. */
type BringResult = (result: ByToken) => Promise<BroughtByToken>;

const PATH = /^\/v1\/results\/([a-z0-9][a-z0-9_-]{0,63})$/;
const BEARER = /^Bearer ([0-9a-f]{64})$/i;

/** The persona for whose call a result is brought to this path; null: it is another path. */
const personaIn = (path: string): string | null => PATH.exec(path)?.[1] ?? null;

/**
 * A result is taken once: whoever posts it again is told that nothing waits for it. What is asked of it that does not
 * need the token comes first, so that a wrong one costs no look into a database.
 */
async function takeResult(asked: ConsoleRequest, persona: string, bring: BringResult): Promise<Reply> {
  const token = BEARER.exec(asked.authorization)?.[1]?.toLowerCase();
  if (token === undefined)
    return failed(401, 'unauthorized', 'the token of the call is missing', { 'www-authenticate': 'Bearer' });
  if (!/^application\/json\b/i.test(asked.contentType))
    return failed(415, 'usage', 'the result has to be application/json');
  const body = await asked.body();
  if (body === null) return failed(413, 'usage', 'the result is too large', { connection: 'close' });
  const came = await bring({ persona, token, json: body }).catch((error: unknown) => {
    if (error instanceof EngineError && error.code === 'usage') return error;
    throw error;
  });
  if (came instanceof EngineError) return failed(400, came.code, came.message);
  if (came === 'not_begun')
    return failed(503, 'wrong_state', 'the call does not wait for it yet', { 'retry-after': '1' });
  if (came === null || isRefusal(came)) return failed(404, 'not_found', 'no call waits for this result');
  return json(200, { ok: true });
}
