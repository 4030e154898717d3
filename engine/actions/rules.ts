import { EngineError } from '#contract';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import { noRule } from '../storage/ports/not-found.ts';
import type { Store, Stores } from '../storage/ports/store.ts';
import type { AuditRecord } from '../storage/types/approvals.ts';
import type { Rule, RuleChange } from '../storage/types/rules.ts';
import { rowOf } from './on-record.ts';

interface Ports {
  readonly stores: Stores;
  readonly clock: Clock;
  readonly ids: Ids;
}

interface Wanted {
  readonly personaId: string;
  readonly id: string;
  /** An owner's address, or `command`. */
  readonly by: string;
}

/** It holds no more from the next call on. Throws `usage` for one that holds no more already. */
export const removeRule = (ports: Ports, wanted: Wanted): Promise<Rule> =>
  changed(ports, wanted, async (rule, { at, by }) => {
    if (!holds(rule, at))
      throw new EngineError('usage', `rule ${rule.id} holds no more; \`epistle rules undo\` has it hold again`);
    return [{ change: 'end', id: rule.id, by, at }];
  });

/**
 * Takes the last change of a rule back: one that holds ends, and what it took the place of holds again; one that was ended
 * holds again, and what took its place ends.
 */
export const undoRule = (ports: Ports, wanted: Wanted): Promise<Rule> =>
  changed(ports, wanted, async (rule, { at, by, store }) => {
    const all = await store.listRules({ all: true, limit: EVERYTHING, now: at });
    if (holds(rule, at))
      return [
        { change: 'end', id: rule.id, by, at },
        ...all.filter(({ ended_by }) => ended_by === rule.id).map(({ id }) => ({ change: 'revive', id }) as const),
      ];
    if (rule.ended_at === null) throw new EngineError('usage', `the time of rule ${rule.id} is over`);
    const after = all.find(({ id, ended_at }) => id === rule.ended_by && ended_at === null);
    return [
      { change: 'revive', id: rule.id },
      ...(after === undefined ? [] : [{ change: 'end', id: after.id, by, at } as const]),
    ];
  });

const EVERYTHING = 100_000;

const holds = ({ ended_at, until }: Rule, now: number): boolean => ended_at === null && (until === null || until > now);

async function changed(
  { stores, clock, ids }: Ports,
  { personaId, id, by }: Wanted,
  decide: (
    rule: Rule,
    around: { readonly at: number; readonly by: string; readonly store: Store },
  ) => Promise<readonly RuleChange[]>,
): Promise<Rule> {
  return stores.use(personaId, async (store) => {
    const [rule] = await store.rulesByIds([id]);
    if (!rule) throw noRule(id);
    const at = clock.now();
    const changes = await decide(rule, { at, by, store });
    await store.changeRules(
      changes,
      changes.flatMap((change) =>
        change.change === 'add' ? [] : [auditOf(change, { id: ids.next(), at, actor: by })],
      ),
    );
    const [now] = await store.rulesByIds([id]);
    return now ?? rule;
  });
}

const auditOf = (
  { change, id: rule }: Exclude<RuleChange, { change: 'add' }>,
  row: Pick<AuditRecord, 'id' | 'at' | 'actor'>,
): AuditRecord => rowOf({ ...row, event: change === 'end' ? 'rule_ended' : 'rule_kept', detail: { rule } });
