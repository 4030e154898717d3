import { EngineError } from '#contract';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import { type ActiveDeps, hasRoomFor, keepActive } from '../memory/active/keep.ts';
import { edited } from '../memory/facts/decide.ts';
import type { Store, Stores } from '../storage/ports/store.ts';
import type { AuditRecord } from '../storage/types/approvals.ts';
import type { Fact } from '../storage/types/facts.ts';
import { actRow } from './on-record.ts';

interface Ports extends ActiveDeps {
  readonly stores: Stores;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** What an owner writes takes the place of what there was; the old row stays, with its successor. */
export async function editFact(
  ports: Ports,
  { personaId, id, text }: { personaId: string; id: string; text: string },
): Promise<Fact> {
  const wanted = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  if (wanted === '' || wanted.length > 300) throw new EngineError('usage', 'a fact has 1 to 300 characters');
  const { stores, clock, ids } = ports;
  return stores.use(personaId, async (store) => {
    const old = await store.factById(id);
    if (!old || old.status === 'forgotten') throw new EngineError('not_found', `nothing is remembered as ${id}`);
    const fact = edited(old, wanted, { id: `f${ids.random(5)}`, now: clock.now() });
    if (!(await hasRoomFor(store, fact, { replaces: old.id, now: clock.now() })))
      throw new EngineError('usage', 'active.md has no room for so much: shorten it, or forget something first');
    await store.changeFacts([{ change: 'add', fact, replaces: old.id }]);
    await keepActive(ports, personaId, store);
    return fact;
  });
}

/**
 * Forgets one fact, what a mail said, or all from and about somebody; how many rows that were. Who asked for it is on record,
 * with no word of what was forgotten.
 */
export async function forgetBy(
  ports: Ports,
  wanted: { readonly personaId: string } & Wanted,
  by: string,
): Promise<number> {
  const of = 'person' in wanted ? 'a person' : 'message' in wanted ? 'a mail' : 'one thing';
  const told = (things: number) => [actRow(ports, { by, event: 'forgotten', detail: { of, things } })];
  return ports.stores.use(wanted.personaId, async (store) => {
    const things = await forgetIn(store, wanted, told);
    await keepActive(ports, wanted.personaId, store);
    return things;
  });
}

type Wanted = { readonly id: string } | { readonly message: string } | { readonly person: string };

/** `told` goes with the first of its transactions: whatever a crash leaves to be forgotten, it stands there who asked for it. */
async function forgetIn(
  store: Store,
  wanted: Wanted,
  told: (things: number) => readonly AuditRecord[],
): Promise<number> {
  if ('id' in wanted) {
    await store.forgetFacts([wanted.id], told(1));
    return 1;
  }
  if ('person' in wanted) {
    const ids = await store.factsOfPerson(wanted.person);
    const rules = await store.forgetRules({ person: wanted.person }, (gone) => told(ids.length + gone));
    await store.forgetFacts(ids);
    await store.forgetInIndex({ person: wanted.person });
    return ids.length + rules;
  }
  const messages = await store.messagesByMessageId(wanted.message);
  const ids = (await Promise.all(messages.map(({ id }) => store.factsOfMessage(id)))).flat();
  const said = { messages: messages.map(({ id }) => id) };
  const rules = await store.forgetRules(said, (gone) => told(ids.length + gone));
  await store.forgetFacts(ids);
  await store.forgetInIndex({ messages: messages.map(({ seq }) => seq) });
  return ids.length + rules;
}
