import type { Configs, Persona } from '../config/types.ts';
import type { RegisteredTool, Registry } from '../extensions/types.ts';
import { kindOfWork } from '../learning/kind.ts';
import { type MailScope, restrictionsOf, scopeOfMail } from '../learning/places.ts';
import { learningOf, playbooksFor, type SelectedPlaybook } from '../learning/select.ts';
import { verdictIn } from '../learning/verdict.ts';
import {
  createStageCaller,
  type StageBooking,
  type StageOptions,
  stageSettings,
  stageTargets,
} from '../models/stage.ts';
import type { Intent } from '../record/codec/intent.ts';
import type { PinnedPlaybook } from '../record/codec/playbook.ts';
import { foldEvents, type LoopState } from '../record/fold.ts';
import { playbookScenarioJob } from '../record/jobs/job-kinds.ts';
import type { Recorder } from '../record/recorder.ts';
import { type RunLog, readLog } from '../record/run-log.ts';
import type { PinnedSettings, Target } from '../record/settings.ts';
import { taskOf } from '../record/trigger.ts';
import type { Blobs } from '../storage/blobs.ts';
import type { BudgetStore } from '../storage/ports/budget.ts';
import type { LearningStore } from '../storage/ports/learning/playbooks.ts';
import type { LoadedRun } from '../storage/ports/runs.ts';
import type { Store } from '../storage/ports/store.ts';
import type { BudgetLimits } from '../storage/types/budget.ts';
import type { Packet } from '../storage/types/suspensions.ts';
import { ownerName } from '../suspensions/asker.ts';
import { isCalendarFile } from '../tools/calendar/meetings.ts';
import type { Calls, PrepareContext } from '../tools/prepare.ts';
import type { Reading } from '../tools/run-surface.ts';
import { promptAsBuilt, settingsAsBuilt } from './context/as-built.ts';
import { MAX_ITERATIONS } from './context/intent/frame-mail.ts';
import type { FrameStage } from './context/intent/framed.ts';
import { CONDITION_CALL, checkCondition } from './loop/condition.ts';
import type { LoopRun } from './loop/loop-run.ts';
import { recipientsOf } from './respond/recipients.ts';
import { replyModeOf } from './respond/respond.ts';

/**
 * What a mail says of the newest run of its thread that can be judged is kept, where an owner writes it or whoever that
 * run was for. Such a mail wants no answer unless it says more; the end of its run, or null.
 */
export async function feedbackTaken(from: {
  readonly loaded: LoadedRun;
  readonly persona: Persona;
  readonly configs: Pick<Configs, 'system'>;
  readonly store: Pick<LearningStore, 'runToJudge' | 'giveFeedback'> & {
    getRun(id: string): Promise<{ readonly sender: string | null } | undefined>;
  };
  readonly now: number;
}): Promise<{ readonly status: 'done'; readonly outcome: string; readonly code: null } | null> {
  const { loaded, persona, configs, store, now } = from;
  const { run, message, trigger } = loaded;
  if (trigger.kind !== 'mail' || run.sender === null || !learningOf(persona, configs.system).enabled) return null;
  const said = verdictIn(message.new_text);
  const runId = said && (await store.runToJudge(run.thread_id));
  if (!said || !runId) return null;
  const isTheirs = run.tier !== 'unauthenticated' && (await store.getRun(runId))?.sender === run.sender;
  if (run.tier !== 'owner' && !isTheirs) return null;
  const jobs = [playbookScenarioJob(runId, said.verdict, now)];
  await store.giveFeedback({ runId, verdict: said.verdict, by: run.sender, now, jobs });
  return said.isAll ? { status: 'done', outcome: 'silent:feedback', code: null } : null;
}

/** How a task's run ends whose condition does not hold; it is asked once, before anything else is. */
export async function unmetCondition(run: LoopRun, loaded: LoadedRun) {
  const task = taskOf(loaded);
  if (!task?.condition || loaded.toolEvents.some((event) => event.tool_call_id === CONDITION_CALL)) return null;
  const unmet = await checkCondition(run, task.condition);
  if (unmet === null) return null;
  if (unmet.why === 'unmet') return { status: 'done', outcome: 'silent:condition', code: 'condition' } as const;
  return { status: 'failed', outcome: 'failed', code: unmet.code } as const;
}

/** Finds the playbook of a run, once it is known what the mail is taken for; null where nothing is learned, and then nothing is read. */
export function playbookOfRun(from: {
  readonly loaded: LoadedRun;
  readonly persona: Persona;
  readonly configs: Pick<Configs, 'security' | 'system'>;
  readonly tools: Pick<Registry<RegisteredTool>, 'get'>;
  readonly store: Pick<LearningStore, 'playbookInForce'>;
  now(): number;
}): (intent: Intent | null) => Promise<SelectedPlaybook | null> {
  const { loaded, persona, configs, tools, store, now } = from;
  const settings = learningOf(persona, configs.system);
  const select = playbooksFor({ settings, persona, policy: configs.security.tool_policy, tools, store, now });
  if (select === null) return async () => null;
  return async (intent) => {
    const kind = kindOfWork({
      trigger: loaded.trigger.kind,
      task: taskOf(loaded)?.task ?? null,
      intent,
      hasInvitation: loaded.attachments.some(isCalendarFile),
      isDraft: replyModeOf(persona, loaded) === 'draft',
    });
    return kind === null ? null : select(kind, scopeOfMail(loaded));
  };
}

/** What tools are prepared by, with what the playbook of the run has against a call. */
export function restrictedByPlaybook<Tools extends { readonly prepare: PrepareContext }>(
  tools: Tools,
  playbook: PinnedPlaybook | undefined,
  scope: MailScope,
): Tools {
  if (!playbook) return tools;
  const { prepare } = tools;
  const restrictionsOn: PrepareContext['restrictionsOn'] = async (call) => [
    ...(await prepare.restrictionsOn(call)),
    ...restrictionsOf(playbook, { tool: call.tool.name, args: call.args }, { ...scope, steps: {} }),
  ];
  return { ...tools, prepare: { ...prepare, restrictionsOn } };
}

/** The record says of a call that the playbook has made it, where no model did. */
export function madeByPlaybook<Made extends Pick<Calls, 'executeCall'>>(calls: Made, state: LoopState): Made {
  const isStep = (id: string) => state.modelCalls === 0 && state.playbookSteps.some(({ callId }) => callId === id);
  return {
    ...calls,
    async executeCall(next) {
      const executed = await calls.executeCall(next);
      const { sensed } = executed;
      if (sensed?.source !== 'model' || !isStep(next.call.id)) return executed;
      return { ...executed, sensed: { ...sensed, source: 'playbook' as const } };
    },
  };
}

/** The stage of a run; null: no model is configured for it. */
export function frameStageOf(run: {
  readonly deps: Pick<StageOptions, 'models' | 'clock'> & { defaultModel(provider: string): string };
  readonly configs: Pick<Configs, 'inference'>;
  readonly work: { readonly persona: Persona; readonly signal: AbortSignal };
  readonly store: Pick<BudgetStore, 'reserveBudget'>;
  /** The models that answer the persona's mail. */
  readonly own: readonly Target[];
  readonly recorder: Pick<Recorder, 'runId' | 'spendBeside' | 'release'>;
  readonly day: string;
}): FrameStage | null {
  const { deps, configs, work, store, own, recorder, day } = run;
  const { persona, signal } = work;
  const settings = stageSettings(persona, configs.inference, 'frame');
  if (settings === null) return null;
  const booking = bookingOfRun({ store, recorder, budget: persona.budget, day });
  return {
    maxIterations: settings.max_iterations ?? MAX_ITERATIONS,
    signal,
    call: (until) =>
      createStageCaller({
        models: deps.models,
        clock: deps.clock,
        inference: configs.inference,
        booking,
        signal: until,
        settings: { ...settings, temperature: settings.temperature ?? 0 },
        targets: stageTargets(settings, own, deps.defaultModel),
        runId: recorder.runId,
      }),
  };
}

/** Books on a run that is under way, within the same limits as the calls of its loop. */
const bookingOfRun = ({
  store,
  recorder,
  budget,
  day,
}: {
  readonly store: Pick<BudgetStore, 'reserveBudget'>;
  readonly recorder: Pick<Recorder, 'runId' | 'spendBeside' | 'release'>;
  readonly budget: Persona['budget'];
  readonly day: string;
}): StageBooking => ({
  budget,
  async reserve(most) {
    if (budget.usd_per_run !== null || budget.usd_per_day !== null || budget.tokens_per_run !== null) {
      const want = { runId: recorder.runId, day, ...most, leastOutputTokens: most.outputTokens };
      const granted = await store.reserveBudget(want, budget);
      if (granted === 'in_use' || 'spent' in granted) return null;
    }
    return {
      async settle(paid) {
        if (paid === null) recorder.release();
        else recorder.spendBeside(paid.usage, paid.usd);
      },
    };
  },
});

/** What a run may spend, and what it and all runs around it may spend together. */
export function budgetsOf(
  { budget, delegation }: Pick<Persona, 'budget' | 'delegation'>,
  packet: Packet | null,
): { readonly budget: BudgetLimits; readonly treeBudget: BudgetLimits | null } {
  const treeBudget = packet !== null || delegation.enabled ? budget : null;
  if (packet === null) return { budget, treeBudget };
  const own = {
    ...budget,
    usd_per_run: leastOf(budget.usd_per_run, packet.usd),
    tokens_per_run: leastOf(budget.tokens_per_run, packet.tokens),
  };
  return { budget: own, treeBudget };
}

const leastOf = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);

/**
 * Which calls do not hold the answer where owners are asked about them; undefined: the run waits for all. Only where it is a mail
 * of somebody who belongs here, and the answer leaves by itself: the second mail follows the first, and somebody outside has
 * asked for nothing of the kind.
 */
export async function answersFirst(
  run: Omit<Parameters<typeof recipientsOf>[0], 'loaded' | 'persona'> & {
    readonly loaded: LoadedRun;
    readonly persona: Persona;
    readonly configs: Pick<Configs, 'security'>;
    readonly store: Pick<Store, 'knownParticipants' | 'nameOfSender'>;
    /** Those that the model is shown. */
    readonly names: readonly string[];
    readonly tools: Pick<Registry<RegisteredTool>, 'get'>;
  },
): Promise<PinnedSettings['later']> {
  const { loaded, persona, configs, store, names, tools } = run;
  const { tier } = loaded.run;
  if (configs.security.approvals.answer !== 'now' || loaded.trigger.kind !== 'mail') return undefined;
  if ((tier !== 'owner' && tier !== 'member') || replyModeOf(persona, loaded) !== 'send') return undefined;
  const later = names.filter((name) => tools.get(name)?.definition.later === true);
  if (later.length === 0 || (await recipientsOf(run)).to.length === 0) return undefined;
  return { of: await ownerName(persona.owners, store), tools: later };
}

/** What a run was shown; of one that carries out what was decided, what that run was shown whose call it is. */
export async function readingFor(
  own: Pick<Reading, 'settings' | 'prompt' | 'state'> & { readonly loaded: LoadedRun; readonly log: RunLog },
  {
    store,
    artifacts,
  }: {
    readonly store: Parameters<typeof promptAsBuilt>[0]['store'] & Pick<Store, 'loadRun'>;
    readonly artifacts: Blobs;
  },
): Promise<Reading | null> {
  const { decided } = own.loaded;
  if (decided === undefined) return { ...own, isAgain: own.log.first('run_queued')?.data.retry_of !== undefined };
  const loaded = await store.loadRun(decided.run_id);
  const pinned = loaded?.run.settings_sha256 ?? null;
  if (!loaded || pinned === null) return null;
  const log = readLog(loaded.events, artifacts);
  const source = { loaded, log, store, artifacts };
  return {
    loaded,
    settings: await settingsAsBuilt(source, pinned),
    prompt: await promptAsBuilt(source),
    state: foldEvents(log),
    isAgain: log.first('run_queued')?.data.retry_of !== undefined,
  };
}
