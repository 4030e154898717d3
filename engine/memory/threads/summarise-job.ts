import type { Configs, Persona } from '../../config/types.ts';
import type { Clock } from '../../lib/clock.ts';
import type { PassCrashPoint } from '../../lib/crash-points.ts';
import type { Models } from '../../models/models.ts';
import { type CallStage, createStageCaller, memoryBooking, stageSettings, stageTargets } from '../../models/stage.ts';
import { handleTries, type StageWork } from '../../models/stage-job.ts';
import { encodeEvent } from '../../record/codec/run-events.ts';
import type { PayloadOf } from '../../record/events.ts';
import { summarise, summariseJob } from '../../record/jobs/job-kinds.ts';
import type { JobHandler } from '../../record/jobs/jobs.ts';
import type { Target } from '../../record/settings.ts';
import type { Blobs } from '../../storage/blobs.ts';
import type { KeptThreadMemory, SummaryStore } from '../../storage/ports/memory/summaries.ts';
import type { LoadedRun } from '../../storage/ports/runs.ts';
import type { NewJob } from '../../storage/types/jobs.ts';
import type { StoredRun } from '../../storage/types/runs.ts';
import {
  MOST_ITEMS,
  MOST_TOKENS,
  memoryOf,
  readSections,
  shownItems,
  summariseRequest,
  viewersOf,
} from './summarise.ts';

export interface SummariserDeps {
  configs(): Configs;
  readonly models: Models;
  /** The models that answer a persona's mail. */
  targetsOf(persona: Persona): readonly Target[];
  defaultModel(provider: string): string;
  artifactsOf(personaId: string): Blobs;
  readonly clock: Clock;
  readonly random: () => number;
  readonly pass: PassCrashPoint;
}

/**
 * What follows from a run that was not shown all of its thread: what it was not shown is summarised, where a stage has a
 * model for it.
 */
export const summariesAfterRun = (
  { run, thread }: Pick<LoadedRun, 'run' | 'thread'>,
  now: number,
): readonly NewJob[] => (thread.private_since === null ? [summariseJob(run.id, null, now)] : []);

interface Summarised {
  readonly memory: KeptThreadMemory['memory'];
  readonly event: PayloadOf<'memory_written'>;
  /** There is more to summarise than one summary takes in. */
  readonly more: boolean;
}

/** Does such a job: killed anywhere it begins anew, and what it finds is written once, together with its end. */
export function createSummariser(deps: SummariserDeps): JobHandler {
  const { clock, pass } = deps;
  return handleTries(
    summarise,
    { ...deps, begun: 'summary.begun', looked: 'summary.made' },
    {
      async begin({ job, store }) {
        return (await store.getRun(job.payload.run_id)) ?? null;
      },
      look: (run, work) => look(deps, run, work),
      failed: () => nothing('failed'),
      mayPass: ({ event: { code } }) => code === 'provider' || code === 'failed',
      async end(run, { memory, event, more }, { persona, job, store }) {
        const now = clock.now();
        // Nothing was new, which is no news.
        if (memory === null && event.code === null) return store.endJob(job.id);
        const jobs = more && memory ? [summariseJob(run.id, memory.state.watermark, now)] : [];
        const row = encodeEvent('memory_written', event, deps.artifactsOf(persona.id));
        const kept = { jobId: job.id, runId: run.id, event: row, memory, jobs, now };
        if (await store.keepThreadMemory(kept)) pass('run.event.memory_written');
      },
    },
  );
}

async function look(
  deps: SummariserDeps,
  run: StoredRun,
  { persona, store, signal }: StageWork<unknown>,
): Promise<Summarised> {
  const { inference, system } = deps.configs();
  const settings = stageSettings(persona, inference, 'summarise');
  if (settings === null) return nothing('off');
  const targets = stageTargets(settings, deps.targetsOf(persona), deps.defaultModel);
  // No model reads there.
  if (targets.every(({ provider }) => provider === 'offline')) return nothing('off');
  const thread = await store.getThread(run.thread_id);
  if (!thread || thread.private_since !== null) return nothing('private');
  const call = createStageCaller({
    models: deps.models,
    inference,
    signal,
    clock: deps.clock,
    runId: run.id,
    settings: { ...settings, max_output_tokens: Math.min(settings.max_output_tokens ?? MOST_TOKENS, MOST_TOKENS) },
    targets,
    booking: memoryBooking({
      store,
      persona,
      share: system.memory.budget_share,
      runId: run.id,
      clock: deps.clock,
    }),
  });
  return summariseThread(store, call, { threadId: thread.id, before: thread.history_from, now: deps.clock.now() });
}

/** Takes the mails in that came after what is summarised and before what the thread's next run is shown. */
export async function summariseThread(
  store: Pick<SummaryStore, 'threadMemory' | 'threadMemoryViewers' | 'threadItems'>,
  call: CallStage,
  { threadId, before, now }: { readonly threadId: string; readonly before: number; readonly now: number },
): Promise<Summarised> {
  const known = await store.threadMemory(threadId, null);
  const asked = { threadId, after: known?.watermark ?? 0, before, limit: MOST_ITEMS };
  const found = await store.threadItems(asked);
  const items = shownItems(found);
  if (items.length === 0) return nothing(null);
  const { text, code, calls } = await call(summariseRequest(known?.sections ?? null, items));
  if (text === null) return nothing(code ?? 'failed', calls);
  const sections = readSections(text);
  if (sections === null) return nothing('unparsable', calls);
  const state = memoryOf(known, items, { threadId, sections, now });
  const viewers = viewersOf(known ? await store.threadMemoryViewers(threadId) : null, items);
  const summary = { items: items.length, until: state.watermark, chars: JSON.stringify(sections).length };
  return {
    memory: { state, asked, seqs: items.map(({ seq }) => seq), viewers },
    event: { stage: 'summarise', code: null, calls, written: [], refused: [], summary },
    more: found.length === MOST_ITEMS || items.length < found.length,
  };
}

const nothing = (
  code: PayloadOf<'memory_written'>['code'],
  calls: PayloadOf<'memory_written'>['calls'] = [],
): Summarised => ({
  memory: null,
  event: { stage: 'summarise', code, calls, written: [], refused: [] },
  more: false,
});
