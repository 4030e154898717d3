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
import type { PlaybookOutcome } from '../storage/types/learning/playbooks.ts';
import type { StoredRun } from '../storage/types/runs.ts';

/** How a run went is found out once its mail has left, or will not. */
export const outcomeAfterRun = ({ run }: Pick<LoadedRun, 'run'>, now: number): readonly NewJob[] =>
  run.kind === 'delegation' ? [] : [playbookOutcomeJob(run.id, now + FIRST_MS)];

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

/** Ends of a mail: it is there, it is not, or nobody knows yet. */
type Delivery = 'delivered' | 'not_delivered' | 'open';

/** A refusal by policy is no failure of a tool, and a call that was not made is none. */
const NO_FAILURE = /^(?:policy_|skipped$)/;
const ANSWERED: ReadonlySet<string> = new Set(['final', 'clarification']);

/**
 * How a run went, by nothing but what is on record of it. Null: nothing was to be learned of it. `advised`: the tools of
 * the steps that its playbook advises.
 */
function outcomeOf(
  run: StoredRun,
  log: RunLog,
  of: { readonly isDelivered: boolean; readonly advised: readonly string[]; readonly at: number },
): PlaybookOutcome | null {
  const selected = log.last('playbook_selected')?.data;
  if (!selected) return null;
  const { mode } = selected;
  const observed = log.of('observation').map(({ data }) => data);
  const isBroken = observed.some(({ ok, code }) => !ok && !NO_FAILURE.test(code ?? ''));
  const left = log.has('playbook_left');
  const ended = log.last('run_ended')?.data;
  const steps = new Set(log.of('playbook_step').map(({ data }) => data.call.id));
  const byModel = observed.filter(({ call_id, same_as }) => same_as === undefined && !steps.has(call_id));
  const delegated = mode === 'policy' && (left || byModel.length > 0);
  const isDone = mode === 'policy' ? steps.size > 0 && !delegated : follows(observed, of.advised);
  const wasStopped = observed.some(({ code, call_id }) => code === 'policy_denied' && deniedByPlaybook(log, call_id));
  // Nothing was done since the playbook forbids it: that is what it is for, and no failure of its own.
  const isKeptFrom = wasStopped && log.last('receipt')?.data.in_vain === true;
  return {
    run_id: run.id,
    thread_id: run.thread_id,
    kind: selected.kind,
    version_id: selected.version_id ?? null,
    mode,
    succeeded: flag((ANSWERED.has(ended?.outcome ?? '') || isKeptFrom) && of.isDelivered),
    failed: flag(isBroken || ended?.status === 'failed' || run.crashes > 0 || hasBroken(log)),
    used: flag(mode !== 'none'),
    delegated: flag(delegated),
    followed: flag(mode !== 'none' && isDone && !wasStopped),
    model_calls: run.model_calls,
    tokens: run.input_tokens + run.output_tokens,
    at: of.at,
  };
}

const flag = (is: boolean): 0 | 1 => (is ? 1 : 0);

/** A playbook that stands aside has not failed; one whose step does not bring what it is to bring has. */
const hasBroken = (log: RunLog): boolean => log.of('playbook_left').some(({ data }) => data.reason === 'unexpected');

const deniedByPlaybook = (log: RunLog, callId: string): boolean =>
  log.lastOfCall('permission', callId)?.data.by.startsWith('playbook ') ?? false;

/** Whether all that was advised was done, in its order, with whatever else between. */
function follows(
  observed: readonly { readonly tool: string; readonly ok: boolean }[],
  advised: readonly string[],
): boolean {
  if (advised.length === 0) return false;
  let next = 0;
  for (const { tool, ok } of observed) if (ok && tool === advised[next]) next += 1;
  return next === advised.length;
}
