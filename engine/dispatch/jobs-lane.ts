import type { Log } from '#contract';
import type { Persona, PersonaEntry } from '../config/types.ts';
import { backoffMs } from '../lib/backoff.ts';
import type { Clock } from '../lib/clock.ts';
import type { Store } from '../storage/ports/store.ts';
import type { StoredJob } from '../storage/types/jobs.ts';

import type { Lane, Work } from './dispatcher.ts';

/** Does one job and ends it; a throw puts it back. */
export type DoJob = (persona: Persona, job: StoredJob, store: Store, signal: AbortSignal) => Promise<void>;

const GIVE_UP_AFTER = 8;

/** Work that follows from rows and that no mail waits for: notices to owners, hooks. One at a time per persona. */
export function createJobsLane(deps: {
  handlers: Readonly<Record<StoredJob['kind'], DoJob>>;
  findPersona(id: string): PersonaEntry | undefined;
  clock: Clock;
  random: () => number;
  log: Log;
}): Lane {
  const { clock, log } = deps;
  return {
    name: 'jobs',
    limits: () => ({ total: 8, perPersona: 1 }),
    async claim(personaId, store) {
      const [job] = await store.dueJobs(clock.now(), 1);
      const entry = deps.findPersona(personaId);
      if (!job || entry?.state !== 'ready') return [];
      const work: Work = async (working, signal) => {
        try {
          await deps.handlers[job.kind](entry.persona, job, working, signal);
        } catch (error) {
          log.error({ persona: personaId, job: job.id, error: String(error) }, 'a job failed');
          if (job.attempts + 1 >= GIVE_UP_AFTER) return working.endJob(job.id);
          const wait = backoffMs({ attempt: job.attempts + 1, firstMs: 1000, maxMs: 3_600_000, random: deps.random() });
          await working.postponeJob(job.id, clock.now() + wait);
        }
      };
      return [work];
    },
  };
}
