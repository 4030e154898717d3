import type { Configs, Persona } from '../config/types.ts';
import type { Clock } from '../lib/clock.ts';
import type { PassCrashPoint } from '../lib/crash-points.ts';
import { playbookOutcome, playbookOutcomeJob, playbookScenarioJob } from '../record/jobs/job-kinds.ts';
import { handleJobs, type JobHandler } from '../record/jobs/jobs.ts';
import { type RunLog, readLog } from '../record/run-log.ts';
import { readSettings } from '../record/settings.ts';
import type { Blobs } from '../storage/blobs.ts';
import type { LoadedRun } from '../storage/ports/runs.ts';
import type { Store } from '../storage/ports/store.ts';
import type { NewJob } from '../storage/types/jobs.ts';
import { type Delivery, outcomeOf } from './outcome.ts';
import { learningOf } from './settings.ts';

/** How a run went is found out once its mail has left, or will not; nothing where nothing is learned. */
export function outcomeAfterRun(
  { persona, configs }: { readonly persona: Persona; readonly configs: Pick<Configs, 'system'> },
  { run }: Pick<LoadedRun, 'run'>,
  now: number,
): readonly NewJob[] {
  if (run.kind === 'delegation' || !learningOf(persona, configs.system).enabled) return [];
  return [playbookOutcomeJob(run.id, now + FIRST_MS)];
}

/** A mail mostly leaves at once. */
const FIRST_MS = 500;
const MOST_MS = 60_000;
/** A mail that has not left by then has not arrived, as far as its playbook is concerned. */
const OVER_MS = 2 * 86_400_000;

export function createOutcomeKeeper(deps: {
  artifactsOf(personaId: string): Blobs;
  readonly clock: Clock;
  readonly pass: PassCrashPoint;
}): JobHandler {
  return handleJobs(playbookOutcome, async (persona, job, store) => {
    const loaded = await store.loadRun(job.payload.run_id);
    if (!loaded) return store.endJob(job.id);
    const { run } = loaded;
    const artifacts = deps.artifactsOf(persona.id);
    const log = readLog(loaded.events, artifacts);
    const now = deps.clock.now();
    const waited = now - (run.ended_at ?? now);
    const delivery = await deliveryOf(log, store);
    if (delivery === 'open' && waited < OVER_MS)
      return store.delayJob(job.id, now + Math.min(MOST_MS, Math.max(FIRST_MS, waited)));
    const isDelivered = delivery === 'delivered';
    const at = run.ended_at ?? now;
    const outcome = outcomeOf(run, log, { isDelivered, advised: await advisedIn(run.settings_sha256, artifacts), at });
    if (outcome === null) return store.endJob(job.id);
    await store.recordOutcome(outcome, job.id, [playbookScenarioJob(run.id, 'outcome', now)]);
    deps.pass('learning.outcome');
  });
}

const LEFT: ReadonlySet<string> = new Set(['sent', 'draft']);
const UNDER_WAY: ReadonlySet<string> = new Set(['queued', 'sending', 'unknown']);

async function deliveryOf(log: RunLog, store: Pick<Store, 'getOutbox'>): Promise<Delivery> {
  const id = log.last('reply_committed')?.data.outbox_id;
  // What nobody is to be sent is where it belongs.
  if (id === undefined) return 'delivered';
  const state = (await store.getOutbox(id))?.state ?? 'sent';
  return LEFT.has(state) ? 'delivered' : UNDER_WAY.has(state) ? 'open' : 'not_delivered';
}

async function advisedIn(settings: string | null, artifacts: Pick<Blobs, 'get'>): Promise<readonly string[]> {
  if (settings === null) return [];
  const { playbook } = readSettings(await artifacts.get(settings));
  return playbook?.playbook.steps.map(({ tool }) => tool) ?? [];
}
