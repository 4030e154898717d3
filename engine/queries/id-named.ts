import { EngineError } from '#contract';
import type { LookedUp } from '../storage/ports/store.ts';
import type { QueryPorts } from './ports.ts';

const WHOLE = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const SINGULAR = { runs: 'run', approvals: 'approval', outbox: 'outgoing mail', threads: 'thread' } as const;
const SHOWN = 5;

/**
 * The id that is meant: a whole one, the beginning or the end of one that no other has, or `last` for the newest. What
 * fits none is given back as it is. Throws `usage` where several fit.
 */
export async function idNamed({ live, stores }: QueryPorts, of: LookedUp['of'], given: string): Promise<string> {
  if (WHOLE.test(given) || given === '') return given;
  const isLast = given === 'last';
  const wanted = { of, part: isLast ? '' : given, limit: isLast ? 1 : SHOWN };
  const found: string[] = [];
  for (const { id: persona } of live.personas().all()) {
    if (stores.exists(persona)) found.push(...(await stores.use(persona, (store) => store.idsLike(wanted))));
  }
  const newestFirst = found.toSorted().reverse();
  return isLast ? (newestFirst[0] ?? given) : onlyOf(newestFirst, SINGULAR[of], given);
}

/** Pure. The one of `ids` that is meant by a part of it. */
export function onlyOf(ids: readonly string[], what: string, given: string): string {
  const [only = given, ...others] = ids;
  if (others.length === 0 || ids.includes(given)) return others.length === 0 ? only : given;
  throw new EngineError('usage', `more than one ${what} fits ${given}: ${ids.slice(0, SHOWN).join(', ')}`);
}
