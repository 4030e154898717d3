import { DAY_MS } from '../../lib/time.ts';
import { parseTarget, targetName } from '../../models/targets.ts';
import { isUnpriced } from '../../models/unpriced.ts';
import type { Target } from '../../record/settings.ts';
import { pricedTargetOf, type UnpricedModel, unpricedModels } from '../gateway/provider-in-use.ts';
import type { QueryPorts } from '../ports.ts';
import { bad, type Check, warn } from './check.ts';

const WARN_DAYS = 30;

/** Models in use whose vendor takes them away soon, or whose price nobody has said. */
export async function modelChecks(ports: QueryPorts): Promise<Check[]> {
  const targets = new Map<string, Target>();
  for (const entry of ports.live.personas().all()) {
    if (entry.state !== 'ready') continue;
    const { persona } = entry;
    const { target } = pricedTargetOf(ports, persona, null);
    const { inference } = ports.live.current();
    const fallback = (persona.inference.fallback ?? inference.fallback).map(parseTarget);
    for (const one of [target, ...fallback]) targets.set(targetName(one), one);
  }
  const unpriced = await unpricedModels(ports);
  return [...targets].flatMap(([name, target]) => [
    ...endCheck(ports, name, target),
    ...(refusedCheck(
      name,
      unpriced.filter(({ model }) => model === name),
    ) ?? priceCheck(ports, name, target)),
  ]);
}

function endCheck(ports: QueryPorts, name: string, { provider, model }: Target): Check[] {
  const ends = ports.currentExtensions().providers.get(provider)?.modelInfo(model).ends;
  if (!ends) return [];
  // The whole of its last day is still its own.
  const days = Math.ceil((Date.parse(`${ends}T00:00:00Z`) + DAY_MS - ports.clock.now()) / DAY_MS);
  if (days > WARN_DAYS) return [];
  const check = `model:${name}`;
  const cure = 'name another model in configs/inference.json or in the persona';
  if (days <= 0) return [bad(check, `its vendor answers with it until ${ends}, which is over`, cure)];
  return [warn(check, `its vendor answers with it until ${ends}: ${cure}`)];
}

/** Null where no budget forbids it. */
function refusedCheck(name: string, [first, ...others]: readonly UnpricedModel[]): Check[] | null {
  if (!first) return null;
  const ids = [first, ...others].map(({ persona }) => persona.id).join(', ');
  const check = `price:${name}`;
  const cure = 'add it to prices of configs/inference.json, name another model, or set allow_unpriced there to true';
  if (first.until === null)
    return [bad(check, `nobody has said its price, so mail to ${ids} waits: there is a budget`, cure)];
  const day = new Date(first.until).toISOString().slice(0, 10);
  return [
    warn(check, `nobody has said its price, and there is a budget: from ${day} on mail to ${ids} waits; ${cure}`),
  ];
}

function priceCheck(ports: QueryPorts, name: string, target: Target): Check[] {
  const info = ports.currentExtensions().providers.get(target.provider)?.modelInfo(target.model);
  const guess = info?.estimated_usd_per_million_tokens;
  if (!info || !guess || !isUnpriced(target, info, ports.live.current().inference.prices)) return [];
  const booked = `${guess.input} and ${guess.output} USD per million tokens in and out`;
  return [
    warn(
      `price:${name}`,
      `nobody has said its price, so ${booked} are booked: add it to prices of configs/inference.json`,
    ),
  ];
}
