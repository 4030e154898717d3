import { describe, expect, it } from 'vitest';
import type { Json } from '#contract';
import { startFakeModel } from '../../fakes/model-server.ts';
import { adapterOf, KEY, manifestOf, never, requestTo } from './adapter.ts';

const PROVIDERS = ['openai', 'anthropic', 'gemini', 'grok', 'openrouter', 'ollama', 'offline'];

describe.each(PROVIDERS)('the bundled provider %s', (name) => {
  const manifest = manifestOf(name);

  it('is named as its folder and has code or an adapter', () => {
    expect(manifest.name).toBe(name);
    expect([manifest.entry, manifest.adapter].filter(Boolean)).toHaveLength(1);
  });

  it('knows its default model and can pay for what it lists', () => {
    const listed = Object.values(manifest.models);
    expect(manifest.models).toHaveProperty([manifest.default_model ?? '']);
    expect(listed.every(({ context_tokens, max_output_tokens }) => max_output_tokens < context_tokens)).toBe(true);
    for (const { usd_per_million_tokens: price } of listed) {
      if (price?.cache_read !== undefined) expect(price.cache_read).toBeLessThan(price.input);
    }
  });

  it('accepts its own config and another address, and no unknown key', async () => {
    await expect(adapterOf(name, { base_url: 'http://127.0.0.1:1' })).resolves.toHaveProperty('generate');
    await expect(adapterOf(name, { base_ulr: 'x' })).rejects.toThrow('base_ulr');
  });
});

describe('a server that speaks chat completions', () => {
  const talk = async (name: string, config: Record<string, Json>, secrets?: Record<string, string>) => {
    const fake = await startFakeModel('openai', [{ text: 'Hi.', costUsd: 0.25 }]);
    const adapter = await adapterOf(name, { base_url: fake.baseUrl, ...config }, secrets);
    const response = await adapter.generate(requestTo(name, { maxOutputTokens: 99 }), never());
    await fake.stop();
    return { response, heard: fake.requests[0] };
  };

  it('needs no key where the manifest names none', async () => {
    const { response, heard } = await talk('ollama', {}, {});
    expect(response.providerParts.provider).toBe('ollama');
    expect(heard?.headers.authorization).toBe('Bearer none');
    expect(heard?.body).toMatchObject({ model: 'qwen3:8b', max_tokens: 99 });
  });

  it('gets the headers and fields that its manifest adds, and reports its own cost', async () => {
    const { response, heard } = await talk('openrouter', {});
    expect(heard?.headers).toMatchObject({ 'x-title': 'Epistle', authorization: `Bearer ${KEY}` });
    expect(heard?.body).toMatchObject({ usage: { include: true } });
    expect(response.reportedCostUsd).toBe(0.25);
  });

  it('is spoken to as OpenAI wants it when it is OpenAI', async () => {
    const { heard } = await talk('openai', {});
    expect(heard?.body).toMatchObject({
      max_completion_tokens: 99,
      prompt_cache_key: 'thread-1',
      reasoning_effort: 'none',
    });
    expect(Object.keys(JSON.parse(heard?.raw.toString() ?? '{}')).at(-1)).toBe('messages');
  });
});
