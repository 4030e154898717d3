import { actRow } from '../on-record.ts';
import type { StoresAndClock } from '../ports.ts';

export type OutboxChange = 'retry' | 'drop';

/** Has a queued mail tried at once, puts a failed, unknown or dropped one, or a deleted draft, back, or takes an unsent one out. */
export async function changeOutbox(
  { announce, stores, clock, ids }: StoresAndClock,
  {
    personaId,
    id,
    change,
    by,
  }: {
    readonly personaId: string;
    readonly id: string;
    readonly change: OutboxChange;
    /** Who does it, an address or `cli`; null: it stands on record by another act. */
    readonly by: string | null;
  },
): Promise<'changed' | 'wrong_state'> {
  const now = clock.now();
  const event = change === 'retry' ? 'mail_sent_again' : 'mail_given_up';
  const audit = by === null ? [] : [actRow({ clock, ids }, { by, event, detail: { outbox_id: id } })];
  return announce(personaId, now, () =>
    stores.use(personaId, (store) => store.changeOutbox({ id, change, now, audit })),
  );
}

/** All mail of this persona that waits for another try is tried at once; how many. */
export async function hurryOutbox(
  { announce, stores, clock }: Omit<StoresAndClock, 'ids'>,
  personaId: string,
): Promise<number> {
  const now = clock.now();
  return announce(personaId, now, () => stores.use(personaId, (store) => store.hurryOutbox(now)));
}

const ALL = 1_000_000;

/** The same for all mail of this persona that has failed; how many. What changes meanwhile is left alone. */
export async function changeFailed(
  ports: StoresAndClock,
  { personaId, change, by }: { personaId: string; change: OutboxChange; by: string },
): Promise<number> {
  const failed = await ports.stores.use(personaId, (store) => store.listOutbox({ limit: ALL, status: 'failed' }));
  let changed = 0;
  for (const { id } of failed) {
    if ((await changeOutbox(ports, { personaId, id, change, by })) === 'changed') changed += 1;
  }
  return changed;
}
