import type { BeforeRun } from '../harness/features.ts';
import { verdictIn } from '../learning/verdict.ts';
import { playbookScenarioJob } from '../record/jobs/job-kinds.ts';
import type { TakenMail } from '../storage/ports/further-mail.ts';

/**
 * What a mail says of the newest run of its thread that can be judged is kept, where an owner writes it or whoever that
 * run was for. Such a mail wants no answer unless it says more.
 */
export const feedbackGiven: BeforeRun = async ({ loaded, store, asksNoModel, now }) => {
  const { run, message } = loaded;
  if (asksNoModel || run.sender === null) return null;
  const said = verdictIn(message.new_text);
  const runId = said && (await store.runToJudge(run.thread_id));
  if (!said || !runId) return null;
  const isTheirs = run.tier !== 'unauthenticated' && (await store.getRun(runId))?.sender === run.sender;
  if (run.tier !== 'owner' && !isTheirs) return null;
  const jobs = [playbookScenarioJob(runId, said.verdict, now)];
  await store.giveFeedback({ runId, verdict: said.verdict, by: run.sender, now, jobs });
  return said.isAll ? { status: 'done', outcome: 'silent:feedback', code: null } : null;
};

/** A mail that says something of the answer before it. */
export const givesFeedback = ({ message }: TakenMail): boolean => verdictIn(message.new_text) !== null;
