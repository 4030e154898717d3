import type { Persona } from '../../config/types.ts';
import { type PricedTarget, targetPrice } from '../../models/cost.ts';
import { parseTarget, targetName } from '../../models/targets.ts';
import { isUnpriced, mayBeUnpriced, unpricedUntil } from '../../models/unpriced.ts';
import type { Target } from '../../record/settings.ts';
import type { QueryPorts } from '../ports.ts';

type ModelPorts = Pick<QueryPorts, 'live' | 'environment' | 'currentExtensions'>;

/** The model that works the persona's next run, or a task's that is `pinned`. The extensions must have been loaded. */
export function pricedTargetOf(
  { live, environment, currentExtensions }: ModelPorts,
  persona: Persona,
  pinned: string | null,
): PricedTarget {
  const { inference } = live.current();
  const { providers } = currentExtensions();
  return targetPrice({ providers, inference, firstKeyed: () => environment.firstProvider }, persona, pinned);
}

/** The model that would read this persona's next mail. The extensions must have been loaded. */
export const targetOf = (ports: ModelPorts, persona: Persona): Target => pricedTargetOf(ports, persona, null).target;

/** The same for a persona that names none. */
export function defaultProvider({ live, environment }: Pick<QueryPorts, 'live' | 'environment'>): string {
  return live.current().inference.provider ?? environment.firstProvider ?? 'offline';
}

/** A model that nobody has said the price of, of a persona whose budget in USD does not allow that. */
export interface UnpricedModel {
  /** `provider/model`. */
  readonly model: string;
  readonly persona: Persona;
  /** Until when it is asked all the same, in ms; null: it is not. */
  readonly until: number | null;
}

/** Those of all personas and their fallbacks. The extensions must have been loaded. */
export async function unpricedModels(
  ports: ModelPorts & Pick<QueryPorts, 'gateway' | 'clock'>,
): Promise<readonly UnpricedModel[]> {
  const now = ports.clock.now();
  const given = await unpricedUntil(ports.gateway, now);
  const until = given !== null && now < given ? given : null;
  const { inference } = ports.live.current();
  return [...ports.live.personas().all()].flatMap((entry) => {
    if (entry.state !== 'ready') return [];
    const { persona } = entry;
    if (mayBeUnpriced(inference, persona.budget, { until: null, now })) return [];
    const { target } = pricedTargetOf(ports, persona, null);
    const fallback = (persona.inference.fallback ?? inference.fallback).map(parseTarget);
    const unpriced = [target, ...fallback].filter((one) => {
      const info = ports.currentExtensions().providers.get(one.provider)?.modelInfo(one.model);
      return info !== undefined && isUnpriced(one, info, inference.prices);
    });
    // Whoever has forbidden it was never given any time.
    const within = inference.allow_unpriced === null ? until : null;
    return [...new Set(unpriced.map(targetName))].map((model) => ({ model, persona, until: within }));
  });
}
