import type { Persona } from '../config/types.ts';
import { type CancelDeps, endCancelled, SEIZED_MS } from '../harness/cancelled.ts';
import { localDay } from '../lib/schedule/zone.ts';
import type { Announce } from '../record/jobs/jobs.ts';
import { FencedError } from '../storage/ports/runs.ts';
import type { Store } from '../storage/ports/store.ts';
import type { StoredRun } from '../storage/types/runs.ts';

const LOOK_MS = 50;
const LOOKS = 200;

/**
 * Ends a run that is not over: whoever works on it is cut off within a moment, and its sender is told once. A gateway
 * that is running may see the seized run first and end it in our place; then its row is waited for.
 */
export async function cancelRun(
  deps: CancelDeps & { readonly announce: Announce },
  { persona, store, id, by }: { persona: Persona; store: Store; id: string; by: string },
): Promise<StoredRun | 'not_found' | 'ended'> {
  const { clock, ids } = deps;
  const now = clock.now();
  const day = localDay(now, persona.timezone);
  const seizure = { id, day, now, by, instance: ids.next(), leaseMs: SEIZED_MS };
  // The reply has to leave, and the thread is free for whatever waits behind the run.
  const loaded = await deps.announce(persona.id, now, () => store.seizeRun(seizure));
  if (typeof loaded === 'string') return loaded;
  try {
    await endCancelled(deps, { loaded, persona, store });
  } catch (error) {
    if (!(error instanceof FencedError)) throw error;
  }
  for (let look = 0; look < LOOKS; look += 1) {
    const run = await store.getRun(id);
    if (run?.status === 'cancelled') return run;
    await clock.sleep(LOOK_MS);
  }
  throw new Error(`run ${id} is marked as cancelled, and its end is not on record yet`);
}
