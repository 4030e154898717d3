import {
  EngineError,
  type GenerateRequest,
  type GenerateResponse,
  type HarnessProviderAdapter,
  type ModelInfo,
  type ModelMessage,
} from '#contract';
import { plainAnswer } from '#contract/http';
import type { InferenceConfig } from '../config/types.ts';
import { BUNDLED } from '../extensions/tool-sources.ts';
import type { Extensions, RegisteredProvider } from '../extensions/types.ts';
import type { Target } from '../record/settings.ts';
import { countedUsage } from './answers/usage.ts';
import { type Fitted, fitRequest } from './fitting/fit.ts';
import type { Plainness } from './fitting/rules.ts';
import type { Cooldowns } from './outages.ts';
import { type Money, mayBeUnpriced } from './unpriced.ts';

/** The models of the extensions that are in force, as the loop reaches them. A key that was refused is not asked with again. */
export function modelsOf(
  extensions: () => Extensions,
  cooldowns: Cooldowns,
  /** As `beginUnpriced` says. */
  unpriced: { readonly until: number | null; now(): number },
): Models {
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
  const info = ({ provider, model }: Target): ModelInfo =>
    extensions().providers.get(provider)?.modelInfo(model) ?? UNLISTED;
  const fitFor: NonNullable<Models['fit']> = (target, request, { plain, about }) => {
    const rules = extensions().providers.get(target.provider)?.manifest.fits;
    if (!rules) return { request, leftOut: [], restore: (response) => response };
    const { tools } = extensions();
    // Tools of the engine itself are in no registry.
    const isOwn = (name: string) => (tools.get(name)?.source ?? BUNDLED).isBundled === true;
    return fitRequest(request, { rules, info: info(target), plain, isOwn, about });
  };
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
    info,
    fit: fitFor,
    plainer(target, request, { plain, about, shorter = false }) {
      const text = (level: Plainness): string =>
        JSON.stringify(fitFor(target, request, { plain: level, about }).request);
      const now = text(plain);
      const levels = ([1, 2] as const).filter((level) => level > plain);
      const isOther = (other: string) => (shorter ? other.length < now.length - WORTH_LETTERS : other !== now);
      return levels.find((level) => isOther(text(level))) ?? null;
    },
    mayBeUnpriced: (inference, budget) =>
      mayBeUnpriced(inference, budget, { until: unpriced.until, now: unpriced.now() }),
    cooldowns,
  };
}

/**
 * The names of the keys that a provider wants, and of those that are not set; and the host that is asked, where it is another's
 * than the vendor's own.
 */
export const keysOf = (provider: RegisteredProvider | undefined) => ({
  host: hostOf(provider?.server()?.url),
  wanted: Object.values(provider?.manifest.secrets ?? {}),
  missing: provider?.missingSecrets() ?? [],
});

const hostOf = (url: string | undefined): string | null =>
  url !== undefined && URL.canParse(url) ? new URL(url).host : null;

const UNLISTED = {
  context_tokens: 128_000,
  max_output_tokens: 4096,
  tools: true,
  images: false,
  usd_per_million_tokens: null,
};

/** What makes a difference to a request that is too long. */
const WORTH_LETTERS = 4000;

interface HowPlain {
  readonly plain: Plainness;
  /** The message with the mail, which is told what was left out; absent: the last of a user. */
  readonly about?: ModelMessage | undefined;
  /** Of use only where the request becomes shorter by it. */
  readonly shorter?: boolean;
}

/** The models as the loop reaches them. */
export interface Models {
  adapter(provider: string): Promise<HarnessProviderAdapter>;
  info(target: Target): ModelInfo;
  /** A request as the vendor of this model takes it; absent where nothing is sent. */
  fit?(target: Target, request: GenerateRequest, how: HowPlain): Fitted;
  /** How much plainer a request may become that was refused and names no reason; null: it is as plain as it gets. */
  plainer?(target: Target, request: GenerateRequest, how: HowPlain): Plainness | null;
  /** Whether a persona with this budget may use models whose price nobody has said, now. */
  mayBeUnpriced(inference: Pick<InferenceConfig, 'allow_unpriced'>, budget: Money): boolean;
  readonly cooldowns: Cooldowns;
}

/** The vendor's own message cannot go back as it came: it would say otherwise than the answer that was made of it. */
const NOBODYS = { provider: '', model: '', data: null };

/** The answer of an adapter that does not look for the model's own markup in its text. */
export function inPlainWords(
  response: GenerateResponse,
  { model, tools, messages }: GenerateRequest,
): GenerateResponse {
  if (response.markup !== undefined) return response;
  const turn = messages.filter(({ role }) => role === 'assistant').length;
  const idOf = (index: number) => `call_${turn}_${index}`;
  const { markup, text, toolCalls, whole } = plainAnswer(response.text, response.toolCalls, { model, tools, idOf });
  if (markup === 'none') return response;
  const { finish } = response;
  if (finish === 'refusal') return { ...response, text, markup: 'read', providerParts: NOBODYS };
  const isCalling = toolCalls.length > 0 && finish !== 'length';
  return {
    ...response,
    text,
    toolCalls,
    markup,
    providerParts: NOBODYS,
    ...(!whole && { whole }),
    ...(isCalling && { finish: 'tool_calls' as const }),
  };
}
