import type { Log } from '#contract';
import type { Persona, PersonaEntry } from '../config/types.ts';
import { backoffMs } from '../lib/backoff.ts';
import type { Clock } from '../lib/clock.ts';
import { cannotWrite, ROOM_RETRY_MS, untilWritten } from '../lib/files/durable-file.ts';
import { holdLease } from '../lib/held-lease.ts';
import { loadedAtFirstUse } from '../lib/kept-value.ts';
import type { JobHandler } from '../record/jobs/jobs.ts';
import type { JobClaim } from '../storage/ports/jobs.ts';
import { FencedError } from '../storage/ports/runs.ts';
import type { Store } from '../storage/ports/store.ts';
import type { ClaimedJob, StoredJob } from '../storage/types/jobs.ts';
import type { Holder } from '../storage/types/leases.ts';
import type { Lane, Work } from './dispatcher.ts';

const GIVE_UP_AFTER = 8;
const MAX_RETRY_MS = 3_600_000;
const LEASE_MS = 5 * 60_000;
const LOOK_MS = 500;
/** One that found no room to write has not failed by itself, unless its own row could be written each time. */
const GIVE_UP_WITHOUT_ROOM = 100;
/** How long a job that nobody here can do is left alone: a later version, or an extension that is back, may do it. */
const PARKED_MS = 3_600_000;

type Prepared =
  | { readonly can: true; readonly run: ReturnType<JobHandler['prepare']> }
  | { readonly can: false; readonly code: 'unknown_job_kind' | 'unreadable_job'; readonly why: string };

/**
 * Work that follows from rows and that no mail waits for: notices to owners. One at a time per persona. Kinds that ask a
 * model have a lane of their own, and so have those that run anybody's code, hooks and tools: no notice waits for one.
 */
export function createJobsLane(deps: {
  readonly name: string;
  /** Absent: eight at once, one of them for a persona. */
  limits?: { readonly total: number; readonly perPersona: number };
  /** Jobs that wait for each other: of a group one at a time for a persona, and so many of all personas. */
  groups?: { readonly most: number; of(job: Pick<StoredJob, 'id' | 'kind'>): string };
  /** One for each kind; asked at the first job. */
  handlers(): Promise<readonly JobHandler[]>;
  /** Absent: it takes all. */
  kinds?: NonNullable<JobClaim['kinds']>;
  findPersona(id: string): PersonaEntry | undefined;
  holder: Holder;
  /** Absent: five minutes; it is extended while the job is done. */
  leaseMs?: number | undefined;
  clock: Clock;
  random: () => number;
  log: Log;
}): Lane {
  const { clock, log, leaseMs = LEASE_MS } = deps;
  const which = deps.kinds ? { kinds: deps.kinds } : {};
  const byKind = loadedAtFirstUse(
    async () => new Map((await deps.handlers()).map((handler) => [handler.kind, handler])),
  );

  const prepare = (job: StoredJob, handler: JobHandler | undefined): Prepared => {
    if (!handler)
      return { can: false, code: 'unknown_job_kind', why: `nothing here does jobs of the kind ${job.kind}` };
    try {
      return { can: true, run: handler.prepare(job) };
    } catch (error) {
      return { can: false, code: 'unreadable_job', why: String(error) };
    }
  };

  /** The oldest due job that can be done. What cannot be is parked, so that it holds nothing up. */
  const next = async (personaId: string, store: Store) => {
    const handlers = await byKind();
    for (;;) {
      const without = busyFor(personaId);
      const job = await store.claimJob({ ...deps.holder, ...which, without, now: clock.now(), leaseMs });
      if (!job) return undefined;
      const prepared = prepare(job, handlers.get(job.kind));
      if (prepared.can) return { job, run: prepared.run };
      const { code, why } = prepared;
      log.warn({ persona: personaId, job: job.id, code, why }, 'a job is parked');
      await store.parkJob(job.id, { code, dueAt: clock.now() + PARKED_MS });
    }
  };

  /** Personas for which a job of the group is under way. */
  const busy = new Map<string, Set<string>>();
  const busyFor = (personaId: string): readonly string[] =>
    [...busy].flatMap(([group, personas]) =>
      personas.has(personaId) || personas.size >= (deps.groups?.most ?? 0) ? [group] : [],
    );
  const begin = (personaId: string, job: StoredJob): (() => void) => {
    if (!deps.groups) return () => {};
    const group = deps.groups.of(job);
    const personas = busy.get(group) ?? new Set();
    busy.set(group, personas.add(personaId));
    return () => {
      personas.delete(personaId);
      if (personas.size === 0) busy.delete(group);
    };
  };

  return {
    name: deps.name,
    nextDueAt: ({ jobs }) => jobs,
    limits: () => deps.limits ?? { total: 8, perPersona: 1 },
    // Whoever is left out because of a group is looked at again when one of its jobs ends.
    isHolding: () => busy.size > 0,
    async claim(personaId, store, limit) {
      const entry = deps.findPersona(personaId);
      if (entry?.state !== 'ready') return [];
      const claimed: Work[] = [];
      while (claimed.length < limit) {
        const found = await next(personaId, store).catch((error: unknown) => {
          // What was leased before has to be worked all the same.
          if (claimed.length === 0) throw error;
          log.error({ persona: personaId, lane: deps.name, error: String(error) }, 'no more jobs could be claimed');
        });
        if (!found) break;
        claimed.push(workOf(personaId, entry.persona, found));
      }
      return claimed;
    },
  };

  function workOf(
    personaId: string,
    persona: Persona,
    { job, run }: { job: ClaimedJob; run: ReturnType<JobHandler['prepare']> },
  ): Work {
    const ended = begin(personaId, job);
    return async (working, signal) => {
      const held = holdLease({
        leaseMs,
        lookMs: LOOK_MS,
        now: clock.now,
        extend: (until) => working.extendJob(job.id, job.lease, until),
        makeLost: () => new FencedError('the job was taken over'),
      });
      try {
        await held.assertHeld();
        await run(persona, working, AbortSignal.any([signal, held.lost]));
      } catch (error) {
        if (held.lost.aborted) return log.warn({ persona: personaId, job: job.id }, 'the job was taken over');
        log.error({ persona: personaId, job: job.id, error: String(error) }, 'a job failed');
        await untilWritten(() => tryLater(job, working, error), { clock, signal });
      } finally {
        held.stop();
        ended();
      }
    };
  }

  /** Later each time, or not any more. */
  function tryLater({ id, attempts }: ClaimedJob, store: Store, error: unknown): Promise<void> {
    const isFull = cannotWrite(error);
    const [most, maxMs] = isFull ? [GIVE_UP_WITHOUT_ROOM, ROOM_RETRY_MS] : [GIVE_UP_AFTER, MAX_RETRY_MS];
    if (attempts + 1 >= most) return store.endJob(id);
    const wait = backoffMs({ attempt: attempts + 1, firstMs: 1000, maxMs, random: deps.random() });
    return store.postponeJob(id, clock.now() + wait);
  }
}
