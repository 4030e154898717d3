import type { GenerateResponse, ModelInfo, TokenPrice, Usage } from '#contract';
import type { InferenceConfig, Persona } from '../config/types.ts';
import type { RegisteredProvider, Registry } from '../extensions/types.ts';
import type { Target } from '../record/settings.ts';
import { parseTarget, targetName, targetsFor } from './targets.ts';

export type Price = NonNullable<ModelInfo['usd_per_million_tokens']>;

/** USD per million tokens: inference.json beats the manifest; null where nobody knows. */
export function priceOf(target: Target, info: ModelInfo, prices: InferenceConfig['prices']): Price | null {
  return prices[targetName(target)] ?? info.usd_per_million_tokens;
}

/** What is booked by: the price, or where nobody knows it what it is taken to be at most; null: not even that. */
export const bookedPrice = (target: Target, info: ModelInfo, prices: InferenceConfig['prices']): Price | null =>
  priceOf(target, info, prices) ?? info.estimated_usd_per_million_tokens ?? null;

/**
 * What a call cost: as the vendor says, else by its price. A 0 for a model that has a price is none: a service that hands a
 * call on under its customer's own key reports no cost, and the customer is billed elsewhere.
 */
export function billed(
  { reportedCostUsd: reported, usage }: Pick<GenerateResponse, 'reportedCostUsd' | 'usage'>,
  prices: { readonly known: Price | null; readonly booked: Price | null },
): number | null {
  if (reported === null) return costOf(usage, prices.booked);
  return reported > 0 || prices.known === null ? reported : costOf(usage, prices.known);
}

/** What tokens cost of a call with so many in its prompt. */
export function priceAt(price: Price, inputTokens: number): TokenPrice {
  const tiers = (price.above_input_tokens ?? []).filter(({ tokens }) => inputTokens > tokens);
  return tiers.reduce<TokenPrice & { readonly tokens: number }>(
    (highest, tier) => (tier.tokens > highest.tokens ? tier : highest),
    { ...price, tokens: 0 },
  );
}

/** What a call cost in USD; null without a price. Cached tokens are part of the input. */
export function costOf(usage: Usage, price: Price | null): number | null {
  if (price === null) return null;
  const fresh = Math.max(0, usage.input - usage.cached - usage.cacheWrite);
  const { input, output, cache_read = input, cache_write = input } = priceAt(price, usage.input);
  const usdPerMillion =
    fresh * input + usage.cached * cache_read + usage.cacheWrite * cache_write + usage.output * output;
  return usdPerMillion / 1_000_000;
}

export interface PricedTarget {
  readonly target: Target;
  /** Null where nobody knows it. */
  readonly price: Price | null;
}

/** The model that works the persona's next run, or that of a task with a model of its own (`pinned`). */
export function targetPrice(
  known: {
    readonly providers: Pick<Registry<RegisteredProvider>, 'get'>;
    readonly inference: InferenceConfig;
    firstKeyed(): string | null;
  },
  persona: Persona,
  pinned: string | null,
): PricedTarget {
  const { providers, inference } = known;
  const defaultModel = (provider: string) => providers.get(provider)?.defaultModel ?? 'default';
  const [first] = targetsFor(persona, inference, { firstKeyed: known.firstKeyed, defaultModel });
  const target = pinned === null ? (first as Target) : parseTarget(pinned);
  const info = providers.get(target.provider)?.modelInfo(target.model);
  return { target, price: info ? priceOf(target, info, inference.prices) : null };
}
