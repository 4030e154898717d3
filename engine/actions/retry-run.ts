import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { GatewayStore } from '../storage/ports/gateway.ts';
import type { Stores } from '../storage/ports/store.ts';
import type { StoredRun } from '../storage/types/runs.ts';

export interface RetryPorts {
  readonly gateway: Pick<GatewayStore, 'bumpWakeup'>;
  readonly stores: Stores;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Answers the mail of a failed, cancelled or partial run once more, in a new run. */
export async function retryRun(
  { gateway, stores, clock, ids }: RetryPorts,
  { personaId, id, by }: { personaId: string; id: string; by: string },
): Promise<StoredRun | 'retried' | 'not_found' | 'not_failed'> {
  const now = clock.now();
  await gateway.bumpWakeup(personaId, now);
  const newId = ids.next();
  return stores.use(personaId, (store) => store.retryRun({ id, newId, now, by }));
}
