import type { Persona } from '../../config/types.ts';
import { LEAST_OUTPUT_TOKENS } from '../../harness/loop/call-model.ts';
import { targetName } from '../../models/targets.ts';
import { pricedTargetOf } from '../gateway/provider-in-use.ts';
import type { QueryPorts } from '../ports.ts';
import { bad, type Check, fine } from './check.ts';

/** Whether an answer fits into each persona's budget at all, and whether it has to be shorter than the model's longest. */
export function budgetChecks(ports: QueryPorts): Check[] {
  return [...ports.live.personas().all()].flatMap((entry) =>
    entry.state === 'ready' ? budgetCheck(ports, entry.persona) : [],
  );
}

function budgetCheck(ports: QueryPorts, persona: Persona): Check[] {
  const { usd_per_run, usd_per_day } = persona.budget;
  const limits = [usd_per_run, usd_per_day].filter((usd) => usd !== null);
  const { target, price } = pricedTargetOf(ports, persona, null);
  const info = ports.currentExtensions().providers.get(target.provider)?.modelInfo(target.model);
  const { inference } = ports.live.current();
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
