import type { Persona } from '../../config/types.ts';
import { type PricedTarget, targetPrice } from '../../models/target-price.ts';
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
