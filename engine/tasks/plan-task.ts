import type { Persona, TaskDefinition } from '../config/types.ts';
import { type Ids, sha256 } from '../lib/ids.ts';
import { nextDue } from '../lib/schedule/due-times.ts';
import { anchored, parseSchedule, type Schedule } from '../lib/schedule/schedule.ts';
import { parseWindow } from '../lib/schedule/window.ts';
import { localTime } from '../lib/schedule/zone.ts';
import type { FoundTask, PlannedRun, PlannedTime, TaskPlan, TaskTimeStatus } from '../storage/types/tasks.ts';
import { GRACE_MS, planDue, planWaiting } from './plan-due.ts';
import { timeStatus } from './time-status.ts';

interface PlanTaskOptions extends TaskRunOptions {
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

interface TaskRunOptions {
  readonly task: TaskDefinition;
  readonly persona: Persona;
  /** Address that is written to when the persona has no owner. */
  readonly adminContact: string | null;
  readonly domain: string;
  /** How often mail that the run sends may travel between agents. */
  readonly recursion: number;
  readonly ids: Ids;
  readonly now: number;
}

/**
 * The run of one due time, with the message that starts it. Its principal is the owner: only who may write the
 * persona's folder can write a task, and by mail only an owner's approval does. So it has an owner's surface, and
 * like an owner's mail it still asks before it does what needs approval.
 */
function planTaskRun(
  options: TaskRunOptions,
  dueAt: number,
  made: { threadId: string | null; pinned: string | null; last: TaskTimeStatus | undefined },
): PlannedRun {
  const { task, persona, ids, now, domain } = options;
  const threadId = made.threadId ?? ids.next();
  const messageId = ids.next();
  const runId = ids.next();
  const mailId = `<task-${messageId}@${domain}>`;
  return {
    newThread: made.threadId === null ? { id: threadId, kind: 'task', subject: task.name } : null,
    message: {
      id: messageId,
      thread_id: threadId,
      direction: 'in',
      message_id: mailId,
      // A second fence behind the due time's own row.
      duplicate_key: `task:${task.id}:${dueAt}`,
      linked_to: null,
      run_id: runId,
      from_address: null,
      to: [persona.address],
      cc: [],
      reply_to: null,
      subject: task.name,
      in_reply_to: null,
      references: [],
      date: dueAt,
      received_at: now,
      tier: 'owner',
      text: task.prompt,
      new_text: task.prompt,
      pieces: [],
      raw_sha256: null,
      rendered_json: null,
    },
    run: {
      id: runId,
      thread_id: threadId,
      message: messageId,
      message_id: mailId,
      kind: 'task',
      status: 'queued',
      sender: null,
      tier: 'owner',
      recursion: options.recursion,
      due_at: now,
      created_at: now,
    },
    snapshot: {
      task: task.id,
      name: task.name,
      due_at: dueAt,
      timezone: task.timezone,
      file_sha256: task.sha256,
      prompt_sha256: sha256(task.prompt),
      deliver: readersOf(options),
      sticky: task.thread === 'sticky',
      condition: task.condition,
      pinned: made.pinned,
      answer: task.answer,
      previous: task.thread === 'sticky' && made.last ? previousInWords(made.last, task.timezone) : null,
    },
  };
}

function readersOf({ task, persona, adminContact }: TaskRunOptions): readonly string[] {
  if (task.deliver === 'none') return [];
  if (task.deliver !== 'owner') return task.deliver;
  return persona.owners.length > 0 ? persona.owners : adminContact === null ? [] : [adminContact];
}

function previousInWords(last: TaskTimeStatus, zone: string): string {
  const { state, code, delivery } = timeStatus(last);
  const when = localTime(zone, last.due_at);
  if (state === 'ran') {
    const mail = { sent: 'was delivered', queued: 'is on its way', failed: 'could not be delivered', none: '' }[
      delivery
    ];
    return mail === '' ? `${when}: had nothing to deliver` : `${when}: its result ${mail}`;
  }
  const words = { skipped: 'was skipped', missed: 'was missed', queued: 'is not over yet', failed: 'failed' }[state];
  return `${when}: ${words}${code === null ? '' : ` (${code})`}`;
}
