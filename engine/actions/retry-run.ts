import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { Announce } from '../record/jobs/jobs.ts';
import type { Stores } from '../storage/ports/store.ts';
import type { StoredRun } from '../storage/types/runs.ts';

interface RetryPorts {
  readonly announce: Announce;
  readonly stores: Stores;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Answers the mail of a failed, cancelled or partial run once more, in a new run. */
export async function retryRun(
  { announce, stores, clock, ids }: RetryPorts,
  { personaId, id, by }: { personaId: string; id: string; by: string },
): Promise<StoredRun | 'retried' | 'not_found' | 'not_failed'> {
  const now = clock.now();
  const newId = ids.next();
  return announce(personaId, now, () => stores.use(personaId, (store) => store.retryRun({ id, newId, now, by })));
}
