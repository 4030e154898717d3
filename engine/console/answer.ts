import type { Readiness } from './readiness.ts';
import { type Asked, failed, json, type Reply } from './reply.ts';
import { type BringResult, personaIn, takeResult } from './results.ts';

/** All that the console answers with. */
export interface Answers {
  readiness(): Promise<Readiness>;
  /** In the text format of Prometheus. */
  metrics(): Promise<string>;
  readonly bring: BringResult;
}

const NOWHERE = failed(404, 'not_found', 'there is nothing here');

/** What a request is answered; there is nothing but these four. */
export async function answerTo(asked: Asked, { readiness, metrics, bring }: Answers): Promise<Reply> {
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
