import type { HarnessProviderAdapter, ModelInfo } from '#contract';
import { EngineError } from '#contract';
import type { Extensions, RegisteredProvider } from '../extensions/types.ts';
import type { Target } from '../record/settings.ts';
import type { Cooldowns } from './cooldown.ts';

/** The models of the extensions that are in force, as the loop reaches them. */
export function modelsOf(extensions: () => Extensions, cooldowns: Cooldowns): Models {
  const providerOf = (name: string) => {
    const provider = extensions().providers.get(name);
    if (!provider) throw new EngineError('bad_request', `no provider is named ${name}; see \`epistle providers list\``);
    return provider;
  };
  return {
    adapter: async (name) => {
      const provider = providerOf(name);
      const missing = provider.missingSecrets();
      if (missing.length > 0)
        throw new EngineError('auth', `${missing.join(', ')} is not set, so ${name} cannot be used`);
      return provider.create();
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
