import { EngineError } from '#contract';
import { didYouMean } from '../config/problems/problem.ts';
import type { PersonaEntry } from '../config/types.ts';
import { nearestOf } from '../lib/text/nearest.ts';
import type { Store } from '../storage/ports/store.ts';

import type { QueryPorts } from './ports.ts';

/** The first persona in whose database `read` finds something: an id does not say whose it is. */
export async function findAcross<Row>(
  { live, stores }: QueryPorts,
  read: (store: Store) => Promise<Row | undefined>,
): Promise<{ persona: string; row: Row } | undefined> {
  for (const { id: persona } of live.personas().all()) {
    if (!stores.exists(persona)) continue;
    const row = await stores.use(persona, read);
    if (row !== undefined) return { persona, row };
  }
  return undefined;
}

/** The persona of that id or address. Throws `not_found` with the nearest name. */
export function personaNamed({ live }: QueryPorts, name: string): PersonaEntry {
  const personas = live.personas();
  const entry = personas.get(name) ?? (name.includes('@') ? personas.byAddress(name) : undefined);
  if (entry) return entry;
  const nearest = nearestOf(
    name,
    [...personas.all()].map(({ id }) => id),
  );
  throw new EngineError(
    'not_found',
    `no persona is named ${name}${didYouMean(nearest) || '; see `epistle persona list`'}`,
  );
}

/** Where there is one persona alone, it is meant. Throws `usage`. */
export function onlyPersona(ids: readonly string[], ask = 'say whose memory: --persona'): string {
  const [only, ...others] = ids;
  if (only === undefined || others.length > 0) throw new EngineError('usage', ask);
  return only;
}
