import { EngineError, type HookCapabilities, type HookEvent } from '#contract';
import { asEngine } from '../../extensions/guard/guard.ts';
import type { RegisteredHook } from '../../extensions/types.ts';
import { capabilitiesFor, only } from '../../extensions/uses.ts';
import type { Clock } from '../../lib/clock.ts';
import { withDeadline } from '../../lib/deadline.ts';
import { viewerOf } from '../../policy/viewer.ts';
import { hookJob } from '../../record/jobs/job-kinds.ts';
import { handleJobs, type JobHandler } from '../../record/jobs/jobs.ts';
import type { Store } from '../../storage/ports/store.ts';
import { createMailSearch } from '../../tools/capabilities/mail.ts';
import type { Hooks } from './hook-jobs.ts';

const HOOK_TIMEOUT_MS = 60_000;
/** A run writes its record by itself as long as it works; what a hook leaves there has to wait for that. */
const BUSY_MS = 500;

/** After so many times in a row a hook that was too late hears of nothing any more. */
const MOST_LATE = 3;

/**
 * Runs a hook's job; that it came to its end is put on record. A hook that is gone has nothing to say any more, and one
 * that is late each time hears of nothing any more.
 */
export function createHookRunner(deps: {
  hooks(): Hooks;
  readonly clock: Clock;
  readonly timeoutMs?: number;
}): JobHandler {
  const { hooks, clock, timeoutMs = HOOK_TIMEOUT_MS } = deps;
  /** How often each was late since it last came to an end in time. */
  const late = new Map<string, number>();
  const limitOf = ({ manifest }: RegisteredHook): number =>
    manifest.timeout_s === undefined ? timeoutMs : manifest.timeout_s * 1000;
  const count = (hook: RegisteredHook, error: unknown): void => {
    const isLate = error instanceof EngineError && error.code === 'timeout';
    const times = isLate ? (late.get(hook.name) ?? 0) + 1 : 0;
    late.set(hook.name, times);
    if (times < MOST_LATE) return;
    late.delete(hook.name);
    hook.silence?.(`it was late ${MOST_LATE} times in a row: it has ${limitOf(hook) / 1000} s for an event`);
  };
  return handleJobs(hookJob, async (persona, job, store, signal) => {
    const { hook: name, event } = job.payload;
    const hook = hooks().get(name);
    if (!hook || (hook.silenced?.() ?? null) !== null) return store.endJob(job.id);
    const isBusy = async () => event.runId !== null && (await store.getRun(event.runId))?.status === 'running';
    if (await isBusy()) return store.delayJob(job.id, clock.now() + BUSY_MS);
    const { definition, config, log, manifest } = hook;
    const secrets = hook.secrets();
    const names = capabilitiesFor(definition.uses, manifest.capabilities ?? [], []);
    const handed = asEngine(only(capabilitiesOf(event, store, persona.timezone), names));
    const started = clock.now();
    try {
      await withDeadline(
        async (hookSignal) => await definition.handle?.(event, { config, secrets, log, signal: hookSignal, ...handed }),
        { ms: limitOf(hook), code: 'timeout', what: `hook ${name}`, parent: signal },
      );
      count(hook, null);
    } catch (error) {
      // A gateway that stops waits for nobody.
      if (!signal.aborted) count(hook, error);
      throw error;
    }
    const now = clock.now();
    const { runId } = event;
    if (runId === null) return store.endJob(job.id);
    const ended = { runId, hook: name, event: event.name, ms: now - started };
    // The run may have been taken up again meanwhile; then the hook hears of it once more.
    if (!(await store.endHook(job.id, ended, now))) await store.delayJob(job.id, now + BUSY_MS);
  });
}

const capabilitiesOf = ({ runId }: HookEvent, store: Store, timezone: string): HookCapabilities => ({
  async search(asked) {
    const run = runId === null ? undefined : await store.getRun(runId);
    return createMailSearch({ store, viewer: run ? viewerOf(run) : null, current: null, timezone })(asked);
  },
});
