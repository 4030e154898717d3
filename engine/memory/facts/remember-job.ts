import type { Configs, Persona } from '../../config/types.ts';
import { say } from '../../languages/say.ts';
import type { Clock } from '../../lib/clock.ts';
import type { PassCrashPoint } from '../../lib/crash-points.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Models } from '../../models/models.ts';
import { createStageCaller, memoryBooking, stageSettings, stageTargets } from '../../models/stage.ts';
import { handleTries } from '../../models/stage-job.ts';
import { encodeEvent } from '../../record/codec/run-events.ts';
import type { PayloadOf } from '../../record/events.ts';
import { remember, rememberJob } from '../../record/jobs/job-kinds.ts';
import type { JobHandler } from '../../record/jobs/jobs.ts';
import { inEach, notice } from '../../record/jobs/notice-job.ts';
import type { Target } from '../../record/settings.ts';
import type { Blobs } from '../../storage/blobs.ts';
import type { LoadedRun } from '../../storage/ports/runs.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { NewJob } from '../../storage/types/jobs.ts';
import type { StoredRun } from '../../storage/types/runs.ts';
import { type Learned, learnFrom } from './remember.ts';
import { sourceOf } from './source.ts';

export interface RememberDeps {
  configs(): Configs;
  readonly models: Models;
  /** The models that answer a persona's mail. */
  targetsOf(persona: Persona): readonly Target[];
  defaultModel(provider: string): string;
  artifactsOf(personaId: string): Blobs;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: () => number;
  readonly pass: PassCrashPoint;
}

/**
 * What follows from a run that ends, where facts are kept and a stage has a model for it: its mail is looked at once. A
 * mail of somebody who is neither an owner nor a member says nothing that could be kept.
 */
export function jobsAfterRun({ run, message }: Pick<LoadedRun, 'run' | 'message'>, now: number): readonly NewJob[] {
  if (run.kind !== 'message' || (run.tier !== 'owner' && run.tier !== 'member')) return [];
  return message.new_text.trim() === '' ? [] : [rememberJob(run.id, now)];
}

/** Does such a job: killed anywhere it begins anew, and what it finds is written once, together with its end. */
export function createRememberer(deps: RememberDeps): JobHandler {
  const { clock, pass } = deps;
  return handleTries(
    remember,
    { ...deps, begun: 'memory.begun', looked: 'memory.learned' },
    {
      async begin({ job, store }) {
        return (await store.getRun(job.payload.run_id)) ?? null;
      },
      look: (run, work) => look(deps, { ...work, run }),
      failed: () => nothing('failed'),
      mayPass: ({ event: { code } }) => code === 'provider' || code === 'failed',
      async end(run, learned, { persona, job, store }) {
        const now = clock.now();
        const event = encodeEvent('memory_written', learned.event, deps.artifactsOf(persona.id));
        const jobs = learned.disputed.map((pair) => disputeNotice(persona, pair, now));
        const written = { jobId: job.id, runId: run.id, changes: learned.changes, event, jobs, now };
        if (await store.endRemembering(written)) pass('run.event.memory_written');
      },
    },
  );
}

async function look(
  deps: RememberDeps,
  work: { readonly persona: Persona; readonly run: StoredRun; readonly store: Store; readonly signal: AbortSignal },
): Promise<Learned> {
  const { persona, run, store, signal } = work;
  const { inference, system } = deps.configs();
  const settings = persona.memory.facts ? stageSettings(persona, inference, 'remember') : null;
  if (settings === null) return nothing('off');
  if (await store.isForgottenSource(run.message)) return nothing('forgotten');
  const isPrivate = async () => (await store.getThread(run.thread_id))?.private_since != null;
  if (await isPrivate()) return nothing('private');
  const source = await sourceOf(run, store);
  if (source === null) return nothing('failed');
  const call = createStageCaller({
    models: deps.models,
    inference,
    settings,
    signal,
    clock: deps.clock,
    runId: run.id,
    targets: stageTargets(settings, deps.targetsOf(persona), deps.defaultModel),
    booking: memoryBooking({
      store,
      persona,
      share: system.memory.budget_share,
      runId: run.id,
      clock: deps.clock,
    }),
  });
  const learned = await learnFrom(source, call, { store, ids: deps.ids, now: deps.clock.now() });
  // It may have been made so while the model was asked.
  return (await isPrivate()) ? nothing('private') : learned;
}

const nothing = (code: PayloadOf<'memory_written'>['code']): Learned => ({
  changes: [],
  disputed: [],
  event: { stage: 'remember', code, calls: [], written: [], refused: [] },
});

/** A notice goes once for each id, so each contradiction is asked about once. */
export function disputeNotice(
  persona: Pick<Persona, 'language'>,
  pair: Learned['disputed'][number],
  now: number,
): NewJob {
  const { fact, of } = pair;
  return notice.job({
    id: `notice:disputed:${fact.id}`,
    due_at: now,
    payload: inEach(persona.language, (language) => {
      return {
        subject: say(language, 'disputedFacts.subject'),
        text: [
          say(language, 'disputedFacts.text', { known: of.text, said: fact.text, who: fact.said_by }),
          say(language, 'disputedFacts.cure'),
        ].join('\n\n'),
      };
    }),
  });
}
