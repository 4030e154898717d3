import type { AnsweredRequest, LoadedRun, Trigger } from '../storage/ports/runs.ts';
import type { Store } from '../storage/ports/store.ts';
import type { NewJob } from '../storage/types/jobs.ts';
import type { StoredRun } from '../storage/types/runs.ts';
import type { Packet } from '../storage/types/suspensions.ts';
import type { TaskSnapshot } from '../storage/types/tasks.ts';
import { delegationEndedJob, taskEndedJob } from './jobs/job-kinds.ts';
import type { RunFrame } from './settings.ts';

/** What differs by what began a run. */
interface TriggerFacts {
  /** Profile of `context.json`. */
  readonly profile: RunFrame['profile'];
  /** Nobody waits for an answer, so an empty one is one. */
  readonly maySayNothing: boolean;
  /** Its mail may need no answer, which its model says by a word. */
  readonly mayLeaveUnanswered: boolean;
}

const TRIGGERS: { readonly [Kind in Trigger['kind']]: TriggerFacts } = {
  // An answer to a task's mail lies in the task's thread and is a mail all the same.
  mail: { profile: 'thread', maySayNothing: false, mayLeaveUnanswered: true },
  task: { profile: 'task', maySayNothing: true, mayLeaveUnanswered: false },
  delegation: { profile: 'thread', maySayNothing: false, mayLeaveUnanswered: false },
};

type Triggered = Pick<LoadedRun, 'trigger'>;

export const triggerFacts = ({ trigger }: Triggered): TriggerFacts => TRIGGERS[trigger.kind];

/** The task that a run is one of; null for any other. */
export const taskOf = ({ trigger }: Triggered): TaskSnapshot | null => (trigger.kind === 'task' ? trigger.task : null);

/** What a run is like by what began it: `mail`, or `task:` and its id. Null: of a child run nothing is learned. */
export const beginningOf = ({ trigger }: Triggered): string | null =>
  trigger.kind === 'task' ? `task:${trigger.task.task}` : trigger.kind === 'mail' ? 'mail' : null;

/** What the mail that began the thread was sent for, where one of our own did; null for any other. */
export const answeredRequestOf = ({ trigger }: Triggered): AnsweredRequest | null =>
  trigger.kind === 'mail' ? trigger.answersRequest : null;

/** The task whose mail this one answers; null: it answers none. */
export const answeredTaskOf = ({ trigger }: Triggered): string | null =>
  trigger.kind === 'mail' ? trigger.answersTask : null;

/** What hears of the end of a run, by what began it: part of the transaction that ends it. */
export const endedJobs = ({ id, kind }: Pick<StoredRun, 'id' | 'kind'>, now: number): readonly NewJob[] =>
  kind === 'task' ? [taskEndedJob(id, now)] : kind === 'delegation' ? [delegationEndedJob(id, now)] : [];

/** What a child run was handed; null for any other. */
export const packetOf = ({ trigger }: Triggered): Packet | null =>
  trigger.kind === 'delegation' ? trigger.packet : null;

/** The run at the top of a tree of child runs: whoever wrote its mail is waiting, and owners are asked about that mail. */
export async function topRunOf(store: Pick<Store, 'getRun'>, run: StoredRun): Promise<StoredRun> {
  const parent = run.parent_run_id === null ? undefined : await store.getRun(run.parent_run_id);
  return parent ? topRunOf(store, parent) : run;
}
