import type { Clock } from '../lib/clock.ts';
import { indexMail } from '../record/jobs/job-kinds.ts';
import { handleJobs, type JobHandler } from '../record/jobs/jobs.ts';

/** In one transaction; about 50 ms. */
const PIECE = 100;
/** Then whatever else waits for this persona's jobs has its turn. */
const PIECES = 20;
const PAUSE_MS = 200;

/** Takes mail that was there before its index into it, newest first. Cut off anywhere it goes on where it was. */
export function createMailIndexer({ clock }: { readonly clock: Clock }): JobHandler {
  return handleJobs(indexMail, async (_persona, job, store, signal) => {
    for (let piece = 0; piece < PIECES; piece += 1) {
      if (signal.aborted || (await store.indexMail(PIECE)) < PIECE) {
        return signal.aborted ? store.delayJob(job.id, clock.now()) : store.endJob(job.id);
      }
      // A mail that comes meanwhile is not to wait for all of it.
      await new Promise(setImmediate);
    }
    await store.delayJob(job.id, clock.now() + PAUSE_MS);
  });
}
