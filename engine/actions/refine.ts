import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import { refineJob } from '../record/jobs/job-kinds.ts';
import type { Announce } from '../record/jobs/jobs.ts';
import type { Stores } from '../storage/ports/store.ts';
import type { Refinement } from '../storage/types/learning/refinements.ts';
import { type Refusal, refusal } from './refusal.ts';

interface Ports {
  readonly announce: Announce;
  readonly stores: Stores;
  readonly clock: Clock;
  readonly ids: Ids;
}

const LOOK_MS = 200;

/** Asks for a better version of a playbook; the job does it, and one at a time. The attempt before this one, if any. */
export function askRefinement(
  { announce, stores, clock, ids }: Ports,
  { personaId, kind }: { readonly personaId: string; readonly kind: string },
): Promise<{ readonly before: string | null } | Refusal> {
  return stores.use(personaId, async (store) => {
    const newest = await store.newestOutcomeOfKind(kind);
    if (!newest) return refusal('NO_RECENT_OUTCOME', `no run of kind ${kind} is on record`);
    const before = (await store.refinements(kind, 1))[0]?.id ?? null;
    const now = clock.now();
    const job = refineJob({ kind, id: ids.next(), run_id: newest.run_id, asked_by: 'owner' }, now);
    await announce(personaId, now, () => store.addJobs([job]));
    return { before };
  });
}

/** The attempt after `before`, when it is over; null where that takes longer than `waitMs`. */
export async function waitForRefinement(
  { stores, clock }: Pick<Ports, 'stores' | 'clock'>,
  wanted: { readonly personaId: string; readonly kind: string; readonly before: string | null },
  waitMs: number,
): Promise<Refinement | null> {
  const until = clock.now() + waitMs;
  for (;;) {
    const [last] = await stores.use(wanted.personaId, (store) => store.refinements(wanted.kind, 1));
    if (last && last.id !== wanted.before) return last;
    if (clock.now() >= until) return null;
    await clock.sleep(LOOK_MS);
  }
}
