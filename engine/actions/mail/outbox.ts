import type { Clock } from '../../lib/clock.ts';
import type { Announce } from '../../record/jobs/jobs.ts';
import type { Stores } from '../../storage/ports/store.ts';

export type OutboxChange = 'retry' | 'drop';

/** Has a queued mail tried at once, puts a failed, unknown or dropped one, or a deleted draft, back, or takes an unsent one out. */
export async function changeOutbox(
  { announce, stores, clock }: { announce: Announce; stores: Stores; clock: Clock },
  { personaId, id, change }: { personaId: string; id: string; change: OutboxChange },
): Promise<'changed' | 'wrong_state'> {
  const now = clock.now();
  return announce(personaId, now, () => stores.use(personaId, (store) => store.changeOutbox({ id, change, now })));
}

/** All mail of this persona that waits for another try is tried at once; how many. */
export async function hurryOutbox(
  { announce, stores, clock }: { announce: Announce; stores: Stores; clock: Clock },
  personaId: string,
): Promise<number> {
  const now = clock.now();
  return announce(personaId, now, () => stores.use(personaId, (store) => store.hurryOutbox(now)));
}

const ALL = 1_000_000;

/** The same for all mail of this persona that has failed; how many. What changes meanwhile is left alone. */
export async function changeFailed(
  ports: { announce: Announce; stores: Stores; clock: Clock },
  { personaId, change }: { personaId: string; change: OutboxChange },
): Promise<number> {
  const failed = await ports.stores.use(personaId, (store) => store.listOutbox({ limit: ALL, status: 'failed' }));
  let changed = 0;
  for (const { id } of failed) {
    if ((await changeOutbox(ports, { personaId, id, change })) === 'changed') changed += 1;
  }
  return changed;
}
