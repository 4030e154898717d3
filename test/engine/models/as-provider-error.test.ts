import { describe, expect, it } from 'vitest';
import { EngineError } from '#contract';
import { asProviderError } from '../../../engine/models/whose.ts';

const thrownBy = async (work: () => unknown): Promise<unknown> => {
  try {
    return await work();
  } catch (error) {
    return error;
  }
};

describe('what an adapter throws', () => {
  const mistakes: Readonly<Record<string, () => unknown>> = {
    'a property of nothing': () => JSON.parse('{}').choices[0],
    'a length that cannot be': () => new Array(-1),
    'a name that is not there': () => {
      throw new ReferenceError('answer is not defined');
    },
  };
  it.each(Object.keys(mistakes))('is a mistake in its code and does not wait: %s', async (name) => {
    const error = asProviderError(await thrownBy(mistakes[name] ?? (() => null)));
    expect(error).toMatchObject({ code: 'bad_request', retry: 'never' });
    expect(error.message).toMatch(/^a mistake in the adapter: \w+Error: /);
  });

  const lost: Readonly<Record<string, () => unknown>> = {
    'a refused connection': () => fetch('http://127.0.0.1:1/'),
    'a code of the system': () => Promise.reject(Object.assign(new Error('reset'), { code: 'ECONNRESET' })),
    'words that nobody knows': () => Promise.reject(new Error('the upstream is sad')),
    'no error at all': () => Promise.reject('gone'),
  };
  it.each(Object.keys(lost))('may pass, and waits: %s', async (name) => {
    const error = asProviderError(await thrownBy(lost[name] ?? (() => null)));
    expect(error).toMatchObject({ code: 'unavailable', retry: { afterMs: 0 } });
  });

  it('is an answer that cannot be read where it is no JSON', async () => {
    expect(asProviderError(await thrownBy(() => JSON.parse('<html>')))).toMatchObject({ code: 'unparsable' });
  });

  it('stays what it says of itself', () => {
    const own = new EngineError('rate_limited', 'slow down', { retry: { afterMs: 7 } });
    expect(asProviderError(own)).toBe(own);
    expect(asProviderError(new EngineError('extension_invalid', 'switched off'))).toMatchObject({
      code: 'unavailable',
    });
  });
});
