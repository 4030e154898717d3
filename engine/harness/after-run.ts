import type { Configs, Persona } from '../config/types.ts';
import { outcomeAfterRun } from '../learning/outcome-job.ts';
import { jobsAfterRun } from '../memory/facts/remember-job.ts';
import { summariesAfterRun } from '../memory/threads/summarise-job.ts';
import type { LoadedRun } from '../storage/ports/runs.ts';
import type { NewJob } from '../storage/types/jobs.ts';

/** What is learned from a run that has answered; rows of the transaction that ends it. */
export const learnedAfterRun = (
  of: { readonly persona: Persona; readonly configs: Configs },
  loaded: LoadedRun,
  { omitted, now }: { readonly omitted: number; readonly now: number },
): readonly NewJob[] =>
  // Of its mail all was learned when it was answered.
  loaded.decided
    ? []
    : [
        ...jobsAfterRun(of, loaded, now),
        ...summariesAfterRun(of, loaded, { omitted, now }),
        ...outcomeAfterRun(of, loaded, now),
      ];
