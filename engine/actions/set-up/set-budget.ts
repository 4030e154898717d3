import { personaFileOf } from '../../config/persona-file.ts';
import type { PersonaFile } from '../../config/types.ts';
import { planChange } from '../../config/writing/change.ts';
import type { Setting } from '../../config/writing/settings.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Stores } from '../../storage/ports/store.ts';
import { onRecord, recordFirst } from '../on-record.ts';
import { presentPersona } from './edit-persona.ts';

/** What a persona may spend; null: no limit. */
export type Spendable = PersonaFile['budget'];

type Limits = { readonly [Limit in keyof Spendable]?: number | null };

interface BudgetPorts {
  readonly root: string;
  readonly stores: Pick<Stores, 'use'>;
  readonly clock: Clock;
  readonly ids: Ids;
}

/**
 * Writes into the file of a persona what it may spend (null: no limit), and on record who said so, from what to what. `shown`:
 * what whoever says so has seen of these limits; false where the file says something else by now, and nothing is written.
 * Throws `config_invalid` where the file is wrong, and as `planChange` does.
 */
export async function setBudget(
  { root, stores, clock, ids }: BudgetPorts,
  {
    persona,
    limits,
    shown = {},
    by,
  }: { readonly persona: string; readonly limits: Limits; readonly shown?: Limits; readonly by: string },
): Promise<boolean> {
  const { budget } = presentPersona(root, persona);
  const names = (Object.keys(budget) as (keyof Spendable)[]).filter((name) => limits[name] !== undefined);
  if (names.some((name) => shown[name] !== undefined && shown[name] !== budget[name])) return false;
  const settings = names.map((name): Setting => {
    return { file: personaFileOf(persona), path: ['budget', name], to: limits[name] ?? undefined };
  });
  const planned = planChange(root, { settings });
  if (planned.changes.length === 0) return true;
  const detail = Object.fromEntries(names.map((name) => [name, { from: budget[name], to: limits[name] ?? null }]));
  const tell = (event: 'budget_set' | 'budget_not_set') =>
    stores.use(persona, (store) => onRecord({ clock, ids }, store, { by, event, detail }));
  await recordFirst((became) => tell(became === 'done' ? 'budget_set' : 'budget_not_set'), planned.write);
  return true;
}
