import type { Log } from '#contract';
import type { Configs } from '../config/types.ts';
import { scopeOfMail } from '../learning/places.ts';
import { refinementAfter } from '../learning/refine/after-run.ts';
import { capture, MOST_SCENARIOS } from '../learning/scenarios/capture.ts';
import { learningOf } from '../learning/settings.ts';
import type { Clock } from '../lib/clock.ts';
import type { PassCrashPoint } from '../lib/crash-points.ts';
import type { Ids } from '../lib/ids.ts';
import { foldEvents } from '../record/fold.ts';
import { playbookScenario } from '../record/jobs/job-kinds.ts';
import { handleJobs, type JobHandler } from '../record/jobs/jobs.ts';
import { readLog } from '../record/run-log.ts';
import type { Blobs } from '../storage/blobs.ts';
import type { LoadedRun } from '../storage/ports/runs.ts';
import type { Store } from '../storage/ports/store.ts';
import type { JudgedOutcome, PlaybookScenario } from '../storage/types/learning/playbooks.ts';

interface ScenarioDeps {
  configs(): Pick<Configs, 'inference' | 'system'>;
  artifactsOf(personaId: string): Blobs;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly pass: PassCrashPoint;
}

/**
 * Keeps a run as an example for its kind of work, once it is known how it went, and anew when somebody has judged it. A
 * better version is looked for when that example is there.
 */
export function createScenarioKeeper(deps: ScenarioDeps): JobHandler {
  return handleJobs(playbookScenario, async (persona, job, store) => {
    const { run_id: runId, after } = job.payload;
    const configs = deps.configs();
    const { enabled } = learningOf(persona, configs.system);
    const loaded = enabled ? await store.loadRun(runId) : undefined;
    const judged = loaded && (await store.outcomeOfRun(runId));
    const scenario =
      loaded && judged
        ? scenarioOf(deps, loaded, {
            judged,
            isClean: await isAnsweredClean(store, loaded),
            artifacts: deps.artifactsOf(persona.id),
          })
        : null;
    const isNew = judged !== undefined && after === 'outcome';
    const jobs = isNew ? refinementAfter(judged, { persona, configs, now: deps.clock.now() }) : [];
    const before = await store.settleScenario(runId, scenario, { jobId: job.id, most: MOST_SCENARIOS, jobs });
    if (judged && before.length > 0)
      deps.log.info({ persona: persona.id, kind: judged.kind, run: runId }, 'a better playbook is looked for already');
    deps.pass('learning.scenario');
  });
}

/** Mails of its thread; its answer is among the newest. */
const LOOKED_AT = 20;

/** Its answer says whether the run was shown words of others; one without an answer is taken to have been. */
async function isAnsweredClean(store: Pick<Store, 'threadMessages'>, { run }: LoadedRun): Promise<boolean> {
  const mails = await store.threadMessages(run.thread_id, LOOKED_AT);
  return mails.find(({ message_id: id }) => id === run.reply_message_id)?.clean === 1;
}

function scenarioOf(
  deps: Pick<ScenarioDeps, 'clock' | 'ids'>,
  loaded: LoadedRun,
  {
    judged,
    isClean,
    artifacts,
  }: { readonly judged: JudgedOutcome; readonly isClean: boolean; readonly artifacts: Blobs },
): PlaybookScenario | null {
  const { run } = loaded;
  const state = foldEvents(readLog(loaded.events, artifacts));
  const scope = scopeOfMail(loaded);
  const captured = capture({
    scope,
    judged,
    tier: run.tier,
    outcomes: state.outcomes,
    answer: state.lastText,
    dueTime: run.kind === 'task' ? run.id : null,
  });
  if (captured === null) return null;
  const isFromOutside = run.tier !== 'owner' && run.tier !== 'member';
  const hasOthersWords = isFromOutside || !isClean;
  const now = deps.clock.now();
  return {
    id: deps.ids.next(),
    kind: judged.kind,
    run_id: run.id,
    thread_id: hasOthersWords ? '' : run.thread_id,
    verdict: captured.verdict,
    hash: captured.hash,
    scenario_json: captured.json,
    tainted: hasOthersWords ? 1 : 0,
    created_at: now,
    used_at: now,
  };
}
