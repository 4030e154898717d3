import { describe, expect, it } from 'vitest';
import { loadFrom, provider } from '../load-from.ts';

/** An adapter that says what it was made with, and counts how often. */
const telling = `{ create(options) {
  globalThis.madeAdapters = (globalThis.madeAdapters ?? 0) + 1;
  return { generate: async () => ({ ...options, log: undefined }) };
} }`;

const generate = (adapter: { generate: (...args: never[]) => unknown }) => Reflect.apply(adapter.generate, adapter, []);

describe('a provider', () => {
  it('is imported at its first use and made once', async () => {
    const { loaded } = await loadFrom({
      bundled: provider('vendor', `(globalThis.vendorImported = true, ${telling})`, {
        secrets: { api_key: 'VENDOR_KEY', org: 'VENDOR_ORG' },
        config: { base_url: 'http://127.0.0.1:1' },
      }),
      secrets: { VENDOR_KEY: 'k' },
    });
    const vendor = loaded.providers.get('vendor');
    expect(Reflect.get(globalThis, 'vendorImported')).toBeUndefined();
    expect(vendor?.missingSecrets()).toEqual(['VENDOR_ORG']);
    const adapters = await Promise.all([vendor?.create(), vendor?.create()]);
    expect(adapters[0]).toBe(adapters[1]);
    expect(Reflect.get(globalThis, 'madeAdapters')).toBe(1);
    expect(await generate(adapters[0] ?? neverMade())).toMatchObject({
      name: 'vendor',
      config: { base_url: 'http://127.0.0.1:1' },
      secrets: { api_key: 'k' },
    });
  });

  it('knows its models, and answers carefully for others', async () => {
    const { loaded } = await loadFrom({
      bundled: provider('vendor', telling, {
        default_model: 'big',
        models: { big: { context_tokens: 1000, images: true, usd_per_million_tokens: { input: 1, output: 2 } } },
      }),
    });
    const vendor = loaded.providers.get('vendor');
    expect(vendor?.defaultModel).toBe('big');
    expect(vendor?.modelInfo('big')).toMatchObject({
      context_tokens: 1000,
      images: true,
      tools: true,
      max_output_tokens: 4096,
    });
    for (const unlisted of ['small', 'constructor', '__proto__']) {
      expect(vendor?.modelInfo(unlisted)).toEqual({
        context_tokens: 128_000,
        max_output_tokens: 4096,
        tools: true,
        images: false,
        usd_per_million_tokens: null,
        estimated_usd_per_million_tokens: { input: 1, output: 2 },
      });
    }
  });

  it('costs nothing where it lies nearby, unless it says what it costs', async () => {
    const priceAt = async (base_url: string, more: object = {}) => {
      const { loaded } = await loadFrom({ bundled: provider('vendor', telling, { config: { base_url }, ...more }) });
      return loaded.providers.get('vendor')?.modelInfo('big').usd_per_million_tokens;
    };
    for (const near of [
      'http://127.0.0.1:1/v1',
      'http://[::1]:1',
      'http://10.1.2.3',
      'http://ollama:11434',
      'http://gpu.lan',
    ])
      expect(await priceAt(near), near).toEqual({ input: 0, output: 0 });
    for (const far of ['https://api.example.com/v1', 'https://8.8.8.8', 'https://127.0.0.1.example.com'])
      expect(await priceAt(far), far).toBeNull();
    const price = { input: 1, output: 2 };
    const models = { big: { context_tokens: 1000, usd_per_million_tokens: price } };
    expect(await priceAt('http://127.0.0.1:1', { models })).toEqual(price);
  });

  it.each([
    ['code that throws', '(() => { throw new Error("boom") })()', 'boom'],
    ['no create', '{}', 'create'],
    ['an adapter that is none', '{ create: () => ({}) }', 'generate'],
    ['a create that rejects', '{ create: () => Promise.reject(new Error("no key")) }', 'no key'],
  ])('with %s rejects by name when it is used', async (_what, code, message) => {
    const { loaded } = await loadFrom({ bundled: provider('vendor', code) });
    await expect(loaded.providers.get('vendor')?.create()).rejects.toMatchObject({
      code: 'extension_invalid',
      message: expect.stringMatching(new RegExp(`^provider vendor: .*${message}`)),
    });
  });

  it('that failed is tried again at the next use', async () => {
    const once =
      '{ create() { if (!globalThis.failedOnce) { globalThis.failedOnce = true; throw new Error("first"); } return { generate() {} }; } }';
    const { loaded } = await loadFrom({ bundled: provider('vendor', once) });
    await expect(loaded.providers.get('vendor')?.create()).rejects.toThrow('first');
    await expect(loaded.providers.get('vendor')?.create()).resolves.toHaveProperty('generate');
  });

  it('with a config that its schema refuses says which key', async () => {
    const strict = '{ config: z.strictObject({ base_url: z.string() }), create: () => ({ generate() {} }) }';
    const { loaded } = await loadFrom({
      bundled: {
        ...provider('vendor', strict),
        'providers/vendor/index.ts': `import { z } from ${JSON.stringify(import.meta.resolve('zod'))};\nexport default ${strict};`,
      },
      listing: { providers: [{ name: 'vendor', config: { base_ulr: 'x' } }] },
    });
    await expect(loaded.providers.get('vendor')?.create()).rejects.toThrow(/config\.base_url.*config\.base_ulr/);
  });
});

describe('a provider without code of its own', () => {
  const groq = {
    name: 'groq',
    kind: 'provider',
    api: 1,
    summary: 'Groq',
    adapter: 'openai-compatible',
    secrets: { api_key: 'GROQ_API_KEY' },
    config: { base_url: 'http://127.0.0.1:2' },
    models: { llama: { context_tokens: 5 } },
  };
  const openai = provider('openai', telling, { config: { base_url: 'http://127.0.0.1:1', only_openai: true } });

  it('is the code of the bundled one with its own name, config, secrets and models', async () => {
    const { loaded } = await loadFrom({
      bundled: openai,
      workspace: { 'providers/groq/manifest.json': groq },
      listing: { providers: ['groq'] },
      secrets: { GROQ_API_KEY: 'g' },
    });
    const adapter = await loaded.providers.get('groq')?.create();
    expect(await generate(adapter ?? neverMade())).toEqual({
      name: 'groq',
      config: { base_url: 'http://127.0.0.1:2' },
      secrets: { api_key: 'g' },
      models: { llama: expect.objectContaining({ context_tokens: 5 }) },
      log: undefined,
    });
  });

  it('works also when the bundled one is switched off or replaced', async () => {
    const replaced = provider('openai', '{ create: () => ({ generate: () => "replaced" }) }');
    const { loaded, load } = await loadFrom({
      bundled: openai,
      workspace: { 'providers/groq/manifest.json': groq, ...replaced },
      listing: { providers: ['groq', 'openai'] },
    });
    expect(await generate((await loaded.providers.get('groq')?.create()) ?? neverMade())).toMatchObject({
      name: 'groq',
    });
    expect(await generate((await loaded.providers.get('openai')?.create()) ?? neverMade())).toBe('replaced');
    const off = await load({ providers: ['groq', { name: 'openai', enabled: false }] });
    expect(await off.providers.get('groq')?.create()).toHaveProperty('generate');
  });

  it.each([
    ['an adapter that nobody has', { ...groq, adapter: 'opnai-compatible' }, 'no bundled provider is called "opnai"'],
    ['neither adapter nor entry', { ...groq, adapter: undefined }, 'either an adapter or an entry'],
    ['both', { ...groq, entry: 'index.ts' }, 'either an adapter or an entry'],
  ])('with %s is an error at once', async (_what, manifest, message) => {
    const { loaded } = await loadFrom({ bundled: { ...openai, 'providers/groq/manifest.json': manifest } });
    expect(loaded.providers.names).toEqual(['openai']);
    expect(loaded.all.find(({ name }) => name === 'groq')?.error?.message).toContain(message);
  });
});

function neverMade(): never {
  throw new Error('the adapter was not made');
}
