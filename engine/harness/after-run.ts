import type { Configs, Persona } from '../config/types.ts';
import { outcomeAfterRun } from '../learning/outcome-job.ts';
import { jobsAfterRun } from '../memory/facts/remember-job.ts';
import { summariesAfterRun } from '../memory/threads/summarise-job.ts';
import type { PayloadOf } from '../record/events.ts';
import { weeklyJobs } from '../record/jobs/weekly.ts';
import type { RunLog } from '../record/run-log.ts';
import type { LoadedRun } from '../storage/ports/runs.ts';
import type { NewJob } from '../storage/types/jobs.ts';

/** What is learned from a run that has answered, and that its owners hear of the week; rows of the transaction that ends it. */
export const learnedAfterRun = (
  of: { readonly persona: Persona; readonly configs: Configs },
  loaded: LoadedRun,
  { omitted, log, now }: { readonly omitted: number; readonly log: RunLog; readonly now: number },
): readonly NewJob[] =>
  // Of its mail all was learned when it was answered.
  loaded.decided
    ? []
    : [
        ...jobsAfterRun(of, loaded, now),
        ...log
          .of('mail_taken_in')
          .flatMap(({ data }) => data.mails.flatMap((mail) => ofFurther(of, loaded, mail, now))),
        ...summariesAfterRun(of, loaded, { omitted, now }),
        ...outcomeAfterRun(of, loaded, now),
        ...weeklyJobs({ persona: of.persona, system: of.configs.system }, now),
      ];

/** What a later mail says that was answered with the first is looked at as well, as the mail of its own run. */
function ofFurther(
  of: Parameters<typeof learnedAfterRun>[0],
  { run, further = [] }: LoadedRun,
  mail: PayloadOf<'mail_taken_in'>['mails'][number],
  now: number,
): readonly NewJob[] {
  const { message } = further.find(({ message: { id } }) => id === mail.message_id) ?? {};
  if (message === undefined || mail.run_id === null) return [];
  return jobsAfterRun(of, { run: { ...run, id: mail.run_id }, message }, now);
}
