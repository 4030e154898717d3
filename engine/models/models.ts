import type { HarnessProviderAdapter, ModelInfo } from '#contract';
import { EngineError } from '#contract';
import type { Extensions, RegisteredProvider } from '../extensions/types.ts';
import type { Target } from '../record/settings.ts';
import { inPlainWords } from './answers/plain-words.ts';
import { countedUsage } from './answers/usage.ts';
import type { Cooldowns } from './cooldown.ts';

/** The models of the extensions that are in force, as the loop reaches them. A key that was refused is not asked with again. */
export function modelsOf(extensions: () => Extensions, cooldowns: Cooldowns): Models {
  const providerOf = (name: string) => {
    const provider = extensions().providers.get(name);
    if (!provider) throw new EngineError('bad_request', `no provider is named ${name}; see \`epistle providers list\``);
    return provider;
  };
  /** By adapter: what a vendor said of its key. Another key, or another setting, makes another adapter. */
  const refused = new WeakMap<HarnessProviderAdapter, EngineError>();
  const untilRefused = (adapter: HarnessProviderAdapter): HarnessProviderAdapter => ({
    async generate(request, options) {
      const before = refused.get(adapter);
      if (before) throw new EngineError('auth', before.message, { whose: 'setup' });
      try {
        const response = inPlainWords(await adapter.generate(request, options), request);
        return { ...response, ...countedUsage(request, response) };
      } catch (error) {
        if (error instanceof EngineError && error.code === 'auth' && error.whose === 'setup')
          refused.set(adapter, error);
        throw error;
      }
    },
  });
  return {
    adapter: async (name) => {
      const provider = providerOf(name);
      const missing = provider.missingSecrets();
      if (missing.length > 0)
        throw new EngineError('auth', `${missing.join(', ')} is not set, so ${name} cannot be used`, {
          whose: 'setup',
        });
      return untilRefused(await provider.create());
    },
    info: ({ provider, model }) => extensions().providers.get(provider)?.modelInfo(model) ?? UNLISTED,
    cooldowns,
  };
}

/** The names of the keys that a provider wants, and of those that are not set. */
export const keysOf = (provider: RegisteredProvider | undefined) => ({
  wanted: Object.values(provider?.manifest.secrets ?? {}),
  missing: provider?.missingSecrets() ?? [],
});

const UNLISTED = {
  context_tokens: 128_000,
  max_output_tokens: 4096,
  tools: true,
  images: false,
  usd_per_million_tokens: null,
};

/** The models as the loop reaches them. */
export interface Models {
  adapter(provider: string): Promise<HarnessProviderAdapter>;
  info(target: Target): ModelInfo;
  readonly cooldowns: Cooldowns;
}
