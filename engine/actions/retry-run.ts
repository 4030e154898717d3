import type { StoredRun } from '../storage/types/runs.ts';
import { onRecord } from './on-record.ts';
import type { StoresAndClock } from './ports.ts';

/** Answers the mail of a failed, cancelled or partial run once more, in a new run. */
export async function retryRun(
  { announce, stores, clock, ids }: StoresAndClock,
  { personaId, id, by }: { personaId: string; id: string; by: string },
): Promise<StoredRun | 'retried' | 'not_found' | 'not_failed'> {
  const now = clock.now();
  const newId = ids.next();
  return announce(personaId, now, () =>
    stores.use(personaId, async (store) => {
      const run = await store.retryRun({ id, newId, now, by });
      if (typeof run !== 'string') await onRecord({ clock, ids }, store, { by, event: 'run_retried', runId: id });
      return run;
    }),
  );
}
