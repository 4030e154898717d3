import type { Log } from '#contract';
import type { Configs, Persona, TaskDesk } from '../config/types.ts';
import type { DocumentReader } from '../documents/reader.ts';
import type { Extensions, ToolGrants } from '../extensions/types.ts';
import { outcomeAfterRun } from '../learning/outcome-job.ts';
import { scopeOfMail } from '../learning/places.ts';
import type { Clock } from '../lib/clock.ts';
import type { PassCrashPoint } from '../lib/crash-points.ts';
import type { Ids } from '../lib/ids.ts';
import { localDay } from '../lib/schedule/zone.ts';
import { jobsAfterRun } from '../memory/facts/remember-job.ts';
import { summariesAfterRun } from '../memory/threads/summarise-job.ts';
import { isOverRunsPerDay, warnOfBudget } from '../models/budget-window.ts';
import type { PricedTarget } from '../models/cost.ts';
import type { Models } from '../models/models.ts';
import { type Outages, outagesFor } from '../models/outages.ts';
import { insteadOf, pinnedTo, targetsFor } from '../models/targets.ts';
import { pricedWithin } from '../models/unpriced.ts';
import { toldBackOf } from '../policy/told-back.ts';
import type { CallTally } from '../record/call-tally.ts';
import { withAnswer } from '../record/declared.ts';
import type { PayloadOf } from '../record/events.ts';
import { weeklyJobs } from '../record/jobs/weekly.ts';
import { createRecorder } from '../record/recorder.ts';
import type { RunLog } from '../record/run-log.ts';
import type { Target } from '../record/settings.ts';
import { packetOf, taskOf, topRunOf, triggerFacts } from '../record/trigger.ts';
import type { PersonaFiles } from '../storage/persona-files.ts';
import { FurtherMailError, type FurtherMailStore, type FurtherOf } from '../storage/ports/further-mail.ts';
import type { LoadedRun } from '../storage/ports/runs.ts';
import type { Store } from '../storage/ports/store.ts';
import type { NewJob } from '../storage/types/jobs.ts';
import type { DeferredCode } from '../storage/types/runs.ts';
import { meetingsOf } from '../tools/calendar/meetings.ts';
import { quotaOf, sensedCalls } from '../tools/execute.ts';
import type { FilesDesk } from '../tools/files/desk.ts';
import { knowledgeOfRun, libraryOfRun, type ToolUser, toolsForRun } from '../tools/for-run.ts';
import type { KnowledgeFolder } from '../tools/knowledge/knowledge.ts';
import { withinOutsideWork } from '../tools/outside/places.ts';
import { atHand, surfaceFor } from '../tools/run-surface.ts';
import { answersFirst, readingFor } from './answer-first.ts';
import { endCancelled } from './cancelled.ts';
import { budgetsOf } from './child-run.ts';
import { furtherMailOf, type MailToTake, tellOfFurther } from './context/further-mail.ts';
import { gather, gatherNothing, type WorkspaceReader } from './context/gather.ts';
import { charactersOfWholeKnowledge, nearLimits } from './context/limits.ts';
import { readerOf } from './context/parts.ts';
import { deferRun, giveUp } from './defer-run.ts';
import { answerChecker } from './evidence/checks.ts';
import { driftedSources } from './evidence/citations.ts';
import { contractFrom } from './evidence/contract.ts';
import { feedbackTaken } from './feedback.ts';
import { frameStageOf } from './frame-stage.ts';
import { leaseMsOf } from './lease.ts';
import { MAX_CRASHES } from './loop/decide.ts';
import { executeProviderToolLoop, gateAnswer, leaveUnsent } from './loop/loop.ts';
import type { LoopRun } from './loop/loop-run.ts';
import { madeByPlaybook, playbookOfRun, restrictedByPlaybook } from './playbook.ts';
import { holdForApproval } from './respond/hold.ts';
import { withReaders } from './respond/recipients.ts';
import { endSilently, respond, TAKEN } from './respond/respond.ts';
import { answerSoFar } from './so-far.ts';
import { unmetCondition } from './unmet-condition.ts';

export { executeProviderToolLoop } from './loop/loop.ts';

export interface HarnessDeps {
  /** How long a run is leased; absent: longer than it may take. */
  readonly leaseMs?: number;
  configs(): Configs;
  /** Those in force now; a run takes them once. */
  extensions(): Pick<Extensions, 'tools' | 'resolvers' | 'hooks'>;
  /** Resolves when it is known which tools there are for these grants; null: it is known. Never rejects. */
  prepareTools(grants: ToolGrants): Promise<void> | null;
  readonly models: Models;
  readonly outages: Outages;
  /** Absent: nobody counts calls. */
  readonly tally?: Pick<CallTally, 'tool' | 'model'>;
  /** The model that a provider uses when none is named. */
  defaultModel(provider: string): string;
  /** The first provider with a key in the environment. */
  firstKeyed(): string | null;
  readonly workspace: WorkspaceReader & KnowledgeFolder;
  filesOf(personaId: string): PersonaFiles;
  /** Where the owner of a persona puts calendars. */
  calendarsOf(personaId: string): string;
  readonly filesDesk: FilesDesk;
  readonly documents: DocumentReader;
  readonly taskDesk: TaskDesk;
  priceFor(persona: Persona, pinned: string | null): PricedTarget;
  isOwnAddress(address: string): boolean;
  readonly recursionSecret: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: () => number;
  readonly log: Log;
  readonly pass: PassCrashPoint;
}

export type Advanced =
  | { readonly kind: 'ended' | 'held' }
  | { readonly kind: 'deferred'; readonly code: DeferredCode }
  | { readonly kind: 'wait'; readonly until: number };

/**
 * Works one claimed run until it ends or has to wait: gather, act, respond. What comes after the end (stats,
 * hooks, alerts) is in rows that the dispatcher picks up.
 */
export async function advanceRun(deps: HarnessDeps, work: Work): Promise<Advanced> {
  for (let { loaded } = work; ; ) {
    const advanced = await advanceOnce(deps, { ...work, loaded });
    if (advanced.kind !== 'again') return advanced;
    // With another mail to answer it is another run to work on; what it has done so far is on record.
    const again = await work.store.loadRun(loaded.run.id);
    if (!again) throw new Error(`run ${loaded.run.id} is gone`);
    loaded = { ...again, crashes: loaded.crashes };
  }
}

interface Work {
  readonly loaded: LoadedRun & { crashes: number };
  readonly persona: Persona;
  readonly store: Store;
  readonly signal: AbortSignal;
  /** Throws when somebody else has the run by now; asked before each call of a tool. */
  assertHeld?(): Promise<void>;
}

/** `again`: its sender has written once more before it was over. */
async function advanceOnce(deps: HarnessDeps, work: Work): Promise<Advanced | { readonly kind: 'again' }> {
  if (work.loaded.run.cancelled_by !== null) {
    await endCancelled(deps, work);
    return { kind: 'ended' };
  }
  await deps.prepareTools(work.persona.tools);
  // One set of extensions throughout: a reload in between must not leave a tool that is shown and not there.
  const extensions = deps.extensions();
  const { persona, store, signal } = work;
  const { clock, ids } = deps;
  const configs = deps.configs();
  const { artifacts } = deps.filesOf(persona.id);
  const day = localDay(clock.now(), persona.timezone);
  const recording = { store, loaded: work.loaded, artifacts, ids, clock, day, pass: deps.pass };
  const recorder = createRecorder({ ...recording, leaseMs: leaseMsOf(deps), ...tallyOf(deps) });
  const { state, log: record } = recorder;
  const loaded = await withReaders({ ...work, log: record, isOwnAddress: deps.isOwnAddress });
  const packet = packetOf(loaded);
  const user: ToolUser = {
    persona,
    configs,
    run: loaded.run,
    store,
    signal,
    packet,
    isTainted: () => packet?.tainted === true,
    reading: null,
    toldBack: toldBackOf(loaded, persona, configs.security.gateway_access),
    stage: recorder.outgoing,
    stageFact: recorder.fact,
    stageChild(child) {
      recorder.delegate(child);
      recorder.event('child_started', { child_run_id: child.run.id, ...child.packet });
    },
  };
  const task = taskOf(loaded);
  const contract = contractFrom(persona.answer, task?.answer ?? null);
  const own = targetsFor(persona, configs.inference, {
    firstKeyed: deps.firstKeyed,
    defaultModel: deps.defaultModel,
  });
  const targets = pinnedTo(task?.pinned ?? null, own);
  const { allowUnpriced, chainFor } = pricedWithin(deps.models, configs.inference, persona.budget);
  const put = { loaded, persona, store, recorder, state, configs, day, deps, extensions };
  const putBack = { ...put, chain: chainFor(own), isAlone: false };
  const waits = loaded.run.deferred_code;
  // Of a model and of money it is found out once more whether there is any; nobody but an owner ends a pause.
  const { decided } = loaded;
  if (waits === 'persona_paused' || waits === 'persona_stopped') return giveUp(putBack, waits);
  if (!decided && (await isOverRunsPerDay({ run: loaded.run, log: recorder.log, day, store }, persona.budget))) {
    return deferRun(putBack, { kind: 'defer', code: 'budget', limit: 'runs_per_day' });
  }
  const info = deps.models.info(targets[0] as Target);
  const knowledge = knowledgeOfRun(deps, user, charactersOfWholeKnowledge(info));
  const surface = surfaceFor(extensions, user, await atHand(loaded, { ...deps, configs, store, persona, knowledge }));
  const library = libraryOfRun(deps, user);
  // What killed the process three times may be the gathering itself.
  const endsNow = loaded.crashes >= MAX_CRASHES;
  // No model is asked by a run that carries out what was decided.
  const asksNoModel = endsNow || decided !== undefined;
  const { settings, prompt, omitted } = await (asksNoModel ? gatherNothing : gather)({
    loaded,
    persona,
    configs,
    store: readerOf(store),
    library,
    meetings: () => meetingsOf(loaded, { store, library, timezone: persona.timezone }),
    artifacts,
    recorder,
    resolvers: extensions.resolvers,
    workspace: deps.workspace,
    knowledge,
    targets,
    info,
    surface: withAnswer(surface.specs, contract),
    offered: surface.facts,
    onlyReads: surface.onlyReads,
    unusable: surface.unusable,
    narrowed: surface.narrowed,
    away: surface.away,
    toldBack: user.toldBack,
    tasks: () => deps.taskDesk.tasksOf(persona.id),
    later: await answersFirst({
      ...{ loaded, persona, configs, store, tools: extensions.tools },
      names: surface.specs.map(({ name }) => name),
      isOwnAddress: deps.isOwnAddress,
    }),
    limits: nearLimits({ ...persona, inference: configs.inference, onlyReads: surface.onlyReads }),
    frameStage: frameStageOf({ deps, configs, work, store, own, recorder, day }),
    playbook: playbookOfRun({ loaded, persona, configs, tools: extensions.tools, store, now: clock.now }),
    now: clock.now,
  });

  if (state.isWaiting) recorder.found({ kind: 'models_replaced', targets: insteadOf(settings.targets, targets) });
  // A task has a model of its own, and an earlier setting may have had another: their outages are not everybody's.
  const chain = chainFor(state.targets ?? settings.targets);

  const log = deps.log.child({ persona: persona.id, run: loaded.run.id });
  const mailScope = scopeOfMail(loaded);
  const granted = await toolsForRun(
    { ...deps, tools: () => extensions.tools, hooks: () => extensions.hooks },
    {
      ...user,
      reading: await readingFor({ loaded, settings, prompt, state, log: record }, { store, artifacts }),
    },
    surface.refusal,
  );
  const tools = restrictedByPlaybook(granted, settings.playbook, mailScope);
  const defaultTimeoutMs = settings.limits.tool_timeout_s * 1000;
  const sensed = sensedCalls({ ...tools, defaultTimeoutMs, signal, now: clock.now });
  const calls = madeByPlaybook(sensed, state);
  const madeWithin = withinOutsideWork({ store, run: loaded.run, state, now: clock.now });
  const furtherOf = furtherMailOf(loaded, { configs, log: record, now: clock.now });
  const furtherNow = async () =>
    furtherOf === null ? [] : furtherMailNow({ ...furtherOf, now: clock.now() }, { loaded, log: record, store });
  const run: LoopRun = {
    state,
    settings,
    prompt,
    recorder,
    store,
    models: deps.models,
    ...outagesFor(deps.outages, chain, loaded.run.id, clock.now),
    ...calls,
    async executeCall(next) {
      await work.assertHeld?.();
      return madeWithin(next, () => calls.executeCall(next));
    },
    useTool: quotaOf({
      store,
      run: loaded.run,
      toldBack: user.toldBack,
      state,
      day,
      now: clock.now,
      security: configs.security,
      timezone: persona.timezone,
    }),
    driftedSources: (evidence) => driftedSources(evidence, tools.fileHash),
    checkByHooks: answerChecker(extensions.hooks, { ...loaded.run, persona: persona.id }, signal),
    scopeOf: (name) => settings.scopes?.[name] ?? null,
    riskOf: (name) => extensions.tools.get(name)?.definition.risk ?? null,
    artifacts,
    prices: configs.inference.prices,
    allowUnpriced,
    ...budgetsOf(persona, packet),
    day,
    crashes: loaded.crashes,
    approvals: loaded.approvals,
    suspensions: loaded.suspensions,
    held: new Map(),
    decided,
    further: {
      hasCome: async () => (await furtherNow()).length > 0,
      endsUnless: () => furtherOf && recorder.endsUnless(furtherOf),
    },
    clock,
    random: deps.random,
    signal,
    pass: deps.pass,
    log,
    mailScope,
    maySayNothing: triggerFacts(loaded).maySayNothing,
    mayLeaveUnanswered: triggerFacts(loaded).mayLeaveUnanswered,
  };

  const ending = () => ({
    loaded,
    persona,
    store,
    artifacts,
    recorder,
    state,
    day,
    domain: configs.gateway.domain,
    recursionSecret: deps.recursionSecret,
    ids,
    now: clock.now(),
    isOwnAddress: deps.isOwnAddress,
    tools: extensions.tools,
    away: surface.away,
    isTainted: granted.prepare.isTainted,
    remembers: learnedAfterRun({ persona, configs }, loaded, { omitted, log: record, now: clock.now() }),
  });
  const unneeded = async () =>
    (await feedbackTaken({ loaded, persona, configs, store, now: clock.now() })) ?? (await unmetCondition(run, loaded));
  const unmet = leftToPerson(loaded) ?? (asksNoModel ? null : await unneeded());
  if (unmet) {
    await endSilently({ ...ending(), decision: null }, unmet);
    return { kind: 'ended' };
  }

  const end = await executeProviderToolLoop(run);
  if (end.kind === 'wait') {
    await recorder.commit({
      status: 'queued',
      due_at: end.until,
      leased_by: null,
      leased_until: null,
      attempt: loaded.run.attempt + 1,
    });
    return end;
  }
  if (end.kind === 'further') {
    leaveUnsent(run);
    const { told, rows } = await tellOfFurther(await furtherNow(), library);
    return orAgain(async () => {
      if (rows.length === 0) await recorder.commit();
      else await recorder.takeIn(told, rows);
      return { kind: 'again' as const };
    });
  }
  if (end.kind === 'defer') return deferRun({ ...put, chain, isAlone: chain !== putBack.chain }, end);
  const now = clock.now();
  if (end.kind === 'held') {
    await answerSoFar({ ...ending(), isHeld: end.calls.length > 0, judge: (text) => gateAnswer(run, text) });
    await holdForApproval({
      recorder,
      loaded,
      persona,
      artifacts,
      ids,
      now,
      top: await topRunOf(store, loaded.run),
      approvals: configs.security.approvals,
      calls: end.calls,
    });
    return { kind: 'held' };
  }
  return orAgain(async () => {
    await respond({
      ...ending(),
      decision: end.decision,
      gated: end.gated,
      meantFor: settings.targets[0],
      asking: { calls: end.asks, settings, approvals: configs.security.approvals, artifacts },
    });
    deps.pass('run.finished');
    await warnOfBudget({ persona, store, day, now });
    return { kind: 'ended' as const };
  });
}

/** The mails that have come by now; of a run that is worked once more, first those that it had answered together. */
async function furtherMailNow(
  of: FurtherOf,
  { loaded, log, store }: { readonly loaded: LoadedRun; readonly log: RunLog; readonly store: FurtherMailStore },
): Promise<readonly MailToTake[]> {
  const again = loaded.further === undefined ? log.first('run_queued')?.data.retry_of : undefined;
  const before = again === undefined ? [] : await store.takenInBy(again);
  return [...before, ...(await store.furtherMail(of))].slice(0, of.most);
}

/** A mail that came at the last moment, or that was gone by then: what holds is on record, and the run goes on from there. */
const orAgain = <Result>(work: () => Promise<Result>): Promise<Result | { readonly kind: 'again' }> =>
  work().catch((error: unknown) => {
    if (error instanceof FurtherMailError) return { kind: 'again' as const };
    throw error;
  });

/** A person has taken the thread since its mail came. What was begun goes on: an owner may have said yes to a call of it. */
const leftToPerson = ({ trigger, thread, run, decided }: LoadedRun) =>
  trigger.kind === 'mail' && decided === undefined && thread.taken_by !== null && run.model_calls === 0
    ? ({ status: 'done', ...TAKEN } as const)
    : null;

const tallyOf = ({ tally }: Pick<HarnessDeps, 'tally'>) => (tally === undefined ? {} : { tally });

/** What is learned from a run that has answered, and that its owners hear of the week; rows of the transaction that ends it. */
const learnedAfterRun = (
  of: { readonly persona: Persona; readonly configs: Configs },
  loaded: LoadedRun,
  { omitted, log, now }: { readonly omitted: number; readonly log: RunLog; readonly now: number },
): readonly NewJob[] =>
  // Of its mail all was learned when it was answered.
  loaded.decided
    ? []
    : [
        ...jobsAfterRun(of, loaded, now),
        ...log
          .of('mail_taken_in')
          .flatMap(({ data }) => data.mails.flatMap((mail) => ofFurther(of, loaded, mail, now))),
        ...summariesAfterRun(of, loaded, { omitted, now }),
        ...outcomeAfterRun(of, loaded, now),
        ...weeklyJobs({ persona: of.persona, system: of.configs.system }, now),
      ];

/** What a later mail says that was answered with the first is looked at as well, as the mail of its own run. */
function ofFurther(
  of: Parameters<typeof learnedAfterRun>[0],
  { run, further = [] }: LoadedRun,
  mail: PayloadOf<'mail_taken_in'>['mails'][number],
  now: number,
): readonly NewJob[] {
  const { message } = further.find(({ message: { id } }) => id === mail.message_id) ?? {};
  if (message === undefined || mail.run_id === null) return [];
  return jobsAfterRun(of, { run: { ...run, id: mail.run_id }, message }, now);
}
