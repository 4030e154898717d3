import type { Configs, Persona } from '../config/types.ts';
import type { RegisteredTool, Registry } from '../extensions/types.ts';
import type { Clock } from '../lib/clock.ts';
import type { PassCrashPoint } from '../lib/crash-points.ts';
import type { Ids } from '../lib/ids.ts';
import { localDay } from '../lib/schedule/zone.ts';
import type { Snapshot } from '../record/decisions.ts';
import { snapshotOf } from '../record/fold.ts';
import { createRecorder, type RunWrites } from '../record/recorder.ts';
import type { Blobs } from '../storage/blobs.ts';
import type { PersonaFiles } from '../storage/persona-files.ts';
import type { LeftCalls, LoadedRun } from '../storage/ports/runs.ts';

import { decide } from './loop/decide.ts';
import type { EndDecision } from './loop/end.ts';
import { closeTurn } from './loop/resume.ts';
import { type RespondOptions, respond } from './respond/respond.ts';

/** What of the extensions the end of a run needs. */
export interface EndExtensions {
  readonly tools: Pick<Registry<RegisteredTool>, 'get'>;
}

export interface CancelDeps {
  configs(): Configs;
  filesOf(personaId: string): PersonaFiles;
  isOwnAddress(address: string): boolean;
  readonly recursionSecret: string;
  extensions(): EndExtensions;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly pass: PassCrashPoint;
}

/** For whoever seizes a run to end it: should they die, another ends it then. */
export const SEIZED_MS = 30_000;

const NO_LIMITS: Snapshot['limits'] = {
  maxToolTurns: 0,
  maxToolSteps: null,
  maxToolCalls: 0,
  maxConsecutiveFailures: 0,
  goesOn: false,
  byTurns: false,
  runTimeoutMs: 0,
};

/**
 * The end of a run that somebody has cancelled and that is in our hands: nothing more is called, its calls get their
 * results, and its sender hears once that and how far it was worked on. Throws FencedError when another was faster.
 */
export async function endCancelled(
  deps: CancelDeps,
  { loaded, persona, store }: { loaded: LoadedRun; persona: Persona; store: RunWrites & RespondOptions['store'] },
): Promise<{ readonly kind: 'ended' }> {
  const { clock, ids, pass } = deps;
  const configs = deps.configs();
  const { tools } = deps.extensions();
  const now = clock.now();
  const { artifacts } = deps.filesOf(persona.id);
  const day = localDay(now, persona.timezone);
  const recorder = createRecorder({ store, loaded, artifacts, ids, clock, leaseMs: SEIZED_MS, day, pass });
  const { state } = recorder;
  const run = { cancelled: true, crashes: 0, activeMs: recorder.activeMs(), held: 0, metByState: false };
  const decision = decide(snapshotOf(state, run, NO_LIMITS), { type: 'begin' }) as EndDecision;
  recorder.event('decision', { step: state.modelCalls, ...decision, by: loaded.run.cancelled_by });
  closeTurn({ state, recorder, artifacts, clock });
  await respond({
    loaded,
    persona,
    store,
    artifacts,
    recorder,
    state,
    decision,
    gated: null,
    meantFor: undefined,
    day,
    domain: configs.gateway.domain,
    recursionSecret: deps.recursionSecret,
    ids,
    now,
    isOwnAddress: deps.isOwnAddress,
    tools,
  });
  return { kind: 'ended' };
}

/**
 * Results for the calls of a run that have none, to be committed by whoever ends it in silence, and the tools of
 * which nobody knows whether they did what they were called for.
 */
export function leftCalls(
  { artifacts, clock, ids, store }: { artifacts: Blobs; clock: Clock; ids: Ids; store: RunWrites },
  loaded: LoadedRun,
): LeftCalls & { readonly unknown: readonly string[] } {
  const pass = () => {};
  const recorder = createRecorder({ store, loaded, artifacts, ids, clock, leaseMs: 0, day: '', pass });
  const { state } = recorder;
  const known = state.outcomes.length;
  closeTurn({ state, recorder, artifacts, clock });
  const unknown = state.outcomes.slice(known).filter(({ code }) => code === 'side_effect_unknown');
  return { ...recorder.staged(), unknown: unknown.map(({ tool }) => tool) };
}
