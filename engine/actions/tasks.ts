import { EngineError } from '#contract';
import type { LiveConfig } from '../config/live/live.ts';
import { describeProblem } from '../config/problems/problem.ts';
import { draftTask, readTaskFile, type TaskDraft, writeTaskFile } from '../config/tasks/task-writer.ts';
import type { Persona, TaskDefinition } from '../config/types.ts';
import { neverDue } from '../lib/schedule/due-times.ts';
import { previewRuns } from '../lib/schedule/preview.ts';
import { DAY_MS } from '../lib/time.ts';
import type { Store } from '../storage/ports/store.ts';
import type { AuditRecord } from '../storage/types/approvals.ts';
import type { FoundTask, TaskPlan } from '../storage/types/tasks.ts';
import { planByHand } from '../tasks/plan-task.ts';
import { recordFirst, rowOf } from './on-record.ts';
import type { StoresAndClock } from './ports.ts';

/** A task as it would be, before it is written. */
export interface PlannedTask {
  readonly file: string;
  readonly text: string;
  readonly task: TaskDefinition;
  /** Its next due times, Unix ms. */
  readonly coming: readonly number[];
}

const COMING = 5;
const YEAR_MS = 366 * DAY_MS;

/** Throws `config_invalid` for what could not be a task or would never be due. */
export function planTask(
  { clock }: Pick<StoresAndClock, 'clock'>,
  { persona, draft }: { persona: Persona; draft: TaskDraft },
): PlannedTask {
  const { file, text, read } = draftTask(persona.id, persona.timezone, draft);
  if (!read.ok) throw new EngineError('config_invalid', read.problems.map(describeProblem).join('; '));
  const now = clock.now();
  const over = neverDue(read.task, now);
  if (over) throw new EngineError('config_invalid', `schedule: ${over}`);
  const span = { anchor: now, from: now, to: now + YEAR_MS, limit: COMING };
  return { file, text, task: read.task, coming: previewRuns(read.task, span).runs };
}

/**
 * Writes a task file and returns it with its path; who added it is on record. Throws `config_invalid` for what could not be
 * a task or would never be due, `not_empty` for a file that is there.
 */
export async function addTask(
  ports: Pick<StoresAndClock, 'stores' | 'clock' | 'ids'> & { readonly root: string },
  { persona, draft, by }: { persona: Persona; draft: TaskDraft; by: string },
): Promise<Pick<PlannedTask, 'file' | 'text'>> {
  const { root, stores, clock, ids } = ports;
  const { file, text } = planTask(ports, { persona, draft });
  const taken = () => new EngineError('not_empty', `${file} is there already; edit it, or choose another id`);
  const present = readTaskFile(root, persona.id, draft.id);
  if (present === text) return { file, text };
  if (present !== null) throw taken();
  await recordFirst(
    (became) => {
      const event = became === 'done' ? 'task_added' : 'task_not_added';
      const told = auditOf(event, { id: ids.next(), at: clock.now(), actor: by }, { task: draft.id });
      return stores.use(persona.id, (store) => store.auditOnce(told));
    },
    () => {
      if (!writeTaskFile(root, persona.id, draft.id, text, 'create')) throw taken();
    },
  );
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
  event: 'task_run' | 'task_paused' | 'task_resumed' | 'task_added' | 'task_not_added',
  row: Pick<AuditRecord, 'id' | 'at' | 'actor'>,
  detail: { readonly task: string },
): AuditRecord => rowOf({ ...row, event, detail });
