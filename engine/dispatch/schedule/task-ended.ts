import type { Persona } from '../../config/types.ts';
import { causeOf } from '../../languages/causes.ts';
import { say } from '../../languages/say.ts';
import { dayAndTime, type ReaderLocale } from '../../languages/times.ts';
import type { Clock } from '../../lib/clock.ts';
import { taskEnded } from '../../record/jobs/job-kinds.ts';
import { handleJobs, type JobHandler } from '../../record/jobs/jobs.ts';
import { inEach, notice as ownerNotice } from '../../record/jobs/notice-job.ts';
import type { Again } from '../../storage/types/approvals.ts';
import type { NewJob } from '../../storage/types/jobs.ts';
import type { EndedTask, TaskEnd } from '../../storage/types/tasks.ts';
import { timeStatus } from '../../tasks/time-status.ts';

/** A task that fails so often in a row stops by itself: what it needs is its owner, not another run. */
export const PAUSE_AFTER = 5;
/** Owners hear of a new incident only so long after the last one: a task that comes and goes must not flood them. */
const COOLDOWN_MS = 3_600_000;

/** The job that follows every end of a task's run and of its mail. */
export function createTaskEnded({ clock }: { readonly clock: Clock }): JobHandler {
  return handleJobs(taskEnded, async (persona, job, store) => {
    const now = clock.now();
    await store.recordTaskEnd({ jobId: job.id, runId: job.payload.run_id, now }, (found) =>
      decideTaskEnd(found, job.payload.of, now, persona.language),
    );
  });
}

/** Pure. One notice when a task begins to fail, one when it is well again, one when it is paused for failing. */
export function decideTaskEnd(
  { row, time, meant }: EndedTask,
  of: 'run' | 'mail',
  now: number,
  language: Persona['language'] = 'en',
): TaskEnd {
  const place = { language, zone: snapshotOf(time).timezone };
  const { state, code, delivery } = timeStatus(time);
  // The first run that goes well fixes the model for those to come.
  const pinned = row.pinned === null && meant !== null && state === 'ran' ? { pinned: meant } : {};
  const nothing = { patch: pinned, jobs: [] };
  if (state === 'queued' || code === 'cancelled') return nothing;
  // A run that did not go well is counted when it ends; a good one when its mail has arrived, or has not.
  if (of === 'mail' ? state === 'failed' : state !== 'failed' && delivery === 'queued') return nothing;
  const failed = state === 'failed' || delivery === 'failed';
  return failed
    ? fail({ row, time }, state === 'failed' ? (code ?? 'failed') : 'delivery', { now, place }, pinned)
    : recover(row, time, { now, place }, pinned);
}

interface Moment {
  readonly now: number;
  readonly place: ReaderLocale;
}

function recover(
  row: EndedTask['row'],
  time: EndedTask['time'],
  { now, place }: Moment,
  pinned: TaskEnd['patch'],
): TaskEnd {
  const wasTold = row.incident_at !== null && row.told_at !== null && row.told_at >= row.incident_at;
  const [key, name] = [`task_recovered:${row.task}:${row.incident_at}`, nameOf(time)];
  // Without a word of what to do: there is nothing.
  const told: Told = ({ language }) => ({
    subject: say(language, 'notices.taskWellSubject', { name }),
    text: say(language, 'notices.taskWell', { name }),
  });
  const jobs = wasTold ? [notice(key, told, { now, place })] : [];
  return { patch: { ...pinned, failures: 0, incident_at: null }, jobs };
}

function fail(
  { row, time }: Pick<EndedTask, 'row' | 'time'>,
  code: string,
  { now, place }: Moment,
  pinned: TaskEnd['patch'],
): TaskEnd {
  const name = nameOf(time);
  const causeIn = ({ language }: ReaderLocale) => causeOf(code, language, { partly: time.outcome === 'partial' });
  const failures = row.failures + 1;
  const incidentAt = row.incident_at ?? now;
  const patch = { ...pinned, failures, incident_at: incidentAt };
  if (failures >= PAUSE_AFTER && row.paused_reason === null) {
    const reason = `failed ${failures} times in a row (${code})`;
    const told: Told = (of) => ({
      subject: say(of.language, 'notices.taskPausedSubject', { name }),
      text: say(of.language, 'notices.taskPaused', { name, failures, cause: causeIn(of) }),
    });
    const job = notice(`task_paused:${row.task}:${now}`, told, { now, place }, { task: row.task });
    return { patch: { ...patch, told_at: now, paused_reason: reason }, jobs: [job] };
  }
  const isTold = row.told_at !== null && (row.told_at >= incidentAt || now - row.told_at < COOLDOWN_MS);
  if (isTold) return { patch, jobs: [] };
  const told: Told = (of) => {
    const { language } = of;
    const when = dayAndTime(time.due_at, of);
    const what =
      code === 'delivery'
        ? say(language, 'notices.taskNotMailed', { name, when })
        : say(language, 'notices.taskFailed', { name, when, cause: causeIn(of) });
    const next = row.next_at === null ? [] : [say(language, 'notices.nextTry', { when: dayAndTime(row.next_at, of) })];
    const text = [what, [...next, say(language, 'notices.hearAgain', { failures: PAUSE_AFTER })].join(' ')].join(
      '\n\n',
    );
    return { subject: say(language, 'notices.taskFailedSubject', { name }), text };
  };
  // A run that ended before it was done can be worked once more; of one whose mail did not arrive, its own notice tells.
  const again = time.run_id !== null && time.run_status === 'failed' ? { run: time.run_id } : undefined;
  const job = notice(`task_failed:${row.task}:${incidentAt}`, told, { now, place }, again);
  return { patch: { ...patch, told_at: now }, jobs: [job] };
}

const nameOf = (time: EndedTask['time']): string => snapshotOf(time).name;

const snapshotOf = ({ snapshot }: EndedTask['time']): { readonly name: string; readonly timezone: string } =>
  snapshot ?? { name: 'a task', timezone: 'UTC' };

type Told = (of: ReaderLocale) => { readonly subject: string; readonly text: string };

const notice = (id: string, told: Told, { now, place: { language, zone } }: Moment, again?: Again): NewJob =>
  ownerNotice.job({
    id: `notice:${id}`,
    due_at: now,
    payload: {
      ...inEach(language, (each) => told({ language: each, zone })),
      ...(again === undefined ? {} : { again }),
    },
  });
