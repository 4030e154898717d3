import type { HookEvent } from '#contract';
import { readStaged } from '../../record/codec/run-events.ts';
import type { StepBatch } from '../../storage/ports/runs.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { NewJob } from '../../storage/types/jobs.ts';
import { type Hooks, hookJobs, isHeard } from './hook-jobs.ts';

/** What of a store hooks hear of that has to do with learning. */
export const tellingLearning = (
  store: Store,
  persona: string,
  load: () => Promise<Hooks>,
): Pick<Store, 'recordOutcome' | 'keepRefinement'> => ({
  async recordOutcome(outcome, jobId, jobs = []) {
    const { run_id: runId, kind, version_id, mode, succeeded, failed, followed, at } = outcome;
    const flags = { succeeded: succeeded === 1, failed: failed === 1, followed: followed === 1 };
    const data = { kind, version_id, mode, ...flags };
    const told = toldTo(await load(), { name: 'playbook_outcome', persona, runId, data }, runId, at);
    return store.recordOutcome(outcome, jobId, [...jobs, ...told]);
  },
  async keepRefinement(ended) {
    const hooks = await load();
    return store.keepRefinement({
      ...ended,
      jobs(refinement) {
        const { id, run_id: runId, kind, accepted, reason, from_version, to_version, at } = refinement;
        const data = { kind, accepted: accepted === 1, reason, from_version, to_version };
        const event: HookEvent = { name: 'playbook_refined', persona, runId, data };
        return [...ended.jobs(refinement), ...toldTo(hooks, event, id, at)];
      },
    });
  },
});

const toldTo = (hooks: Hooks, event: HookEvent, about: string, now: number): readonly NewJob[] =>
  isHeard(hooks, [event.name]) ? hookJobs(hooks, event, about, now) : [];

const SELECTED = 'playbook_selected';

/** By what playbook a run works that begins with this step. */
export function selectedIn({ events, lease: { runId } }: StepBatch, persona: string): readonly HookEvent[] {
  return events.flatMap((event): readonly HookEvent[] => {
    const staged = event.type === SELECTED ? readStaged(event) : null;
    if (staged?.type !== SELECTED) return [];
    const { kind, loaded, reason = null, version = null, mode, by } = staged.data;
    return [{ name: SELECTED, persona, runId, data: { kind, loaded, reason, version, mode, by } }];
  });
}
