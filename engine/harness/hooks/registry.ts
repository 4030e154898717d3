import type { HookCapabilities, HookEvent } from '#contract';
import { asEngine } from '../../extensions/guard.ts';
import type { RegisteredHook, Registry } from '../../extensions/types.ts';
import { capabilitiesFor, only } from '../../extensions/uses.ts';
import type { Clock } from '../../lib/clock.ts';
import { withDeadline } from '../../lib/deadline.ts';
import { viewerOf } from '../../policy/viewer.ts';
import { hookJob } from '../../record/jobs/job-kinds.ts';
import { handleJobs, type JobHandler } from '../../record/jobs/jobs.ts';
import type { NewJob } from '../../storage/types/jobs.ts';
import { createMailSearch } from '../../tools/capabilities/mail.ts';

type Hooks = Pick<Registry<RegisteredHook>, 'all' | 'get'>;

const HOOK_TIMEOUT_MS = 60_000;

/** One job per hook that wants the event, committed with the event itself: none is lost, none changes the run. */
export function hookJobs(hooks: Hooks, event: HookEvent, now: number): readonly NewJob[] {
  return hooks
    .all()
    .filter(({ definition }) => definition.on.includes(event.name))
    .map(({ name }) =>
      hookJob.job({ id: `hook:${name}:${event.name}:${event.runId}`, due_at: now, payload: { hook: name, event } }),
    );
}

/** Runs a hook's job; that it came to its end is put on record. A hook that is gone has nothing to say any more. */
export function createHookRunner(hooks: () => Hooks, clock: Clock): JobHandler {
  return handleJobs(hookJob, async (_persona, job, store, signal) => {
    const { hook: name, event } = job.payload;
    const hook = hooks().get(name);
    if (!hook) return store.endJob(job.id);
    const { definition, config, log, manifest } = hook;
    const run = await store.getRun(event.runId);
    const all: HookCapabilities = {
      search: createMailSearch({ store, viewer: run ? viewerOf(run) : null, current: null }),
    };
    const names = capabilitiesFor(definition.uses, manifest.capabilities ?? [], []);
    const handed = asEngine(only(all, names));
    const started = clock.now();
    await withDeadline(
      async (hookSignal) => await definition.handle(event, { config, log, signal: hookSignal, ...handed }),
      { ms: HOOK_TIMEOUT_MS, code: 'timeout', what: `hook ${name}`, parent: signal },
    );
    const now = clock.now();
    await store.endHook(job.id, { runId: event.runId, hook: name, event: event.name, ms: now - started }, now);
  });
}
