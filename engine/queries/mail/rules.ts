import { iso } from '../../lib/clock.ts';
import { noRule } from '../../storage/ports/not-found.ts';
import { likenessIn } from '../../storage/types/approvals.ts';
import { type Rule, taughtIn } from '../../storage/types/rules.ts';
import { findAcross } from '../find-across.ts';
import type { Page } from '../list-across.ts';
import type { QueryPorts } from '../ports.ts';

/** What is to hold from now on, as commands tell of it. */
export interface RuleShape {
  readonly id: string;
  readonly persona: string;
  readonly text: string;
  readonly effect: Rule['effect'];
  readonly tools: readonly string[];
  readonly whom: readonly string[];
  /** Of a rule that yeses have taught: what alone may be changed; null: it is none, or is for mail to people. */
  readonly target: string | null;
  readonly scope: Rule['scope'];
  readonly scope_of: string | null;
  readonly state: 'in_force' | 'over' | 'ended';
  readonly until: string | null;
  readonly said_by: string;
  readonly said_tier: Rule['said_tier'];
  readonly source_message_id: string | null;
  readonly origin: Rule['origin'];
  readonly made_at: string;
  readonly ended_at: string | null;
  readonly ended_by: string | null;
}

export const ruleShape = (persona: string, rule: Rule, now: number): RuleShape => ({
  id: rule.id,
  persona,
  text: rule.text,
  effect: rule.effect,
  tools: rule.tools,
  whom: rule.whom,
  target: targetOfRule(rule),
  scope: rule.scope,
  scope_of: rule.scope_of,
  state: rule.ended_at !== null ? 'ended' : rule.until !== null && rule.until <= now ? 'over' : 'in_force',
  until: rule.until === null ? null : iso(rule.until),
  said_by: rule.said_by,
  said_tier: rule.said_tier,
  source_message_id: rule.source_message_id,
  origin: rule.origin,
  made_at: iso(rule.made_at),
  ended_at: rule.ended_at === null ? null : iso(rule.ended_at),
  ended_by: rule.ended_by,
});

/** What alone a rule lets be changed that yeses have taught; null: it is none, or is for mail to people. */
export function targetOfRule(rule: Rule): string | null {
  const taught = taughtIn(rule);
  return taught === null ? null : likenessIn(taught.likeness).target;
}

/** A page of one persona after another, newest first in each. */
export async function listRules(
  { live, stores }: QueryPorts,
  { persona, after, limit }: Omit<Page, 'status'>,
  { all, now }: { readonly all: boolean; readonly now: number },
): Promise<{ readonly rules: readonly RuleShape[]; readonly next: string | null }> {
  const found: RuleShape[] = [];
  let from = after;
  for (const { id } of live.personas().all()) {
    if ((persona !== undefined && persona !== id) || !stores.exists(id) || found.length >= limit) continue;
    const start = from;
    const isIn = start === undefined || (await stores.use(id, (store) => store.rulesByIds([start]))).length > 0;
    if (!isIn) continue;
    const page = { all, now, limit: limit - found.length, ...(start === undefined ? {} : { after: start }) };
    for (const rule of await stores.use(id, (store) => store.listRules(page))) found.push(ruleShape(id, rule, now));
    from = undefined;
  }
  return { rules: found, next: found.length < limit ? null : (found.at(-1)?.id ?? null) };
}

/** Throws `not_found`. */
export async function ruleNamed(ports: QueryPorts, id: string): Promise<{ persona: string; rule: Rule }> {
  const found = await findAcross(ports, async (store) => (await store.rulesByIds([id]))[0]);
  if (!found) throw noRule(id);
  return { persona: found.persona, rule: found.row };
}
