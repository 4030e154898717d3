import type { Clock } from '../lib/clock.ts';
import type { GatewayStore } from '../storage/ports/gateway.ts';
import type { Stores } from '../storage/ports/store.ts';

export type OutboxChange = 'retry' | 'drop';

/** Puts a failed, unknown or dropped mail back, or takes an unsent one out. */
export async function changeOutbox(
  { gateway, stores, clock }: { gateway: Pick<GatewayStore, 'bumpWakeup'>; stores: Stores; clock: Clock },
  { personaId, id, change }: { personaId: string; id: string; change: OutboxChange },
): Promise<'changed' | 'wrong_state'> {
  const now = clock.now();
  // First, so that a gateway cannot miss what is committed next.
  await gateway.bumpWakeup(personaId, now);
  return stores.use(personaId, (store) => store.changeOutbox({ id, change, now }));
}
