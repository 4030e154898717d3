import type { ReadPlaybook } from '../learning/read-playbook.ts';
import { KEPT_MEANWHILE } from '../learning/settings.ts';
import { type RatedVersion, versionsToDrop } from '../learning/versions/named.ts';
import type { Clock } from '../lib/clock.ts';
import type { PassCrashPoint } from '../lib/crash-points.ts';
import type { Ids } from '../lib/ids.ts';
import { playbookScenarioJob } from '../record/jobs/job-kinds.ts';
import type { Announce } from '../record/jobs/jobs.ts';
import type { ErasedLearning } from '../storage/ports/learning/playbooks.ts';
import type { Stores } from '../storage/ports/store.ts';
import type { JudgedOutcome, PlaybookVerdict, PlaybookVersion } from '../storage/types/learning/playbooks.ts';
import { noRunOfKind } from './refine.ts';
import { type Refusal, refusal } from './refusal.ts';

interface Ports {
  readonly stores: Stores;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Keeps what an owner wrote as the newest version of its kind, unless it is none that the persona may work by. */
export async function addPlaybook(
  { stores, clock, ids }: Ports,
  wanted: {
    readonly personaId: string;
    readonly kind: string;
    readonly read: ReadPlaybook;
    readonly rated: readonly RatedVersion[];
    readonly most: number;
  },
): Promise<PlaybookVersion | Refusal> {
  const { personaId, kind, read, rated, most } = wanted;
  if (!read.ok) return refusal(read.reason, read.detail);
  const newest = rated.at(-1)?.version;
  const number = (newest?.number ?? 0) + 1;
  const playbook = { ...read.playbook, meta: { ...read.playbook.meta, version: number } };
  const version: PlaybookVersion = {
    id: ids.next(),
    kind,
    number,
    parent_id: newest?.id ?? null,
    playbook_json: JSON.stringify(playbook),
    origin: 'owner',
    tainted: 0,
    score: null,
    created_at: clock.now(),
  };
  return stores.use(personaId, async (store) => {
    const drop = versionsToDrop(rated, await store.pinnedPlaybook(kind), most);
    if (await store.keepPlaybook(version, drop)) return version;
    return refusal('LOST_RACE', KEPT_MEANWHILE);
  });
}

/** The next runs of the kind work by this version, whatever is newer; null: by the newest again. */
export async function usePlaybook(
  { stores, clock, pass }: Ports & { readonly pass: PassCrashPoint },
  { personaId, kind, version }: { readonly personaId: string; readonly kind: string; readonly version: string | null },
): Promise<void> {
  await stores.use(personaId, (store) => store.pinPlaybook(kind, version, clock.now()));
  pass('learning.pinned');
}

/** Forgets what was learned of one kind, or of all. */
export const resetLearning = (
  { stores }: Ports,
  { personaId, kind }: { readonly personaId: string; readonly kind: string | null },
): Promise<ErasedLearning> => stores.use(personaId, (store) => store.eraseLearning(kind));

/** What an owner says of the newest run of a kind; null takes it back. */
export function judgeNewest(
  { stores, clock, announce }: Ports & { readonly announce: Announce },
  wanted: { readonly personaId: string; readonly kind: string; readonly verdict: PlaybookVerdict | null },
): Promise<JudgedOutcome | Refusal> {
  const { personaId, kind, verdict } = wanted;
  const now = clock.now();
  const judge = () =>
    stores.use(personaId, async (store) => {
      const outcome = await store.newestOutcomeOfKind(kind);
      if (!outcome) return noRunOfKind(kind);
      const { run_id: runId } = outcome;
      const jobs = [playbookScenarioJob(runId, verdict ?? 'clear', now)];
      await store.giveFeedback({ runId, verdict, by: 'cli', now, jobs });
      return { ...outcome, verdict };
    });
  return announce(personaId, now, judge);
}
