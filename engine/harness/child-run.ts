import type { Persona } from '../config/types.ts';
import { isExecutable, type Prepared } from '../policy/call.ts';
import { packetOf } from '../record/trigger.ts';
import type { LoadedRun } from '../storage/ports/runs.ts';
import type { BudgetLimits } from '../storage/types/budget.ts';
import type { Packet } from '../storage/types/suspensions.ts';
import type { Calls } from '../tools/calls.ts';

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

/** Nobody is asked for a child run: what needs an owner's word is refused, and the run that waits for it can ask. */
export function preparedFor(loaded: LoadedRun, prepare: Calls['prepareCall']): Calls['prepareCall'] {
  if (packetOf(loaded) === null) return prepare;
  return async (call, previewing): Promise<Prepared> => {
    const next = await prepare(call, previewing);
    if (!isExecutable(next) || next.verdict === 'run') return next;
    return { verdict: 'denied', call, error: ASK_PARENT, permission: next.permission };
  };
}

const ASK_PARENT = {
  code: 'policy_requires_approval',
  message: 'this needs an approval, and the parent must ask: answer without it, and say what it is needed for',
  retryable: false,
};
