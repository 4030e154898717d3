import { EngineError } from '#contract';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import { edited } from '../memory/facts/edited.ts';
import type { Stores } from '../storage/ports/store.ts';
import type { Fact } from '../storage/types/facts.ts';

interface Ports {
  readonly stores: Stores;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** What an owner writes takes the place of what there was; the old row stays, with its successor. */
export async function editFact(
  { stores, clock, ids }: Ports,
  { personaId, id, text }: { personaId: string; id: string; text: string },
): Promise<Fact> {
  const wanted = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  if (wanted === '' || wanted.length > 300) throw new EngineError('usage', 'a fact has 1 to 300 characters');
  return stores.use(personaId, async (store) => {
    const old = await store.factById(id);
    if (!old || old.status === 'forgotten') throw new EngineError('not_found', `nothing is remembered as ${id}`);
    const fact = edited(old, wanted, { id: `f${ids.random(5)}`, now: clock.now() });
    await store.changeFacts([{ change: 'add', fact, replaces: old.id }]);
    return fact;
  });
}

/** One fact, what a mail said, or all from and about somebody; how many rows that were. */
export async function forgetFacts(
  { stores }: Pick<Ports, 'stores'>,
  wanted: { readonly personaId: string } & (
    | { readonly id: string }
    | { readonly message: string }
    | { readonly person: string }
  ),
): Promise<number> {
  return stores.use(wanted.personaId, async (store) => {
    if ('id' in wanted) {
      await store.forgetFacts([wanted.id]);
      return 1;
    }
    if ('person' in wanted) {
      const ids = await store.factsOfPerson(wanted.person);
      await store.forgetFacts(ids);
      await store.forgetInIndex({ person: wanted.person });
      return ids.length;
    }
    const messages = await store.messagesByMessageId(wanted.message);
    const ids = (await Promise.all(messages.map(({ id }) => store.factsOfMessage(id)))).flat();
    await store.forgetFacts(ids);
    await store.forgetInIndex({ messages: messages.map(({ seq }) => seq) });
    return ids.length;
  });
}
