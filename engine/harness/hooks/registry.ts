import type { HookCapabilities, HookEvent } from '#contract';
import type { Persona } from '../../config/types.ts';
import { asEngine } from '../../extensions/guard.ts';
import type { RegisteredHook, Registry } from '../../extensions/types.ts';
import { capabilitiesFor, only } from '../../extensions/uses.ts';
import type { Clock } from '../../lib/clock.ts';
import { withDeadline } from '../../lib/deadline.ts';
import { viewerOf } from '../../policy/viewer.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { NewJob, StoredJob } from '../../storage/types/jobs.ts';
import { createMailSearch } from '../../tools/capabilities/mail.ts';

type Hooks = Pick<Registry<RegisteredHook>, 'all' | 'get'>;

const HOOK_TIMEOUT_MS = 60_000;

/** One job per hook that wants the event, committed with the event itself: none is lost, none changes the run. */
export function hookJobs(hooks: Hooks, event: HookEvent, now: number): readonly NewJob[] {
  return hooks
    .all()
    .filter(({ definition }) => definition.on.includes(event.name))
    .map(({ name }) => ({
      id: `hook:${name}:${event.name}:${event.runId}`,
      kind: 'hook',
      due_at: now,
      payload: { hook: name, event },
    }));
}

/** Runs a hook's job; that it came to its end is put on record. A hook that is gone has nothing to say any more. */
export function createHookRunner(hooks: () => Hooks, clock: Clock) {
  return async (_persona: Persona, job: StoredJob, store: Store, signal: AbortSignal): Promise<void> => {
    const { hook: name, event } = JSON.parse(job.payload_json) as { hook: string; event: HookEvent };
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
  };
}
