import type { Log } from '#contract';
import type { Configs, Persona } from '../../config/types.ts';
import type { Clock } from '../../lib/clock.ts';
import type { PassCrashPoint } from '../../lib/crash-points.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Models } from '../../models/models.ts';
import { type CallStage, createStageCaller, memoryBooking, stageTargets } from '../../models/stage.ts';
import { handleTries, type StageWork } from '../../models/stage-job.ts';
import type { StageCall } from '../../record/codec/remembered.ts';
import { encodeEvent } from '../../record/codec/run-events.ts';
import { type RefinePayload, refine } from '../../record/jobs/job-kinds.ts';
import type { Job, JobHandler } from '../../record/jobs/jobs.ts';
import type { Target } from '../../record/settings.ts';
import type { Blobs } from '../../storage/blobs.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { Refinement } from '../../storage/types/learning/refinements.ts';
import type { StoredRun } from '../../storage/types/runs.ts';
import { heuristic, WINDOW } from '../heuristic.ts';
import { learningOf } from '../settings.ts';
import { versionsToDrop } from '../versions/named.ts';
import type { ToolWorld } from './candidate.ts';
import { acceptedAs } from './ended.ts';
import { type Judgement, judge, LEAST_GAIN } from './judge.ts';
import { isWeak, refineSettings } from './model.ts';
import { criticPrompt, shownIn, writerPrompt } from './prompts.ts';
import { isWorthIt, type RefineSubject, subjectOf } from './subject.ts';

export interface RefinerDeps {
  configs(): Configs;
  /** The tools of a persona as playbooks are judged by them. */
  worldOf(persona: Persona): ToolWorld;
  readonly models: Models;
  /** The models that answer a persona's mail. */
  targetsOf(persona: Persona): readonly Target[];
  defaultModel(provider: string): string;
  artifactsOf(personaId: string): Blobs;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: () => number;
  readonly log: Log;
  readonly pass: PassCrashPoint;
}

/** Why there is nothing to judge. */
type NoCandidate = 'off' | 'weak_model' | 'budget' | 'provider' | 'failed' | 'nothing_to_gain';
type Verdict = Judgement | { readonly accepted: false; readonly reason: NoCandidate; readonly detail: null };

interface Refined {
  readonly verdict: Verdict;
  readonly calls: readonly StageCall[];
  readonly shown: readonly string[];
}

interface Subject extends RefineSubject {
  readonly run: StoredRun;
  readonly world: ToolWorld;
}

/**
 * Does the job that makes a better version of a playbook: one model says what is wrong, one writes, and examples decide.
 * Killed anywhere it begins anew, and what it comes to is written together with its end: one version, or one refusal.
 */
export function createRefiner(deps: RefinerDeps): JobHandler {
  const warned = new Set<string>();
  return handleTries(
    refine,
    { ...deps, begun: 'refine.begun', looked: 'refine.made' },
    {
      begin: (work) => begin(deps, work),
      look: (subject, work) => look(deps, subject, work, warned),
      failed: () => nothing('failed'),
      mayPass: ({ verdict }) => !verdict.accepted && (verdict.reason === 'provider' || verdict.reason === 'failed'),
      end: (subject, found, work) => end(deps, subject, found, work),
    },
  );
}

async function begin(deps: RefinerDeps, { persona, job, store }: StageWork<RefinePayload>): Promise<Subject | null> {
  const { kind, run_id: runId, asked_by: by } = job.payload;
  const run = await store.getRun(runId);
  if (!run || !learningOf(persona, deps.configs().system).enabled) return null;
  const world = deps.worldOf(persona);
  const subject = await subjectOf(kind, store, world);
  if (by === 'runs' && !(await isWorthIt(subject, store, deps.clock.now()))) return null;
  return { ...subject, run, world };
}

async function look(
  deps: RefinerDeps,
  subject: Subject,
  { persona, store, signal }: StageWork<RefinePayload>,
  warned: Set<string>,
): Promise<Refined> {
  const { inference, system } = deps.configs();
  const settings = refineSettings(persona, inference, system);
  if (settings === null) return nothing('off');
  if (subject.score.score + LEAST_GAIN > 1) return nothing('nothing_to_gain');
  const targets = stageTargets(settings, deps.targetsOf(persona), deps.defaultModel);
  const fit = targets.filter((target) => !isWeak(target));
  if (fit.length === 0) {
    const [weak] = targets;
    if (!warned.has(persona.id))
      deps.log.warn({ persona: persona.id, model: weak?.model }, 'this model is too small to refine playbooks');
    warned.add(persona.id);
    return nothing('weak_model');
  }
  const call = createStageCaller({
    ...{ models: deps.models, inference, settings, targets: fit, signal, clock: deps.clock, runId: subject.run.id },
    booking: memoryBooking({
      ...{ store, persona, share: system.memory.budget_share, runId: subject.run.id, clock: deps.clock },
    }),
  });
  return refinedBy(call, subject);
}

/** Asks what is wrong, then for a candidate, and judges that. Two calls at most. */
export async function refinedBy(
  call: CallStage,
  { kind, playbook, examples, score, refused, world }: Omit<Subject, 'run'>,
): Promise<Refined> {
  const critic = criticPrompt(playbook, score);
  const said = await call(critic);
  if (said.text === null) return nothing(said.code ?? 'failed', said.calls);
  const prompt = writerPrompt(playbook, score, { notes: said.text, refused });
  const written = await call(prompt);
  const calls = [...said.calls, ...written.calls];
  if (written.text === null) return nothing(written.code ?? 'failed', calls);
  const verdict = judge(written.text, { kind, parent: playbook, examples, world });
  return { verdict, calls, shown: shownIn(prompt, score) };
}

const nothing = (reason: NoCandidate, calls: readonly StageCall[] = []): Refined => ({
  ...{ verdict: { accepted: false, reason, detail: null }, calls, shown: [] },
});

async function end(
  deps: RefinerDeps,
  subject: Subject,
  { verdict, calls, shown }: Refined,
  { persona, job, store }: { readonly persona: Persona; readonly job: Job<RefinePayload>; readonly store: Store },
): Promise<void> {
  const { clock, ids } = deps;
  const { kind, parent, run, examples } = subject;
  const now = clock.now();
  const newest = (await store.playbookVersions(kind)).at(-1)?.number ?? 0;
  const kept = verdict.accepted ? acceptedAs({ ...verdict, subject, newest, run, ids, now }) : null;
  const refinement: Refinement = {
    ...{ id: job.payload.id, kind, run_id: run.id, asked_by: job.payload.asked_by },
    ...{ accepted: verdict.accepted ? 1 : 0, examples: examples.length, at: now },
    reason: verdict.accepted ? null : verdict.reason,
    detail: verdict.accepted ? null : verdict.detail,
    from_version: parent?.number ?? null,
    to_version: kept?.number ?? null,
    from_score: 'from' in verdict ? verdict.from : null,
    to_score: 'to' in verdict ? verdict.to : null,
  };
  const artifacts = deps.artifactsOf(persona.id);
  const ended = await store.keepRefinement({
    ...{ jobId: job.id, refinement, shown },
    ...{ versions: kept?.versions ?? [], undo: kept?.undo ?? [] },
    jobs: (of) => (of.accepted === 1 && kept ? kept.jobs : []),
    drop: kept === null ? [] : await versionsDropped(persona, deps, store, kind),
    event: (of) => encodeEvent('playbook_refined', recordOf(of, calls), artifacts),
  });
  if (ended) deps.pass('run.event.playbook_refined');
}

const recordOf = (
  { id: _, run_id: __, detail: ___, at: ____, accepted, ...of }: Refinement,
  calls: readonly StageCall[],
) => ({
  ...of,
  accepted: accepted === 1,
  calls: [...calls],
});

async function versionsDropped(
  persona: Persona,
  { configs, clock }: Pick<RefinerDeps, 'configs' | 'clock'>,
  store: Store,
  kind: string,
): Promise<readonly string[]> {
  const versions = await store.playbookVersions(kind);
  const rated = await Promise.all(
    versions.map(async (version) => ({
      version,
      h: heuristic(await store.playbookOutcomes({ version: version.id }, WINDOW), clock.now()),
    })),
  );
  const { max_versions: most } = learningOf(persona, configs().system);
  return versionsToDrop(rated, await store.pinnedPlaybook(kind), most);
}
