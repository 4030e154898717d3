import type { StoredRun } from '../storage/types/runs.ts';
import { actRow } from './on-record.ts';
import type { StoresAndClock } from './ports.ts';

/**
 * Answers the mail of a run once more, in a new run: of one that `mayBeTriedAgain`, and that is the newest of its mail. `not_failed` also
 * where it carried out what an owner had decided, which is done once.
 */
export async function retryRun(
  { announce, stores, clock, ids }: StoresAndClock,
  { personaId, id, by }: { personaId: string; id: string; by: string },
): Promise<StoredRun | 'retried' | 'not_found' | 'not_failed'> {
  const now = clock.now();
  const newId = ids.next();
  const audit = [actRow({ clock, ids }, { by, event: 'run_retried', runId: id })];
  return announce(personaId, now, () =>
    stores.use(personaId, (store) => store.retryRun({ id, newId, now, by, audit })),
  );
}
