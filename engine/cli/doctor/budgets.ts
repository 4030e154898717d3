import type { Persona } from '../../config/types.ts';
import { LEAST_OUTPUT_TOKENS } from '../../harness/loop/reserve.ts';
import { targetName } from '../../models/targets.ts';
import { pricedTargetOf, type Workspace } from '../../workspace.ts';
import { bad, type Check, fine } from './check.ts';

/** Whether an answer fits into each persona's budget at all, and whether it has to be shorter than the model's longest. */
export function budgetChecks(workspace: Workspace): Check[] {
  return [...workspace.live.personas().all()].flatMap((entry) =>
    entry.state === 'ready' ? budgetCheck(workspace, entry.persona) : [],
  );
}

function budgetCheck(workspace: Workspace, persona: Persona): Check[] {
  const { usd_per_run, usd_per_day } = persona.budget;
  const limits = [usd_per_run, usd_per_day].filter((usd) => usd !== null);
  const { target, price } = pricedTargetOf(workspace, persona, null);
  const info = workspace.currentExtensions().providers.get(target.provider)?.modelInfo(target.model);
  const { inference } = workspace.live.current();
  if (limits.length === 0 || !info || !price) return [];
  const limit = Math.min(...limits);
  const longest = persona.inference.max_output_tokens ?? inference.max_output_tokens ?? info.max_output_tokens;
  const least = Math.min(longest, LEAST_OUTPUT_TOKENS);
  const costOf = (tokens: number) => (tokens * price.output) / 1_000_000;
  const name = `budget:${persona.id}`;
  const of = `${limit} USD, and ${least} tokens of ${targetName(target)} cost up to ${costOf(least).toFixed(4)} USD`;
  if (costOf(least) > limit) {
    return [
      bad(
        name,
        `not one answer fits: the budget is ${of}`,
        `raise it in personas/${persona.id}/persona.json, set a smaller max_output_tokens, or take a cheaper model`,
      ),
    ];
  }
  if (costOf(longest) <= limit) return [fine(name, `one answer of ${longest} tokens fits into ${limit} USD`)];
  return [
    fine(
      name,
      `${longest} tokens cost more than ${limit} USD, so answers get half of what is left, ${least} tokens at least`,
    ),
  ];
}
