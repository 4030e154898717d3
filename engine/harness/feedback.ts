import type { Configs, Persona } from '../config/types.ts';
import { learningOf } from '../learning/settings.ts';
import { verdictIn } from '../learning/verdict.ts';
import { playbookScenarioJob } from '../record/jobs/job-kinds.ts';
import type { LearningStore } from '../storage/ports/learning/playbooks.ts';
import type { LoadedRun } from '../storage/ports/runs.ts';

/**
 * What a mail says of the newest run of its thread that can be judged is kept, where an owner writes it or whoever that
 * run was for. Such a mail wants no answer unless it says more; the end of its run, or null.
 */
export async function feedbackTaken(from: {
  readonly loaded: LoadedRun;
  readonly persona: Persona;
  readonly configs: Pick<Configs, 'system'>;
  readonly store: Pick<LearningStore, 'runToJudge' | 'giveFeedback'> & {
    getRun(id: string): Promise<{ readonly sender: string | null } | undefined>;
  };
  readonly now: number;
}): Promise<{ readonly status: 'done'; readonly outcome: string; readonly code: null } | null> {
  const { loaded, persona, configs, store, now } = from;
  const { run, message, trigger } = loaded;
  if (trigger.kind !== 'mail' || run.sender === null || !learningOf(persona, configs.system).enabled) return null;
  const said = verdictIn(message.new_text);
  const runId = said && (await store.runToJudge(run.thread_id));
  if (!said || !runId) return null;
  const isTheirs = run.tier !== 'unauthenticated' && (await store.getRun(runId))?.sender === run.sender;
  if (run.tier !== 'owner' && !isTheirs) return null;
  const jobs = [playbookScenarioJob(runId, said.verdict, now)];
  await store.giveFeedback({ runId, verdict: said.verdict, by: run.sender, now, jobs });
  return said.isAll ? { status: 'done', outcome: 'silent:feedback', code: null } : null;
}
