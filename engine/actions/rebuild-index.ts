import type { Clock } from '../lib/clock.ts';
import type { Announce } from '../record/jobs/jobs.ts';
import type { Stores } from '../storage/ports/store.ts';

/** Empties the search index of a persona; a running gateway makes it anew, in pieces, the newest mail first. */
export async function rebuildIndex(
  { announce, stores, clock }: { announce: Announce; stores: Stores; clock: Clock },
  personaId: string,
): Promise<void> {
  await announce(personaId, clock.now(), () => stores.use(personaId, (store) => store.forgetIndex()));
}
