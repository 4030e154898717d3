import type { Log } from '#contract';
import type { Configs, Persona } from '../config/types.ts';
import type { Extensions, ToolGrants } from '../extensions/types.ts';
import type { PassCrashPoint } from '../lib/crash-points.ts';
import { localDay } from '../lib/schedule/zone.ts';
import { warnOfBudget } from '../models/budget-window.ts';
import type { Models } from '../models/models.ts';
import { type Outages, outagesFor } from '../models/outages.ts';
import { insteadOf, pinnedTo, targetsFor } from '../models/targets.ts';
import { pricedWithin } from '../models/unpriced.ts';
import { toldBackOf } from '../policy/told-back.ts';
import type { CallTally } from '../record/call-tally.ts';
import { createRecorder, type Recorder } from '../record/recorder.ts';
import type { PinnedSettings, Target } from '../record/settings.ts';
import { packetOf, taskOf, topRunOf } from '../record/trigger.ts';
import type { Blobs } from '../storage/blobs.ts';
import type { LoadedRun } from '../storage/ports/runs.ts';
import type { Store } from '../storage/ports/store.ts';
import type { Rule } from '../storage/types/rules.ts';
import { type DeferredCode, isTest, type RunPatch } from '../storage/types/runs.ts';
import { type CallMaker, quotaOf, sensedCalls } from '../tools/execute.ts';
import { fileNames } from '../tools/file-names.ts';
import { type ToolDeps, type ToolsOfRun, type ToolUser, toolsForRun } from '../tools/for-run.ts';
import { holdingCalls, judgedAlone } from '../tools/held-calls.ts';
import { type Surface, surfaceFor } from '../tools/run-surface.ts';
import { type Shelf, shelfOfRun } from '../tools/shelf.ts';
import { endCancelled } from './cancelled.ts';
import { type Gathered, gather, gatherNothing, type WorkspaceReader } from './context/gather.ts';
import { charactersGivenWhole } from './context/limits.ts';
import { ownRowsOf, readerOf } from './context/parts.ts';
import { deferRun, type PutBack, whatIsOverItsDay, whatItsOwnerHolds } from './defer-run.ts';
import { answerChecker } from './evidence/checks.ts';
import { driftedSources } from './evidence/citations.ts';
import type { Features } from './features.ts';
import { type Further, furtherOfRun, orAgain } from './further-mail.ts';
import { leaseMsOf } from './lease.ts';
import { MAX_CRASHES } from './loop/decide.ts';
import type { LoopEnd } from './loop/end.ts';
import { executeProviderToolLoop, gateAnswer, leaveUnsent } from './loop/loop.ts';
import { budgetsOf, type LoopRun, mailOfLoop } from './loop/loop-run.ts';
import { readingFor } from './reading.ts';
import { holdForApproval } from './respond/hold.ts';
import { withReaders } from './respond/recipients.ts';
import { endSilently, type RespondOptions, respond } from './respond/respond.ts';
import { settledSince } from './settled.ts';
import { answerSoFar } from './so-far.ts';
import { stagesOf } from './stage-of-run.ts';

export { executeProviderToolLoop } from './loop/loop.ts';

/** What tools need, and what else a run is worked with. Tools and hooks are those of `extensions`. */
export interface HarnessDeps extends Omit<ToolDeps, 'tools' | 'hooks'> {
  /** How long a run is leased; absent: longer than it may take. */
  readonly leaseMs?: number;
  configs(): Configs;
  /** Those in force now; a run takes them once. */
  extensions(): Pick<Extensions, 'tools' | 'resolvers' | 'hooks'>;
  /** What is more than a run by itself; loaded with the first run. */
  features(): Promise<Features>;
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
  readonly workspace: WorkspaceReader & ToolDeps['workspace'];
  isOwnAddress(address: string): boolean;
  readonly random: () => number;
  readonly log: Log;
  readonly pass: PassCrashPoint;
}

export type Advanced =
  | { readonly kind: 'ended' | 'held' }
  | { readonly kind: 'deferred'; readonly code: DeferredCode }
  | { readonly kind: 'wait'; readonly until: number };

/** Its sender has written once more before it was over. */
interface Again {
  readonly kind: 'again';
}

interface Work {
  readonly loaded: LoadedRun & { crashes: number };
  readonly persona: Persona;
  readonly store: Store;
  readonly signal: AbortSignal;
  /** Throws when somebody else has the run by now; asked before each call of a tool. */
  assertHeld?(): Promise<void>;
}

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

/** What may keep a run from being worked now, before anything is looked at for it. The first that does is what becomes of it. */
const BEFORE_GATHERING = [whatItsOwnerHolds, whatIsOverItsDay] as const;

async function advanceOnce(deps: HarnessDeps, work: Work): Promise<Advanced | Again> {
  // By itself, since it waits for nothing that others need: no tools, no models.
  if (work.loaded.run.cancelled_by !== null) return endCancelled(deps, work);
  const run = await takeUp(deps, work);
  for (const step of BEFORE_GATHERING) {
    const kept = await step(run.putBack);
    if (kept) return kept;
  }

  const gathered = await gatherFor(run);
  const acting = await readyToAct(run, gathered);
  for (const step of run.features.before) {
    const unneeded = await step({ ...run, loop: acting.loop, now: deps.clock.now() });
    if (unneeded === null) continue;
    await endSilently({ ...acting.ending(), decision: null }, unneeded);
    return { kind: 'ended' };
  }

  const end = await executeProviderToolLoop(acting.loop);

  switch (end.kind) {
    case 'ended':
      return orAgain(() => answer(run, acting, end));
    case 'further':
      leaveUnsent(acting.loop);
      return orAgain(() => acting.further.takeIn().then(() => ({ kind: 'again' as const })));
    case 'held':
      return hold(run, acting, end);
    case 'defer':
      return deferRun({ ...run.putBack, chain: acting.chain, isAlone: acting.chain !== run.putBack.chain }, end);
    case 'wait':
      await run.recorder.commit(tryAgain(run.loaded, end.until));
      return end;
  }
}

/** A run that is taken up, with what holds for all of its work. */
interface Run extends Work {
  readonly deps: HarnessDeps;
  readonly configs: Configs;
  readonly extensions: Pick<Extensions, 'tools' | 'resolvers' | 'hooks'>;
  readonly features: Features;
  readonly artifacts: Blobs;
  readonly day: string;
  readonly recorder: Recorder;
  /** For whom tools would work. */
  readonly user: ToolUser;
  /** The models that answer the persona's mail, and those that answer this one. */
  readonly own: readonly Target[];
  readonly targets: readonly Target[];
  readonly pricing: { readonly allowUnpriced: boolean; chainFor(targets: readonly Target[]): string };
  /** It only carries out what was decided, or ends because it has failed too often. */
  readonly asksNoModel: boolean;
  /** As it is put back where it cannot go on. */
  readonly putBack: PutBack;
}

async function takeUp(deps: HarnessDeps, work: Work): Promise<Run> {
  const { persona, store, signal } = work;
  await deps.prepareTools(persona.tools);
  // One set of extensions throughout: a reload in between must not leave a tool that is shown and not there.
  const extensions = deps.extensions();
  const features = await deps.features();
  const { clock, ids, pass, firstKeyed, defaultModel, isOwnAddress } = deps;
  const configs = deps.configs();
  const { artifacts } = deps.filesOf(persona.id);
  const day = localDay(clock.now(), persona.timezone);
  const leaseMs = leaseMsOf(deps);
  const recording = { store, loaded: work.loaded, artifacts, ids, clock, day, pass, leaseMs };
  const recorder = createRecorder(deps.tally === undefined ? recording : { ...recording, tally: deps.tally });
  const loaded = await withReaders({ ...work, log: recorder.log, isOwnAddress });
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
    stageJob: recorder.job,
    stageChild(child) {
      recorder.delegate(child);
      recorder.event('child_started', { child_run_id: child.run.id, ...child.packet });
    },
  };
  const own = targetsFor(persona, configs.inference, { firstKeyed, defaultModel });
  const pricing = pricedWithin(deps.models, configs.inference, persona.budget);
  const run = { ...work, deps, loaded, configs, extensions, features, artifacts, day, recorder, user, own, pricing };
  return {
    ...run,
    targets: pinnedTo(taskOf(loaded)?.pinned ?? null, own),
    // What killed the process three times may be the gathering itself.
    asksNoModel: loaded.crashes >= MAX_CRASHES || loaded.decided !== undefined,
    putBack: { ...run, state: recorder.state, chain: pricing.chainFor(own), isAlone: false },
  };
}

/** The prompt and its settings, with what they were made of and the rest of the run needs as well. */
interface AtHand extends Gathered {
  readonly surface: Surface;
  readonly shelf: Shelf;
  /** As in `Copying`. */
  readonly beganWith: readonly Rule[] | null;
}

async function gatherFor(run: Run): Promise<AtHand> {
  const { deps, loaded, persona, configs, store, extensions, recorder, user, targets } = run;
  const { clock } = deps;
  const info = deps.models.info(targets[0] as Target);
  const shelf = shelfOfRun(deps, user, charactersGivenWhole(info));
  const hand = await run.features.atHand(loaded, { ...deps, ...shelf, configs, persona, store });
  const surface = surfaceFor(extensions, user, hand);
  const began: { rules: readonly Rule[] | null } = { rules: null };
  const reader = readerOf(store);
  const rulesFor: typeof reader.rulesFor = async (asking) => {
    began.rules = await reader.rulesFor(asking);
    return began.rules;
  };
  const gathered = await (run.asksNoModel ? gatherNothing : gather)({
    run: {
      loaded,
      persona,
      configs,
      store: Object.freeze({ ...reader, rulesFor }),
      own: ownRowsOf(store),
      log: recorder.log,
      ...shelf,
      tools: extensions.tools,
      offered: surface.facts,
      tasks: () => deps.taskDesk.tasksOf(persona.id),
      isOwnAddress: deps.isOwnAddress,
      fileNames: () => fileNames(deps.filesOf(persona.id).filesRoot),
      stage: (settings) => stagesOf(run)(settings),
      now: clock.now,
    },
    parts: run.features.parts,
    artifacts: run.artifacts,
    recorder,
    resolvers: extensions.resolvers,
    workspace: deps.workspace,
    targets,
    info,
    surface: surface.specs,
    onlyReads: surface.onlyReads,
    unusable: surface.unusable,
    narrowed: surface.narrowed,
    away: surface.away,
    toldBack: user.toldBack,
  });
  return { ...gathered, surface, shelf, beganWith: began.rules };
}

/** All that acting and answering take. */
interface Acting {
  readonly loop: LoopRun;
  /** Stands for its models: runs with the same chain wait together while none of them answers. */
  readonly chain: string;
  readonly further: Further;
  readonly settings: PinnedSettings;
  /** What each end of it is made with, at the time of that end. */
  ending(): Omit<RespondOptions, 'decision' | 'gated' | 'meantFor'>;
}

async function readyToAct(run: Run, gathered: AtHand): Promise<Acting> {
  const { deps, loaded, persona, configs, store, extensions, features, artifacts, day, recorder, user, signal } = run;
  const { settings, prompt, omitted, surface, shelf, beganWith } = gathered;
  const { clock, random, pass } = deps;
  const { now } = clock;
  const { state, log } = recorder;
  if (state.isWaiting) recorder.found({ kind: 'models_replaced', targets: insteadOf(settings.targets, run.targets) });
  // A task has a model of its own, and an earlier setting may have had another: their outages are not everybody's.
  const chain = run.pricing.chainFor(state.targets ?? settings.targets);
  const source = { parts: features.parts, store, artifacts };
  const tools = await toolsForRun(
    { ...deps, tools: () => extensions.tools, hooks: () => extensions.hooks },
    { ...user, reading: await readingFor({ loaded, settings, prompt, state, log }, source) },
    narrowedTo(settings.reads, surface.refusal),
  );
  const calls = callsOf(run, tools, settings);
  const isByKind = settings.reads !== undefined || settings.frame?.ends_met === true;
  const further = furtherOfRun(loaded, { configs, recorder, store, ...shelf, ownRun: features.ownRun, isByKind, now });
  const loop: LoopRun = {
    ...mailOfLoop(loaded),
    ...calls,
    state,
    settings,
    prompt,
    recorder,
    store,
    models: deps.models,
    ...outagesFor(deps.outages, chain, loaded.run.id, now),
    driftedSources: (evidence) => driftedSources(evidence, tools.fileHash),
    settledSince: () => settledSince(settings.waits ?? [], state, store),
    checkByHooks: answerChecker(extensions.hooks, { ...loaded.run, persona: persona.id }, signal),
    scopeOf: (name) => settings.scopes?.[name] ?? null,
    riskOf: (name) => extensions.tools.get(name)?.definition.risk ?? null,
    artifacts,
    prices: configs.inference.prices,
    allowUnpriced: run.pricing.allowUnpriced,
    ...budgetsOf(persona, user.packet ?? null),
    day,
    crashes: loaded.crashes,
    approvals: loaded.approvals,
    suspensions: loaded.suspensions,
    held: new Map(),
    further: further.loop,
    clock,
    random,
    signal,
    pass,
    log: deps.log.child({ persona: persona.id, run: loaded.run.id }),
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
    ids: deps.ids,
    now: now(),
    isOwnAddress: deps.isOwnAddress,
    tools: extensions.tools,
    copying: {
      store,
      beganWith,
      policy: configs.security.tool_policy,
      tools: extensions.tools,
      hooks: extensions.hooks,
      signal,
    },
    away: surface.away,
    isTainted: tools.prepare.isTainted,
    // Of the mail of a run that carries out what was decided all was learned when it was answered; of a test nothing is.
    remembers:
      loaded.decided || isTest(loaded.run)
        ? []
        : features.after.flatMap((after) => after({ loaded, persona, configs, log, omitted, now: now() })),
  });
  return { loop, chain, further, settings, ending };
}

/** Nothing but reading, where the profile for this kind of mail has no more. */
const narrowedTo =
  (reads: string | undefined, refusal: Surface['refusal']): Surface['refusal'] =>
  (tool) =>
    refusal(tool) ??
    (reads !== undefined && tool.risk !== 'read' ? { code: 'policy_denied', by: `profile ${reads}` } : null);

/** What the loop can do with a call: prepare it, make it, count it. What features put around that is in their order. */
function callsOf(run: Run, tools: ToolsOfRun, settings: PinnedSettings): CallMaker {
  const { deps, loaded, persona, configs, store, recorder, user, signal, day, features } = run;
  const { now } = deps.clock;
  const { state } = recorder;
  const around = features.around.filter(({ isFor }) => isFor?.({ settings, state }) ?? true);
  const asking = isTest(loaded.run) ? { ...tools.prepare, tools: judgedAlone(tools.prepare.tools) } : tools.prepare;
  const prepare = around.reduce((before, one) => one.prepare?.(before, { loaded, settings }) ?? before, asking);
  const defaultTimeoutMs = settings.limits.tool_timeout_s * 1000;
  const calls = sensedCalls({ ...tools, prepare, defaultTimeoutMs, signal, now });
  const makers = around.flatMap(({ make }) => make?.({ loaded, store, state, now }) ?? []);
  const made: CallMaker = {
    prepareCall: calls.prepareCall,
    async executeCall(next) {
      await run.assertHeld?.();
      let make = () => calls.executeCall(next);
      for (const maker of makers) {
        const inner = make;
        make = () => maker(next, inner);
      }
      return make();
    },
    useTool: quotaOf({
      store,
      run: loaded.run,
      toldBack: user.toldBack,
      state,
      day,
      now,
      security: configs.security,
      timezone: persona.timezone,
    }),
  };
  return isTest(loaded.run) ? holdingCalls(made) : made;
}

/** The answer, and the end of the run. */
async function answer(
  { deps, loaded, persona, store, day, configs, artifacts }: Run,
  { settings, ending }: Acting,
  { decision, gated, asks }: Extract<LoopEnd, { kind: 'ended' }>,
): Promise<Advanced> {
  const now = deps.clock.now();
  const { approvals } = configs.security;
  const meantFor = settings.targets[0];
  await respond({ ...ending(), decision, gated, meantFor, asking: { calls: asks, settings, approvals, artifacts } });
  deps.pass('run.finished');
  if (!isTest(loaded.run)) await warnOfBudget({ persona, store, day, now });
  return { kind: 'ended' };
}

/** Owners have to decide first. Whoever wrote may hear by now what there is to say. */
async function hold(
  { deps, loaded, persona, store, configs, artifacts, recorder }: Run,
  { loop, ending }: Acting,
  { calls }: Extract<LoopEnd, { kind: 'held' }>,
): Promise<Advanced> {
  const now = deps.clock.now();
  const { limits } = loop.settings;
  const judge = (text: string) => gateAnswer(loop, text);
  const isTold = await answerSoFar({ ...ending(), calls, limits, judge });
  await holdForApproval({
    recorder,
    loaded,
    persona,
    artifacts,
    ids: deps.ids,
    now,
    top: await topRunOf(store, loaded.run),
    approvals: configs.security.approvals,
    calls,
    isTold,
  });
  return { kind: 'held' };
}

const tryAgain = ({ run }: LoadedRun, at: number): RunPatch => ({
  status: 'queued',
  due_at: at,
  leased_by: null,
  leased_until: null,
  attempt: run.attempt + 1,
});
