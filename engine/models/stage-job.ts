import type { Persona } from '../config/types.ts';
import { backoffMs } from '../lib/backoff.ts';
import type { Clock } from '../lib/clock.ts';
import type { CrashPoint, PassCrashPoint } from '../lib/crash-points.ts';
import { handleJobs, type Job, type JobHandler, type JobKind } from '../record/jobs/jobs.ts';
import type { Store } from '../storage/ports/store.ts';

/** Times that a job asks its stage, whatever ends each: an answer that is none, an outage, the end of the process. */
const TRIES = 3;
const FIRST_RETRY_MS = 30_000;
const MAX_RETRY_MS = 3_600_000;

export interface StageWork<Payload> {
  readonly persona: Persona;
  readonly job: Job<Payload>;
  readonly store: Store;
  readonly signal: AbortSignal;
}

/** What jobs of one kind do around the asking. */
interface StageSteps<Payload, Subject, Found> {
  /** What the job is about; null: there is nothing to do any more. */
  begin(work: StageWork<Payload>): Promise<Subject | null>;
  look(subject: Subject, work: StageWork<Payload>): Promise<Found>;
  /** What is found where looking threw, or ended the process thrice. */
  failed(): Found;
  /** Whether it may be otherwise the next time. */
  mayPass(found: Found): boolean;
  /** Writes down what was found, together with the end of the job. */
  end(subject: Subject, found: Found, work: StageWork<Payload>): Promise<void>;
}

/** Does jobs that ask a stage: three tries, each counted before it is made, and one end, wherever the process is ended. */
export function handleTries<Payload, Subject, Found>(
  kind: JobKind<Payload>,
  deps: {
    readonly clock: Clock;
    readonly random: () => number;
    readonly pass: PassCrashPoint;
    /** Passed once a try is counted. */
    readonly begun: CrashPoint;
    /** Passed when its answer is there and nothing is written yet. */
    readonly looked: CrashPoint;
  },
  steps: StageSteps<Payload, Subject, Found>,
): JobHandler {
  return handleJobs(kind, async (persona, job, store, signal) => {
    const work = { persona, job, store, signal };
    const subject = await steps.begin(work);
    if (subject === null) return store.endJob(job.id);
    if (job.attempts >= TRIES) return steps.end(subject, steps.failed(), work);
    await store.beginTry(job.id);
    deps.pass(deps.begun);
    const found = await steps.look(subject, work).catch((error: unknown) => {
      if (signal.aborted) throw error;
      return steps.failed();
    });
    deps.pass(deps.looked);
    if (!steps.mayPass(found) || job.attempts + 1 >= TRIES) return steps.end(subject, found, work);
    const attempt = job.attempts + 1;
    const wait = backoffMs({ attempt, firstMs: FIRST_RETRY_MS, maxMs: MAX_RETRY_MS, random: deps.random() });
    await store.delayJob(job.id, deps.clock.now() + wait);
  });
}
