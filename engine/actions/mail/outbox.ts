import type { Clock } from '../../lib/clock.ts';
import type { Announce } from '../../record/announce.ts';
import type { Stores } from '../../storage/ports/store.ts';

export type OutboxChange = 'retry' | 'drop';

/** Puts a failed, unknown or dropped mail, or a deleted draft, back, or takes an unsent one out. */
export async function changeOutbox(
  { announce, stores, clock }: { announce: Announce; stores: Stores; clock: Clock },
  { personaId, id, change }: { personaId: string; id: string; change: OutboxChange },
): Promise<'changed' | 'wrong_state'> {
  const now = clock.now();
  return announce(personaId, now, () => stores.use(personaId, (store) => store.changeOutbox({ id, change, now })));
}
