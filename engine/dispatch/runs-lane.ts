import type { Log } from '#contract';
import type { Configs, Persona, PersonaEntry } from '../config/types.ts';
import { leaseMsOf } from '../harness/lease.ts';
import type { Advanced, HarnessDeps } from '../harness/runtime.ts';
import { backoffMs } from '../lib/backoff.ts';
import type { Clock } from '../lib/clock.ts';
import { cannotWrite, ROOM_RETRY_MS, untilWritten } from '../lib/files/durable-file.ts';
import { holdLease } from '../lib/held-lease.ts';
import { loadedAtFirstUse } from '../lib/kept-value.ts';
import { localDay } from '../lib/schedule/zone.ts';
import type { ClaimedRun } from '../storage/ports/runs.ts';
import { FencedError } from '../storage/ports/runs.ts';
import type { Store } from '../storage/ports/store.ts';
import type { Holder } from '../storage/types/leases.ts';
import type { Lease } from '../storage/types/runs.ts';

import type { Lane, Work } from './dispatcher.ts';
import type { Waiters } from './waiting.ts';

/** After this many faults of the engine itself at one step, even the usual reply that says so could not be made. */
const ABANDON_AFTER = 6;

/** So often in a row, while its row could be written each time: then it is something about this run after all. */
const MOST_WITHOUT_ROOM = 20;

/** A cancelled run is noticed within so long, also in the middle of a tool or model call. */
const LOOK_MS = 250;

/** Claims due runs, oldest first, one per thread, and lets the harness work them. */
export function createRunsLane(deps: {
  harness: HarnessDeps;
  waiters: Waiters;
  configs(): Configs;
  findPersona(id: string): PersonaEntry | undefined;
  holder: Holder;
  clock: Clock;
  random: () => number;
  log: Log;
}): Lane {
  const { harness, waiters, clock, log } = deps;
  // What works a run is most of the engine.
  const runtime = loadedAtFirstUse(() => import('../harness/runtime.ts'));
  /** Runs under way that the process, or the engine, has failed at before. */
  const suspects = new Set<string>();
  /** How often in a row each run has found no room to write. */
  const withoutRoom = new Map<string, number>();
  const looking = { forSuspect: false };
  const claimOf = (persona: Persona) => ({
    ...deps.holder,
    now: clock.now(),
    leaseMs: leaseMsOf(harness),
    day: localDay(clock.now(), persona.timezone),
  });

  /**
   * Suspects come last and one at a time. Side by side, each death that one of them causes would count against the
   * others as well, and after `MAX_CRASHES` of those their mail would get less than its answer.
   */
  const claimSuspect = async (persona: Persona, store: Store) => {
    if (suspects.size > 0 || looking.forSuspect) return undefined;
    looking.forSuspect = true;
    try {
      const claim = claimOf(persona);
      if (!(await store.hasDueSuspect(claim))) return undefined;
      const [loaded] = await store.claimRuns({ ...claim, suspects: true, limit: 1 });
      if (loaded) suspects.add(loaded.run.id);
      return loaded;
    } catch (error) {
      // What was leased beside it has to be worked all the same; the next poll looks again.
      log.error({ persona: persona.id, error: String(error) }, 'no look at runs that failed before was possible');
      return undefined;
    } finally {
      looking.forSuspect = false;
    }
  };

  return {
    name: 'runs',
    nextDueAt: ({ runs }) => runs,
    async takeUp(personaId, store, waits) {
      const entry = deps.findPersona(personaId);
      return entry?.state === 'ready' ? waiters.takeUp(entry.persona, store, waits) : null;
    },
    limits() {
      const { max_runs: total, max_runs_per_persona: perPersona } = deps.configs().system.dispatch;
      return { total, perPersona };
    },
    isHolding: () => suspects.size > 0 || looking.forSuspect,
    async claim(personaId, store, limit) {
      const entry = deps.findPersona(personaId);
      if (entry?.state !== 'ready') return [];
      const { persona } = entry;
      await waiters.putAside(persona, store);
      const claimed = [...(await store.claimRuns({ ...claimOf(persona), suspects: false, limit }))];
      const suspect = claimed.length < limit ? await claimSuspect(persona, store) : undefined;
      if (suspect) claimed.push(suspect);
      return claimed.map((loaded) => workOf(persona, loaded));
    },
  };

  function workOf(persona: Persona, loaded: ClaimedRun): Work {
    if (loaded.events.at(-1)?.type === 'run_started') harness.pass('run.event.run_started');
    // Taken over just now from a process that died. It is at work already; others of its kind wait until it is done.
    if (loaded.crashes > 0) suspects.add(loaded.run.id);
    return async (working, signal) => {
      const lease = { runId: loaded.run.id, fence: loaded.run.fence };
      const held = holdLease({
        leaseMs: leaseMsOf(harness),
        lookMs: LOOK_MS,
        now: clock.now,
        extend: (until) => working.extendRun(lease, until),
        isHeld: () => working.holdsLease(lease),
        makeLost: () => new FencedError('the run was taken over or cancelled'),
      });
      try {
        // Whatever kills the process each time may as well be the reply that was to say so: a fixed one takes its place.
        if (loaded.crashes >= ABANDON_AFTER) return await abandon(loaded, persona, working);
        const { advanceRun } = await runtime();
        const advanced: Advanced = await advanceRun(harness, {
          loaded,
          persona,
          store: working,
          signal: AbortSignal.any([signal, held.lost]),
          assertHeld: held.assertHeld,
        });
        withoutRoom.delete(loaded.run.id);
        if (advanced.kind === 'deferred' && advanced.code === 'budget') waiters.noteSpent(persona);
        log.debug({ persona: persona.id, run: loaded.run.id, advanced: advanced.kind }, 'run advanced');
      } catch (error) {
        const why = held.lost.aborted ? new FencedError('seen while it worked') : error;
        await recoverFrom(why, { loaded, persona, store: working, signal });
      } finally {
        held.stop();
        suspects.delete(loaded.run.id);
      }
    };
  }

  async function recoverFrom(
    error: unknown,
    work: { loaded: ClaimedRun; persona: Persona; store: Store; signal: AbortSignal },
  ): Promise<void> {
    const { loaded, persona, store, signal } = work;
    const { run } = loaded;
    if (error instanceof FencedError) {
      log.warn({ run: run.id }, 'the run was taken over or cancelled; this attempt is discarded');
      return;
    }
    const lease = { runId: run.id, fence: run.fence };
    // Stopped by us, so it is nobody's fault: the next start goes on where this one was.
    if (signal.aborted) return store.releaseRun(lease, clock.now());
    log.error(
      { run: run.id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) },
      'run faulted',
    );
    // Its lease is held by this process, which would not look at it again before the end of that.
    const settled = (write: () => Promise<void>) => untilWritten(write, { clock, signal });
    // A full disk is no fault of the run: counted, it would be given up within a minute.
    if (cannotWrite(error)) {
      const attempt = (withoutRoom.get(run.id) ?? 0) + 1;
      withoutRoom.set(run.id, attempt);
      if (attempt <= MOST_WITHOUT_ROOM) return settled(() => releaseUncounted(lease, attempt, store));
    }
    if (loaded.crashes + 1 >= ABANDON_AFTER) return settled(() => abandon(loaded, persona, store));
    const wait = backoffMs({ attempt: loaded.crashes + 1, firstMs: 500, maxMs: 60_000, random: deps.random() });
    await settled(() => store.releaseFaulted(lease, clock.now() + wait));
  }

  async function releaseUncounted(lease: Lease, attempt: number, store: Store): Promise<void> {
    const wait = backoffMs({ attempt, firstMs: 500, maxMs: ROOM_RETRY_MS, random: deps.random() });
    try {
      await store.releaseRun(lease, clock.now() + wait);
    } catch (error) {
      // So little room is no matter of this run.
      withoutRoom.delete(lease.runId);
      throw error;
    }
  }

  async function abandon(loaded: ClaimedRun, persona: Persona, store: Store): Promise<void> {
    withoutRoom.delete(loaded.run.id);
    const now = clock.now();
    const { domain } = deps.configs().gateway;
    const day = localDay(now, persona.timezone);
    const work = { store, persona, loaded };
    const { endAbandoned } = await import('../harness/respond/abandoned.ts');
    await endAbandoned(work, { domain, ids: harness.ids, now, day });
  }
}
