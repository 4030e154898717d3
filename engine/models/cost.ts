import type { ModelInfo, Usage } from '#contract';
import type { InferenceConfig } from '../config/types.ts';
import type { Target } from '../record/settings.ts';
import { targetName } from './targets.ts';

export type Price = NonNullable<ModelInfo['usd_per_million_tokens']>;

/** USD per million tokens: inference.json beats the manifest; null where nobody knows. */
export function priceOf(target: Target, info: ModelInfo, prices: InferenceConfig['prices']): Price | null {
  return prices[targetName(target)] ?? info.usd_per_million_tokens;
}

/** What a call cost in USD; null without a price. Cached tokens are part of the input. */
export function costOf(usage: Usage, price: Price | null): number | null {
  if (price === null) return null;
  const fresh = Math.max(0, usage.input - usage.cached - usage.cacheWrite);
  const usdPerMillion =
    fresh * price.input +
    usage.cached * (price.cache_read ?? price.input) +
    usage.cacheWrite * (price.cache_write ?? price.input) +
    usage.output * price.output;
  return usdPerMillion / 1_000_000;
}
