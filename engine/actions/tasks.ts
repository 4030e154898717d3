import { EngineError } from '#contract';
import type { LiveConfig } from '../config/live/live.ts';
import { describeProblem } from '../config/problems/problem.ts';
import { draftTask, type TaskDraft, writeTaskFile } from '../config/tasks/task-writer.ts';
import type { Persona, TaskDefinition } from '../config/types.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import { neverDue } from '../lib/schedule/due-times.ts';
import type { Announce } from '../record/jobs/jobs.ts';
import type { Store, Stores } from '../storage/ports/store.ts';
import { planByHand } from '../tasks/plan-task.ts';

interface TaskPorts {
  readonly announce: Announce;
  readonly stores: Stores;
  readonly clock: Clock;
}

/**
 * Writes a task file and returns it with its path. Throws `config_invalid` for what could not be a task or would never
 * be due, `not_empty` for a file that is there.
 */
export function addTask(
  { root, clock }: { root: string; clock: Clock },
  { persona, draft }: { persona: Persona; draft: TaskDraft },
): { readonly file: string; readonly text: string } {
  const { file, text, read } = draftTask(persona.id, persona.timezone, draft);
  if (!read.ok) throw new EngineError('config_invalid', read.problems.map(describeProblem).join('; '));
  const over = neverDue(read.task, clock.now());
  if (over) throw new EngineError('config_invalid', `schedule: ${over}`);
  if (!writeTaskFile(root, persona.id, draft.id, text, 'create')) {
    throw new EngineError('not_empty', `${file} is there already; edit it, or choose another id`);
  }
  return { file, text };
}

/** Queues a run of the task besides its schedule; the run's id, undefined where none could be made. */
export async function runTaskNow(
  { announce, stores, clock, ids, live }: TaskPorts & { ids: Ids; live: Pick<LiveConfig, 'current'> },
  { persona, task }: { persona: Persona; task: TaskDefinition },
): Promise<string | undefined> {
  const now = clock.now();
  const { system, gateway, inference } = live.current();
  const settle = (store: Store) =>
    store.settleTask(task.id, now, (found) =>
      planByHand({
        task,
        persona,
        adminContact: system.admin_contact,
        domain: gateway.domain,
        recursion: inference.recursion_depth,
        ids,
        now,
        found,
        held: true,
      }),
    );
  const [runId] = await announce(persona.id, now, () => stores.use(persona.id, settle));
  return runId;
}

/** `reason`: why its due times are skipped from now on; null: it runs again when it is due. */
export async function setTaskPaused(
  { announce, stores, clock }: TaskPorts,
  { personaId, taskId, reason }: { personaId: string; taskId: string; reason: string | null },
): Promise<void> {
  const now = clock.now();
  await announce(personaId, now, () => stores.use(personaId, (store) => store.setTaskPaused(taskId, reason, now)));
}
