import { nextDue } from '../lib/schedule/due-times.ts';
import { anchored, parseSchedule, type Schedule } from '../lib/schedule/schedule.ts';
import { parseWindow } from '../lib/schedule/window.ts';
import type { FoundTask, PlannedTime, TaskPlan } from '../storage/types/tasks.ts';

import { GRACE_MS, planDue, planWaiting } from './plan-due.ts';
import { planTaskRun, type TaskRunOptions } from './task-run.ts';

export interface PlanTaskOptions extends TaskRunOptions {
  readonly found: FoundTask;
  /** The persona is paused or stopped: nothing is decided, what falls due meanwhile is judged when it goes on. */
  readonly held: boolean;
}

/** What to write about one task now. Pure but for new ids; null when its schedule cannot be read. */
export function planTask(options: PlanTaskOptions): TaskPlan | null {
  const { task, found, now, held } = options;
  const parsed = parseSchedule(task.schedule, task.timezone);
  if (!parsed.ok) return null;
  const before = found.row;
  const { anchor, settledTo } = beginningOf(options, parsed.schedule);
  const schedule = anchored(parsed.schedule, anchor);
  const pinned = before?.file_sha256 === task.sha256 ? before.pinned : null;
  const sticky = task.thread === 'sticky';
  const row = {
    task: task.id,
    file_sha256: task.sha256,
    schedule_key: task.scheduleKey,
    anchor_at: anchor,
    settled_to: settledTo,
    next_at: task.enabled ? nextDue(schedule, task.timezone, settledTo) : null,
    paused_reason: before?.paused_reason ?? null,
    incident_at: before?.incident_at ?? null,
    told_at: before?.told_at ?? null,
    thread_id: sticky ? (before?.thread_id ?? null) : null,
    pinned,
    updated_at: now,
  };
  if (held || !task.enabled) return { row, times: [], settleWaiting: null, forgetAfter: null };

  const isPaused = row.paused_reason !== null;
  const thread = { id: row.thread_id };
  const runAt = (dueAt: number) => {
    const run = planTaskRun(options, dueAt, { threadId: thread.id, pinned, last: found.last });
    if (sticky) thread.id = run.run.thread_id;
    return run;
  };
  const settleWaiting = isPaused ? null : planFirstWaiting(options, runAt);
  const plan = planDue({
    schedule,
    zone: task.timezone,
    anchor,
    lastDue: settledTo,
    now,
    missed: task.missed,
    maxAgeMs: task.maxAgeMs,
    window: task.window === null ? null : parseWindow(task.window),
    overlap: task.overlap,
    running: found.running || found.waiting !== undefined,
    waiting: found.waitingCount,
    enabledSince: anchor,
  });
  const times = plan.rows.map(({ dueAt, state, code, count }): PlannedTime => {
    if (isPaused) return { dueAt, decision: 'skipped', code: 'paused', count, run: null };
    if (state === 'ran') return { dueAt, decision: 'run', code, count, run: runAt(dueAt) };
    return { dueAt, decision: state === 'queued' ? 'wait' : state, code, count, run: null };
  });
  return {
    row: { ...row, settled_to: plan.settledTo, next_at: plan.nextAt, thread_id: sticky ? thread.id : null },
    times,
    settleWaiting,
    forgetAfter: plan.settledTo < settledTo ? plan.settledTo : null,
  };
}

/** From when its due times count, and up to where they are decided. */
function beginningOf({ task, found: { row }, now }: PlanTaskOptions, { kind }: Schedule) {
  if (row?.schedule_key === task.scheduleKey) return { anchor: row.anchor_at, settledTo: row.settled_to };
  // New, rescheduled or switched on: due from now on. What an older schedule would have meant is nobody's wish any more.
  // But a file is taken up within seconds, and an `at` that came in between was meant all the same.
  const begins = kind === 'at' ? now - GRACE_MS : now;
  return { anchor: begins, settledTo: begins };
}

/** The oldest due time that waits, once nothing of the task runs. */
function planFirstWaiting(
  { task, found, now }: PlanTaskOptions,
  runAt: (dueAt: number) => NonNullable<PlannedTime['run']>,
): PlannedTime | null {
  if (!found.waiting || found.running) return null;
  const window = task.window === null ? null : parseWindow(task.window);
  const question = { zone: task.timezone, now, maxAgeMs: task.maxAgeMs, window };
  const { dueAt, state, code } = planWaiting(found.waiting.due_at, question);
  if (state !== 'ran') return { dueAt, decision: 'missed', code, count: 1, run: null };
  return { dueAt, decision: 'run', code: found.waiting.code, count: 1, run: runAt(dueAt) };
}

/** A run by hand, now: a due time of its own, whatever the schedule says and whether or not the task is paused. */
export function planByHand(options: PlanTaskOptions): TaskPlan | null {
  const plan = planTask({ ...options, held: true });
  if (plan === null) return null;
  const { row } = plan;
  const run = planTaskRun(options, options.now, {
    threadId: row.thread_id,
    pinned: row.pinned,
    last: options.found.last,
  });
  const sticky = options.task.thread === 'sticky';
  return {
    ...plan,
    row: { ...row, thread_id: sticky ? run.run.thread_id : null },
    times: [{ dueAt: options.now, decision: 'run', code: 'by_hand', count: 1, run }],
  };
}
