import { refineJob } from '../record/jobs/job-kinds.ts';
import type { Refinement } from '../storage/types/learning/refinements.ts';
import type { StoresAndClock } from './ports.ts';
import { type Refusal, refusal } from './refusal.ts';

export const noRunOfKind = (kind: string): Refusal =>
  refusal('NO_RECENT_OUTCOME', `no run of kind ${kind} is on record`);

const LOOK_MS = 200;

/** Asks for a better version of a playbook; the job does it, and one at a time. The attempt before this one, if any. */
export function askRefinement(
  { announce, stores, clock, ids }: StoresAndClock,
  { personaId, kind }: { readonly personaId: string; readonly kind: string },
): Promise<{ readonly before: string | null } | Refusal> {
  return stores.use(personaId, async (store) => {
    const newest = await store.newestOutcomeOfKind(kind);
    if (!newest) return noRunOfKind(kind);
    const before = (await store.refinements(kind, 1))[0]?.id ?? null;
    const now = clock.now();
    const job = refineJob({ kind, id: ids.next(), run_id: newest.run_id, asked_by: 'owner' }, now);
    await announce(personaId, now, () => store.addJobs([job]));
    return { before };
  });
}

/** The attempt after `before`, when it is over; null where that takes longer than `waitMs`. */
export async function waitForRefinement(
  { stores, clock }: Pick<StoresAndClock, 'stores' | 'clock'>,
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
