import type { Log } from '#contract';
import type { PersonaEntry } from '../config/types.ts';
import { backoffMs } from '../lib/backoff.ts';
import type { Clock } from '../lib/clock.ts';
import { cannotWrite, untilWritten } from '../lib/files/until-written.ts';
import { loadedAtFirstUse } from '../lib/first-use.ts';
import { holdLease } from '../lib/held-lease.ts';
import type { JobHandler } from '../record/jobs/jobs.ts';
import type { JobClaim } from '../storage/ports/jobs.ts';
import { FencedError } from '../storage/ports/runs.ts';
import type { Store } from '../storage/ports/store.ts';
import type { StoredJob } from '../storage/types/jobs.ts';
import type { Holder } from '../storage/types/leases.ts';
import type { Lane, Work } from './dispatcher.ts';

const GIVE_UP_AFTER = 8;
const LEASE_MS = 5 * 60_000;
const LOOK_MS = 500;
/** A job that found no room to write is no failure of its own, and is not given up for it. */
const ROOM_RETRY_MS = 10_000;
/** How long a job that nobody here can do is left alone: a later version, or an extension that is back, may do it. */
const PARKED_MS = 3_600_000;

type Prepared =
  | { readonly can: true; readonly run: ReturnType<JobHandler['prepare']> }
  | { readonly can: false; readonly code: 'unknown_job_kind' | 'unreadable_job'; readonly why: string };

/**
 * Work that follows from rows and that no mail waits for: notices to owners, hooks. One at a time per persona. Kinds that
 * ask a model have a lane of their own, so that no notice waits for one.
 */
export function createJobsLane(deps: {
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
      const job = await store.claimJob({ ...deps.holder, ...which, now: clock.now(), leaseMs });
      if (!job) return undefined;
      const prepared = prepare(job, handlers.get(job.kind));
      if (prepared.can) return { job, run: prepared.run };
      const { code, why } = prepared;
      log.warn({ persona: personaId, job: job.id, code, why }, 'a job is parked');
      await store.parkJob(job.id, { code, dueAt: clock.now() + PARKED_MS });
    }
  };

  return {
    name: deps.kinds?.only === true ? 'memory' : 'jobs',
    nextDueAt: ({ jobs }) => jobs,
    limits: () => ({ total: 8, perPersona: 1 }),
    async claim(personaId, store) {
      const entry = deps.findPersona(personaId);
      if (entry?.state !== 'ready') return [];
      const found = await next(personaId, store);
      if (!found) return [];
      const { job, run } = found;
      const work: Work = async (working, signal) => {
        const held = holdLease({
          ...{ leaseMs, lookMs: LOOK_MS, now: clock.now },
          extend: (until) => working.extendJob(job.id, job.lease, until),
          makeLost: () => new FencedError('the job was taken over'),
        });
        try {
          await held.assertHeld();
          await run(entry.persona, working, AbortSignal.any([signal, held.lost]));
        } catch (error) {
          if (held.lost.aborted) return log.warn({ persona: personaId, job: job.id }, 'the job was taken over');
          log.error({ persona: personaId, job: job.id, error: String(error) }, 'a job failed');
          const settled = (write: () => Promise<void>) => untilWritten(write, { clock, signal });
          const isFull = cannotWrite(error);
          if (job.attempts + 1 >= GIVE_UP_AFTER && !isFull) return settled(() => working.endJob(job.id));
          const maxMs = isFull ? ROOM_RETRY_MS : 3_600_000;
          const wait = backoffMs({ attempt: job.attempts + 1, firstMs: 1000, maxMs, random: deps.random() });
          await settled(() => working.postponeJob(job.id, clock.now() + wait));
        } finally {
          held.stop();
        }
      };
      return [work];
    },
  };
}
