import type { Persona } from '../config/types.ts';
import type { BudgetLimits } from '../storage/types/budget.ts';
import type { Packet } from '../storage/types/suspensions.ts';

/** What a run may spend, and what it and all runs around it may spend together. */
export function budgetsOf(
  { budget, delegation }: Pick<Persona, 'budget' | 'delegation'>,
  packet: Packet | null,
): { readonly budget: BudgetLimits; readonly treeBudget: BudgetLimits | null } {
  const treeBudget = packet !== null || delegation.enabled ? budget : null;
  if (packet === null) return { budget, treeBudget };
  const own = {
    ...budget,
    usd_per_run: leastOf(budget.usd_per_run, packet.usd),
    tokens_per_run: leastOf(budget.tokens_per_run, packet.tokens),
  };
  return { budget: own, treeBudget };
}

const leastOf = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);
