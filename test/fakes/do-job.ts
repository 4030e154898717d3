import type { Persona } from '../../engine/config/types.ts';
import type { JobHandler } from '../../engine/record/jobs/jobs.ts';
import type { Store } from '../../engine/storage/ports/store.ts';
import type { StoredJob } from '../../engine/storage/types/jobs.ts';

/** Does one job as the lane does. */
export const doJob = (
  handler: JobHandler,
  job: StoredJob,
  { persona, store }: { persona: Persona; store: Store },
): Promise<void> => handler.prepare(job)(persona, store, new AbortController().signal);
