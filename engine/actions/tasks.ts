import { EngineError } from '#contract';
import type { LiveConfig } from '../config/live/live.ts';
import { describeProblem } from '../config/problems/problem.ts';
import { draftTask, type TaskDraft, writeTaskFile } from '../config/tasks/task-writer.ts';
import type { Persona, TaskDefinition } from '../config/types.ts';
import type { Clock } from '../lib/clock.ts';
import { neverDue } from '../lib/schedule/due-times.ts';
import type { Store } from '../storage/ports/store.ts';
import type { AuditRecord } from '../storage/types/approvals.ts';
import type { FoundTask, TaskPlan } from '../storage/types/tasks.ts';
import { planByHand } from '../tasks/plan-task.ts';
import { rowOf } from './on-record.ts';
import type { StoresAndClock } from './ports.ts';

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

/**
 * Queues a run of the task besides its schedule; the run's id, undefined where none could be made. `seen`: when whoever asks
 * looked last; a task that was run by hand since then, as by a button that was pressed twice, is not run again.
 */
export async function runTaskNow(
  { announce, stores, clock, ids, live }: StoresAndClock & { live: Pick<LiveConfig, 'current'> },
  { persona, task, by, seen }: { persona: Persona; task: TaskDefinition; by: string; seen?: number },
): Promise<string | undefined> {
  const now = clock.now();
  const { system, gateway, inference } = live.current();
  const told = auditOf('task_run', { id: ids.next(), at: now, actor: by }, { task: task.id });
  const plan = (found: FoundTask): TaskPlan | null => {
    if (seen !== undefined && found.last?.code === 'by_hand' && found.last.due_at >= seen) return null;
    const planned = planByHand({
      task,
      persona,
      adminContact: system.admin_contact,
      domain: gateway.domain,
      recursion: inference.recursion_depth,
      ids,
      now,
      found,
      held: true,
    });
    return planned && { ...planned, audit: [{ ...told, run_id: planned.times[0]?.run?.run.id ?? null }] };
  };
  const settle = (store: Store) => store.settleTask(task.id, now, plan);
  const [runId] = await announce(persona.id, now, () => stores.use(persona.id, settle));
  return runId;
}

/** `reason`: why its due times are skipped from now on; null: it runs again when it is due. */
export async function setTaskPaused(
  { announce, stores, clock, ids }: StoresAndClock,
  { personaId, taskId, reason, by }: { personaId: string; taskId: string; reason: string | null; by: string },
): Promise<void> {
  const now = clock.now();
  const event = reason === null ? 'task_resumed' : 'task_paused';
  const told = auditOf(event, { id: ids.next(), at: now, actor: by }, { task: taskId });
  await announce(personaId, now, () =>
    stores.use(personaId, (store) => store.setTaskPaused(taskId, reason, now, [told])),
  );
}

const auditOf = (
  event: 'task_run' | 'task_paused' | 'task_resumed',
  row: Pick<AuditRecord, 'id' | 'at' | 'actor'>,
  detail: { readonly task: string },
): AuditRecord => rowOf({ ...row, event, detail });
