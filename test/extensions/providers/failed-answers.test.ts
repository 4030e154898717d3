import { afterEach, describe, expect, it } from 'vitest';
import { type HttpAnswer, startHttpServer } from '../../fakes/http-server.ts';
import { adapterOf, requestTo } from './adapter.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const PLACE = { anthropic: '', openai: '/v1', gemini: '' } as const;
type Name = keyof typeof PLACE;
const VENDORS = Object.keys(PLACE) as Name[];

/** What a call fails with whose vendor, or whoever stands before it, answers so. */
async function failure(name: Name, answer: HttpAnswer) {
  const server = await startHttpServer(() => answer);
  stops.push(server.stop);
  const adapter = await adapterOf(name, { base_url: `${server.baseUrl}${PLACE[name]}` });
  const signal = new AbortController().signal;
  return adapter.generate(requestTo(name), { signal }).then(
    () => ({ message: 'an answer', code: '', whose: '' }),
    ({ message, code, whose }) => ({ message, code, whose }),
  );
}

const HTML = { 'content-type': 'text/html; charset=utf-8' };
const PAGE = '<!DOCTYPE html><html><title>GuestNet</title><p>Please sign in.</p></html>';

describe('a model that its vendor has retired', () => {
  it.each([
    [
      'anthropic',
      404,
      {
        type: 'error',
        error: { type: 'not_found_error', message: 'model: claude-haiku-4-5' },
        request_id: 'req_011CSHoEeqs5C35K2UUqR7Fy',
      },
      'anthropic answered 404: model: claude-haiku-4-5',
    ],
    [
      'openai',
      404,
      {
        error: {
          message: 'The model `gpt-4-32k` does not exist.',
          type: 'invalid_request_error',
          code: 'model_not_found',
        },
      },
      'openai answered 404: The model `gpt-4-32k` does not exist.',
    ],
    [
      'openai',
      410,
      { error: { message: 'The model small-1 was retired; use small-2.', type: 'gone', code: null } },
      'openai answered 410: The model small-1 was retired; use small-2.',
    ],
    [
      'gemini',
      404,
      { error: { code: 404, message: 'models/gemini-1 is not found for API version v1beta.', status: 'NOT_FOUND' } },
      'gemini answered 404: models/gemini-1 is not found for API version v1beta.',
    ],
  ] as const)('is named in the vendor’s own sentence: %s, %i', async (name, status, body, message) => {
    const failed = await failure(name, { status, body: JSON.stringify(body) });
    expect(failed).toMatchObject({ code: 'model_gone', message });
  });
});

describe('a page in place of an answer', () => {
  it.each(VENDORS.flatMap((name) => [403, 404, 502].map((status) => [name, status] as const)))(
    'is called that, and none of its words is kept: %s, %i',
    async (name, status) => {
      const { message } = await failure(name, { status, headers: HTML, body: PAGE });
      // Google's SDK keeps the kind of the body to itself.
      const what = name === 'gemini' ? '' : ': a web page, which is no answer of a model';
      expect(message).toBe(`${name} answered ${status}${what}`);
    },
  );

  it.each(VENDORS)('with status 200 is an outage: %s', async (name) => {
    const failed = await failure(name, { status: 200, headers: HTML, body: PAGE });
    expect(failed.code).toBe('unavailable');
    expect(failed.message).not.toMatch(/GuestNet|<|ended early/);
  });

  it.each(VENDORS)('that is JSON of somebody else is one, too: %s', async (name) => {
    const failed = await failure(name, { status: 200, body: '{"status":"ok","portal":"GuestNet"}' });
    expect(failed.code).toBe('unavailable');
    expect(failed.message).not.toMatch(/GuestNet|ended early/);
  });

  it.each(VENDORS)('of a proxy that asks for a login is nothing that the vendor said: %s', async (name) => {
    const failed = await failure(name, { status: 407, headers: HTML, body: PAGE });
    expect(failed.code).toBe('unavailable');
    expect(failed.message).toContain(`${name} could not be reached`);
    // To the global fetch, which Google's SDK uses, it is no answer at all (Fetch, 4.6).
    if (name !== 'gemini') expect(failed.message).toContain('a proxy in between answered 407');
    if (name !== 'gemini') expect(failed.whose).toBe('vendor');
    expect(failed.message).not.toContain('GuestNet');
  });
});
