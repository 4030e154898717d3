import type { AfterRun } from '../harness/features.ts';
import { jobsAfterRun } from '../memory/facts/remember-job.ts';

/**
 * What is to be remembered of a mail. What a later mail says that was answered with the first is looked at as well, as the
 * mail of its own run.
 */
export const remembering: AfterRun = ({ loaded, log, now }) => {
  const { run, further = [] } = loaded;
  const taken = log.of('mail_taken_in').flatMap(({ data }) => data.mails);
  return [
    ...jobsAfterRun(loaded, now),
    ...taken.flatMap((mail) => {
      const { message } = further.find(({ message: { id } }) => id === mail.message_id) ?? {};
      if (message === undefined || mail.run_id === null) return [];
      return jobsAfterRun({ run: { ...run, id: mail.run_id }, message }, now);
    }),
  ];
};
