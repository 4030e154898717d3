import type { Log } from '#contract';
import type { Configs, Persona, PersonaEntry } from '../config/types.ts';
import { type Advanced, advanceRun, type HarnessDeps, leaseMsOf, localDay } from '../harness/runtime.ts';
import { backoffMs } from '../lib/backoff.ts';
import type { Clock } from '../lib/clock.ts';
import { FencedError, type LoadedRun, type Store } from '../storage/store.ts';
import type { Lane } from './dispatcher.ts';

/** After this many faults of the engine itself at one step, even a reply that says so could not be made. */
const ABANDON_AFTER = 6;

/** Claims due runs, oldest first, one per thread, and lets the harness work them. */
export function createRunsLane(deps: {
  harness: HarnessDeps;
  configs(): Configs;
  findPersona(id: string): PersonaEntry | undefined;
  instance: string;
  clock: Clock;
  random: () => number;
  log: Log;
}): Lane {
  const { harness, clock, log } = deps;
  /** Runs under way that the process, or the engine, has failed at before; and whether one is being looked for. */
  const suspects = new Set<string>();
  const looking = { forSuspect: false };
  const claimOf = (persona: Persona) => ({
    instance: deps.instance,
    now: clock.now(),
    leaseMs: leaseMsOf(deps.configs()),
    day: localDay(clock.now(), persona.timezone),
  });

  /**
   * Suspects come last and one at a time. Side by side, each death that one of them causes would count against the
   * others as well, and after three of those their mail would get less than its answer.
   */
  const claimSuspect = async (persona: Persona, store: Store) => {
    if (suspects.size > 0 || looking.forSuspect) return undefined;
    looking.forSuspect = true;
    try {
      const loaded = await store.claimRun({ ...claimOf(persona), suspects: true });
      if (loaded) suspects.add(loaded.run.id);
      return loaded;
    } finally {
      looking.forSuspect = false;
    }
  };

  return {
    name: 'runs',
    limits() {
      const { max_runs: total, max_runs_per_persona: perPersona } = deps.configs().system.dispatch;
      return { total, perPersona };
    },
    isHolding: () => suspects.size > 0 || looking.forSuspect,
    async claim(personaId, store) {
      const entry = deps.findPersona(personaId);
      if (entry?.state !== 'ready') return undefined;
      const { persona } = entry;
      const unblamed = await store.claimRun({ ...claimOf(persona), suspects: false });
      const loaded = unblamed ?? (await claimSuspect(persona, store));
      if (!loaded) return undefined;
      // Taken over just now from a process that died: not yet held back, but others are while it is worked on.
      if (loaded.crashes > 0) suspects.add(loaded.run.id);
      return async (working, signal) => {
        try {
          // Whatever kills the process each time may as well be the reply that was to say so.
          if (loaded.crashes >= ABANDON_AFTER) return await abandon(loaded, working);
          const advanced: Advanced = await advanceRun(harness, { loaded, persona, store: working, signal });
          log.debug({ persona: personaId, run: loaded.run.id, advanced: advanced.kind }, 'run advanced');
        } catch (error) {
          await recoverFrom(error, loaded, working, signal.aborted);
        } finally {
          suspects.delete(loaded.run.id);
        }
      };
    },
  };

  async function recoverFrom(
    error: unknown,
    loaded: LoadedRun & { crashes: number },
    store: Store,
    stopping: boolean,
  ): Promise<void> {
    const { run } = loaded;
    if (error instanceof FencedError) {
      log.warn({ run: run.id }, 'the run was taken over or cancelled; this attempt is discarded');
      return;
    }
    const lease = { runId: run.id, fence: run.fence };
    // Stopped by us, so it is nobody's fault: the next start goes on where this one was.
    if (stopping) return store.releaseRun(lease, clock.now());
    log.error(
      { run: run.id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) },
      'run faulted',
    );
    if (loaded.crashes + 1 < ABANDON_AFTER) {
      const wait = backoffMs({ attempt: loaded.crashes + 1, firstMs: 500, maxMs: 60_000, random: deps.random() });
      await store.releaseFaulted(lease, clock.now() + wait);
      return;
    }
    await abandon(loaded, store);
  }

  async function abandon({ run, events }: LoadedRun, store: Store): Promise<void> {
    const lease = { runId: run.id, fence: run.fence };
    const now = clock.now();
    const text = `Run ${run.id} could not be worked on and got no answer: the gateway itself failed at it ${ABANDON_AFTER} times.`;
    await store.finishRun({
      lease,
      firstSeq: (events.at(-1)?.seq ?? 0) + 1000,
      events: [{ type: 'run_ended', payload: { status: 'failed', outcome: 'failed', code: 'repeated_crash' } }],
      patch: { status: 'failed', outcome: 'failed', code: 'repeated_crash', ended_at: now, leased_by: null },
      jobs: [
        {
          id: `notice:run_abandoned:${run.id}`,
          kind: 'notice',
          due_at: now,
          payload: { subject: 'A mail got no answer', text },
        },
      ],
      now,
    });
  }
}
