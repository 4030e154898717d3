import type { Persona } from '../../config/types.ts';
import type { Clock } from '../../lib/clock.ts';
import { localTime } from '../../lib/schedule/zone.ts';
import type { EndedTask, NewJob, Store, TaskEnd } from '../../storage/store.ts';
import type { JobRow } from '../../storage/tables.ts';
import { timeStatus } from './time-status.ts';

/** A task that fails so often in a row stops by itself: what it needs is its owner, not another run. */
export const PAUSE_AFTER = 5;
/** Owners hear of a new incident only so long after the last one: a task that comes and goes must not flood them. */
const COOLDOWN_MS = 3_600_000;

/** What was over: the run, or the delivery of its mail. */
interface Ended {
  readonly run_id: string;
  readonly of: 'run' | 'mail';
}

/** The job that follows every end of a task's run and of its mail. */
export function createTaskEnded({ clock }: { readonly clock: Clock }) {
  return async (_persona: Persona, job: JobRow, store: Store): Promise<void> => {
    const ended = JSON.parse(job.payload_json) as Ended;
    const now = clock.now();
    await store.recordTaskEnd({ jobId: job.id, runId: ended.run_id, now }, (found) =>
      decideTaskEnd(found, ended.of, now),
    );
  };
}

/** Pure. One notice when a task begins to fail, one when it is well again, one when it is paused for failing. */
export function decideTaskEnd({ row, time, meant }: EndedTask, of: Ended['of'], now: number): TaskEnd {
  const { state, code, delivery } = timeStatus(time);
  // The first run that goes well fixes the model for those to come.
  const pinned = row.pinned === null && meant !== null && state === 'ran' ? { pinned: meant } : {};
  const nothing = { patch: pinned, jobs: [] };
  if (state === 'queued' || code === 'cancelled') return nothing;
  // A run that did not go well is counted when it ends; a good one when its mail has arrived, or has not.
  if (of === 'mail' ? state === 'failed' : state !== 'failed' && delivery === 'queued') return nothing;
  const failed = state === 'failed' || delivery === 'failed';
  return failed
    ? fail({ row, time }, state === 'failed' ? (code ?? 'failed') : 'delivery', now, pinned)
    : recover(row, time, now, pinned);
}

function recover(row: EndedTask['row'], time: EndedTask['time'], now: number, pinned: TaskEnd['patch']): TaskEnd {
  const wasTold = row.incident_at !== null && row.told_at !== null && row.told_at >= row.incident_at;
  const text = [`The task ${row.task} is well again.`, '', ...about(time)].join('\n');
  const jobs = wasTold
    ? [notice(`task_recovered:${row.task}:${row.incident_at}`, `Task works again: ${nameOf(time)}`, text, now)]
    : [];
  return { patch: { ...pinned, failures: 0, incident_at: null }, jobs };
}

function fail(
  { row, time }: Pick<EndedTask, 'row' | 'time'>,
  code: string,
  now: number,
  pinned: TaskEnd['patch'],
): TaskEnd {
  const failures = row.failures + 1;
  const incidentAt = row.incident_at ?? now;
  const patch = { ...pinned, failures, incident_at: incidentAt };
  if (failures >= PAUSE_AFTER && row.paused_reason === null) {
    const reason = `failed ${failures} times in a row (${code})`;
    const text = [
      `The task ${row.task} ${reason} and is paused. It runs again after \`epistle tasks resume\`.`,
      '',
      ...about(time),
    ].join('\n');
    const job = notice(`task_paused:${row.task}:${now}`, `Task paused: ${nameOf(time)}`, text, now);
    return { patch: { ...patch, told_at: now, paused_reason: reason }, jobs: [job] };
  }
  const isTold = row.told_at !== null && (row.told_at >= incidentAt || now - row.told_at < COOLDOWN_MS);
  if (isTold) return { patch, jobs: [] };
  const what = code === 'delivery' ? 'did its work, but its mail could not be delivered' : `failed: ${code}`;
  const text = [
    `The task ${row.task} ${what}.`,
    '',
    ...about(time),
    '',
    `You hear of it again when it works again, or when it is paused after ${PAUSE_AFTER} failures in a row.`,
  ].join('\n');
  const job = notice(`task_failed:${row.task}:${incidentAt}`, `Task failed: ${nameOf(time)}`, text, now);
  return { patch: { ...patch, told_at: now }, jobs: [job] };
}

const about = (time: EndedTask['time']): string[] => [
  `Due: ${localTime(snapshotOf(time).timezone, time.due_at)}`,
  `Run: ${time.run_id}`,
  '',
  `See \`epistle runs show ${time.run_id}\` and \`epistle tasks history\`.`,
];

const nameOf = (time: EndedTask['time']): string => snapshotOf(time).name;

function snapshotOf(time: EndedTask['time']): { name: string; timezone: string } {
  return JSON.parse(time.snapshot_json ?? '{"name":"a task","timezone":"UTC"}') as { name: string; timezone: string };
}

const notice = (id: string, subject: string, text: string, now: number): NewJob => ({
  id: `notice:${id}`,
  kind: 'notice',
  due_at: now,
  payload: { subject, text },
});
