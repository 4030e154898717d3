import { countDueTimes, latestDueTimes, nextDue } from '../lib/schedule/due-times.ts';
import { anchored, type Schedule } from '../lib/schedule/schedule.ts';
import { inWindow, type Window } from '../lib/schedule/window.ts';

export interface DueQuestion {
  readonly schedule: Schedule;
  readonly zone: string;
  /** From when `every` counts; nothing to the other kinds. */
  readonly anchor: number;
  /** Every due time up to here was decided on before; null before the first. */
  readonly lastDue: number | null;
  /** Since when the schedule is what it is: nothing before it was ever due. */
  readonly enabledSince: number;
  readonly now: number;
  readonly missed: 'latest' | 'skip' | 'all';
  readonly maxAgeMs: number;
  readonly window: Window | null;
  readonly overlap: 'skip' | 'queue';
  /** A run of the task is not over yet. */
  readonly running: boolean;
  /** How many due times wait behind it. */
  readonly waiting?: number;
}

type DueCode = 'too_old' | 'outside_window' | 'late' | 'superseded' | 'overlap' | 'queue_full' | 'too_many';

/** What becomes of one due time. `ran`: its run is to be made now; `queued`: when the run before it is over. */
export interface DueRow {
  readonly dueAt: number;
  readonly state: 'ran' | 'queued' | 'skipped' | 'missed';
  readonly code: DueCode | null;
  /** 1; with `too_many` how many due times up to this one the row stands for, `MOST_COUNTED` meaning that or more. */
  readonly count: number;
}

interface DuePlan {
  /** Oldest first, each later than all that was decided before. */
  readonly rows: readonly DueRow[];
  /** To be kept and handed back as `lastDue`. */
  readonly settledTo: number;
  /** When to ask again; null: nothing will be due. */
  readonly nextAt: number | null;
}

/** Until then a run is on time: the machine was busy, not down. */
export const GRACE_MS = 60_000;
/** After a long time down, only this many due times, the latest ones, get rows and may be made up for. */
export const MOST_ROWS = 100;
export const MOST_COUNTED = 1000;
/** More runs than that behind one another will not be over before they are too old. */
export const MOST_WAITING = 100;
/** A mark further ahead than that was left by a clock that was wrong. */
const CLOCK_ERROR_MS = 86_400_000;

/**
 * What becomes of each due time since the last look. Pure: the same answer whether the gateway ran all the time, was
 * down for a year or was killed in between. Rows are unique by task and due time, so looking twice doubles nothing.
 */
export function planDue(question: DueQuestion): DuePlan {
  const { zone, now } = question;
  const schedule = anchored(question.schedule, question.anchor);
  const decided = Math.max(question.lastDue ?? question.enabledSince, question.enabledSince);
  // A clock that is set back asks again for what was decided; only a wild jump must not silence the task for as long.
  const from = decided > now + CLOCK_ERROR_MS ? now : decided;
  const settledTo = Math.max(from, now);
  const listed = latestDueTimes(schedule, zone, from, now, MOST_ROWS + 1);
  const rows = decideEach(question, listed.slice(-MOST_ROWS));
  const older = listed.at(-MOST_ROWS - 1);
  if (older !== undefined) {
    const count = countDueTimes(schedule, zone, from, older, MOST_COUNTED);
    rows.unshift({ dueAt: older, state: 'missed', code: 'too_many', count });
  }
  return { rows, settledTo, nextAt: nextDue(schedule, zone, settledTo) };
}

/**
 * The due time whose turn has come after waiting for the run before it: still to be run (`ran`), or `missed` by now.
 * Where the task's `window` is over it is not run: nobody wants at night what was due in the morning.
 */
export function planWaiting(
  dueAt: number,
  question: Pick<DueQuestion, 'zone' | 'now' | 'maxAgeMs' | 'window'>,
): DueRow {
  const code = hindrance(dueAt, question);
  return { dueAt, state: code === null ? 'ran' : 'missed', code, count: 1 };
}

const isLate = (dueAt: number, now: number): boolean => now - dueAt > GRACE_MS;

/** Why a due time may not be run any more whatever the policy; null when it may. */
function hindrance(
  dueAt: number,
  { zone, now, maxAgeMs, window }: Pick<DueQuestion, 'zone' | 'now' | 'maxAgeMs' | 'window'>,
): 'too_old' | 'outside_window' | null {
  if (now - dueAt > maxAgeMs) return 'too_old';
  // On time it is judged by when it was due: a second's delay must not push it over the end of the window.
  if (window && !inWindow(window, zone, isLate(dueAt, now) ? now : dueAt)) return 'outside_window';
  return null;
}

type Verdict = Pick<DueRow, 'state' | 'code'>;

/** What becomes of a due time that is not run, whether or not another run is in its way; null when it may be run. */
function refusal(dueAt: number, latest: number | undefined, question: DueQuestion): Verdict | null {
  const isMissed = isLate(dueAt, question.now);
  const hindered = hindrance(dueAt, question);
  if (hindered === 'too_old') return { state: 'missed', code: hindered };
  if (hindered === 'outside_window') return { state: isMissed ? 'missed' : 'skipped', code: hindered };
  if (isMissed && question.missed === 'skip') return { state: 'missed', code: 'late' };
  if (isMissed && question.missed === 'latest' && dueAt !== latest) return { state: 'missed', code: 'superseded' };
  return null;
}

function decideEach(question: DueQuestion, dueAts: readonly number[]): DueRow[] {
  const eligible = dueAts.filter((dueAt) => hindrance(dueAt, question) === null);
  // `all` wants each of them, one after the other: overlap is about runs that take too long.
  const isBacklog = question.missed === 'all' && eligible.some((dueAt) => isLate(dueAt, question.now));
  let isBusy = question.running;
  let waiting = question.waiting ?? 0;
  const behindAnother = (): Verdict => {
    if (question.overlap === 'skip' && !isBacklog) return { state: 'skipped', code: 'overlap' };
    if (waiting >= MOST_WAITING) return { state: 'skipped', code: 'queue_full' };
    waiting += 1;
    return { state: 'queued', code: null };
  };
  return dueAts.map((dueAt): DueRow => {
    const refused = refusal(dueAt, eligible.at(-1), question);
    const verdict: Verdict = refused ?? (isBusy ? behindAnother() : { state: 'ran', code: null });
    if (!refused) isBusy = true;
    return { dueAt, ...verdict, count: 1 };
  });
}
