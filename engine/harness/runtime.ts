import type { Capabilities, Log, ToolSpec } from '#contract';
import type { Configs, Persona } from '../config/types.ts';
import type { Extensions, RegisteredTool } from '../extensions/types.ts';
import type { Clock } from '../lib/clock.ts';
import type { PassCrashPoint } from '../lib/crash-points.ts';
import type { Ids } from '../lib/ids.ts';
import { matchesPattern } from '../mail/address.ts';
import type { PersonaFiles } from '../storage/persona-files.ts';
import type { LoadedRun, Store } from '../storage/store.ts';
import { gather, gatherNothing, type WorkspaceReader } from './context/gather.ts';
import { MAX_CRASHES } from './loop/decide.ts';
import { foldEvents } from './loop/fold.ts';
import { executeProviderToolLoop } from './loop/loop.ts';
import type { LoopRun, Models } from './loop/loop-run.ts';
import type { LoopState } from './loop/state.ts';
import { narrowingFor, refusalOf, type ToolFacts } from './policy/surface.ts';
import { type Target, targetsFor } from './providers/targets.ts';
import { isOverRunsPerDay, isSilencedByBudget } from './respond/budget-window.ts';
import { holdForApproval } from './respond/hold.ts';
import { respond } from './respond/respond.ts';
import { createRecorder, payloadOf } from './storage.ts';
import { createArtifacts } from './tools/capabilities/artifacts.ts';
import { createFiles } from './tools/capabilities/files.ts';
import { createMail } from './tools/capabilities/mail.ts';
import { createOutgoing } from './tools/capabilities/outgoing.ts';
import { createWeb } from './tools/capabilities/web.ts';
import { toolContext } from './tools/context.ts';

export { executeProviderToolLoop } from './loop/loop.ts';

export interface HarnessDeps {
  configs(): Configs;
  readonly extensions: Pick<Extensions, 'tools' | 'resolvers' | 'hooks'>;
  readonly models: Models;
  /** The model that a provider uses when none is named. */
  defaultModel(provider: string): string;
  /** The first provider with a key in the environment. */
  readonly firstKeyed: string | null;
  readonly workspace: WorkspaceReader;
  filesOf(personaId: string): PersonaFiles;
  isOwnAddress(address: string): boolean;
  readonly recursionSecret: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: () => number;
  readonly log: Log;
  readonly pass: PassCrashPoint;
}

export type Advanced = { readonly kind: 'ended' | 'held' } | { readonly kind: 'wait'; readonly until: number };

/** A lease outlives the run's own time limit, so that no second worker takes a run that is still worked on. */
export const leaseMsOf = (configs: Configs): number => configs.inference.run_timeout_s * 1000 + 300_000;

/**
 * Works one claimed run until it ends or has to wait: gather, act, respond. What comes after the end (stats,
 * hooks, alerts) is in rows that the dispatcher picks up.
 */
export async function advanceRun(
  given: HarnessDeps,
  work: { loaded: LoadedRun & { crashes: number }; persona: Persona; store: Store; signal: AbortSignal },
): Promise<Advanced> {
  // One set of extensions throughout: a reload in between must not leave a tool that is shown and not there.
  const deps: HarnessDeps = { ...given, extensions: { ...given.extensions } };
  const { loaded, persona, store, signal } = work;
  const { clock, ids } = deps;
  const configs = deps.configs();
  const { artifacts } = deps.filesOf(persona.id);
  const day = localDay(clock.now(), persona.timezone);
  const recorder = createRecorder({ store, loaded, artifacts, ids, clock, leaseMs: leaseMsOf(configs), day });
  const state = foldEvents(loaded.events, (json) => payloadOf(json, artifacts));

  const surface = surfaceFor(deps, persona, configs, loaded);
  const targets = targetsFor(persona, configs.inference, deps);
  const info = deps.models.info(targets[0] as Target);
  if (isOverRunsPerDay(loaded, persona.budget)) state.budgetSpent = 'runs_per_day';
  // What killed the process three times may be the gathering itself.
  const endsNow = loaded.crashes >= MAX_CRASHES || state.budgetSpent !== null;
  const { settings, prompt } = await (endsNow ? gatherNothing : gather)({
    loaded,
    persona,
    configs,
    store,
    artifacts,
    recorder,
    resolvers: deps.extensions.resolvers,
    workspace: deps.workspace,
    targets,
    info,
    surface: surface.specs,
    onlyReads: surface.onlyReads,
  });

  const log = deps.log.child({ persona: persona.id, run: loaded.run.id });
  const capabilities = capabilitiesFor(deps, persona, loaded, store);
  const participant = loaded.run.tier === 'owner' ? null : (loaded.run.sender ?? '');
  const known = new Set([...(await store.knownParticipants(loaded.run.thread_id)), loaded.run.sender ?? '']);
  const outgoingFor = (toolSignal: AbortSignal) =>
    createOutgoing({
      persona,
      run: loaded.run,
      gateway: configs.gateway,
      recursionSecret: deps.recursionSecret,
      store,
      artifacts,
      files: capabilities.files,
      participant,
      ids,
      clock,
      signal: toolSignal,
      stage: recorder.outgoing,
    });
  const who = { persona, threadId: loaded.run.thread_id, runId: loaded.run.id, log };
  const contextFor = (tool: RegisteredTool, toolSignal: AbortSignal) =>
    toolContext(tool, who, { ...capabilities, outgoing: outgoingFor(toolSignal) }, toolSignal);
  const run: LoopRun = {
    state,
    settings,
    prompt,
    recorder,
    store,
    models: deps.models,
    prepare: {
      tools: deps.extensions.tools,
      surfaceRefusal: surface.refusal,
      policy: configs.security.tool_policy,
      tier: loaded.run.tier,
      isOwner: (address) => persona.owners.some((owner) => matchesPattern(address, owner)),
      isKnown: (address) => known.has(address.toLowerCase()),
      isTainted: () => isTainted(state, deps),
      canAsk: persona.owners.length > 0 || configs.system.admin_contact !== null,
      contextFor: (tool) => contextFor(tool, signal),
    },
    artifacts,
    prices: configs.inference.prices,
    allowUnpriced: configs.inference.allow_unpriced,
    budget: persona.budget,
    day,
    crashes: loaded.crashes,
    approvals: loaded.approvals,
    held: new Map(),
    clock,
    random: deps.random,
    signal,
    pass: deps.pass,
    log,
    contextFor,
  };

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
  const now = clock.now();
  if (end.kind === 'held') {
    await holdForApproval({
      recorder,
      loaded,
      persona,
      store,
      ids,
      now,
      approvals: configs.security.approvals,
      calls: end.calls,
    });
    return { kind: 'held' };
  }
  await respond({
    loaded,
    persona,
    store,
    recorder,
    state,
    decision: end.decision,
    silenced: await isSilencedByBudget({ state, decision: end.decision, store, runId: loaded.run.id, day, now }),
    day,
    domain: configs.gateway.domain,
    recursionSecret: deps.recursionSecret,
    ids,
    now,
    isOwnAddress: deps.isOwnAddress,
    hooks: deps.extensions.hooks,
  });
  deps.pass('run.finished');
  return { kind: 'ended' };
}

/** One surface for what the model is shown and for what may be called. */
function surfaceFor(deps: HarnessDeps, persona: Persona, configs: Configs, { run }: LoadedRun) {
  const narrowing = narrowingFor(persona, configs.security.tool_policy, run.tier);
  const refusal = (tool: ToolFacts) => refusalOf(tool, narrowing);
  const offered = deps.extensions.tools
    .all()
    .filter((tool) => tool.ready() === null)
    .filter(({ name, definition }) => refusal({ name, risk: definition.risk, scope: definition.scope }) === null);
  const specs: ToolSpec[] = offered.map(({ name, definition, inputSchema }) => ({
    name,
    description: definition.description,
    inputSchema,
  }));
  const onlyReads = offered.every(({ definition }) => definition.risk === 'read');
  return { refusal, specs, onlyReads };
}

/**
 * Whether the run has read what somebody else wrote: pages, mail, attachments. An error can quote them, too, and of a
 * tool that has left the registry nobody knows any more what it read.
 */
function isTainted({ outcomes }: LoopState, { extensions }: HarnessDeps): boolean {
  return outcomes.some(({ ok, code, tool }) => {
    const scope = extensions.tools.get(tool)?.definition.scope ?? 'web:read';
    return (ok || code === 'tool_failed' || code === 'invalid_result') && /^(web|mail):read$/.test(scope);
  });
}

function capabilitiesFor(
  deps: HarnessDeps,
  persona: Persona,
  { run }: LoadedRun,
  store: Store,
): Omit<Capabilities, 'outgoing'> {
  const { artifacts, filesRoot } = deps.filesOf(persona.id);
  const record = { made: store.recordMadeFile, madeHash: store.madeFileHash };
  const participant = run.tier === 'owner' ? null : (run.sender ?? '');
  return {
    mail: createMail({ store, artifacts, participant }),
    artifacts: createArtifacts({ store, artifacts, threadId: run.thread_id, participant }),
    files: createFiles({ root: filesRoot, record }),
    web: createWeb(),
  };
}

/** One per zone: making one takes 0.3 ms, and a mail asks for the day several times. */
const dayFormats = new Map<string, Intl.DateTimeFormat>();

/** `2026-11-21` in the persona's zone: the day that budgets count by. */
export function localDay(now: number, timezone: string): string {
  const format =
    dayFormats.get(timezone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short' });
  dayFormats.set(timezone, format);
  return format.format(now);
}
