import type { InferenceConfig, Persona } from '../config/types.ts';
import type { RegisteredProvider, Registry } from '../extensions/types.ts';
import type { Target } from '../record/settings.ts';
import { type Price, priceOf } from './cost.ts';
import { parseTarget, targetsFor } from './targets.ts';

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
