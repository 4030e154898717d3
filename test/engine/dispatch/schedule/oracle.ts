/**
 * Due times and their fate worked out a second time, as a person with a wall clock, a calendar and patience would:
 * minute by minute, with nothing of the engine and no cron library. Slow, and only as clever as the rules it checks.
 */

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Real minutes one after another, each with what the clock on the wall shows (the digits as if they were UTC). */
export interface Walk {
  readonly zone: string;
  readonly minutes: readonly { readonly at: number; readonly wall: number }[];
}

function readClock(zone: string): (instant: number) => number {
  const clock = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  return (instant) => {
    const [year = 0, month = 1, day = 1, hour = 0, minute = 0] = (clock.format(instant).match(/\d+/g) ?? []).map(
      Number,
    );
    return Date.UTC(year, month - 1, day, hour, minute);
  };
}

/** Begins a day early, so that it knows which wall times have been before `from`. */
export function walk(zone: string, from: number, to: number): Walk {
  const wallOf = readClock(zone);
  const minutes: { at: number; wall: number }[] = [];
  for (let at = Math.floor(from / MINUTE_MS) * MINUTE_MS - DAY_MS - 3 * 3_600_000; at <= to; at += MINUTE_MS) {
    minutes.push({ at, wall: wallOf(at) });
  }
  return { zone, minutes };
}

/** Every wall minute that `matches` is due once: when the clock first shows it or has just jumped over it. */
export function dueOnWalk({ minutes }: Walk, matches: (wall: number) => boolean): number[] {
  const due: number[] = [];
  let highest = (minutes[0]?.wall ?? 0) - MINUTE_MS;
  for (const { at, wall } of minutes) {
    let isDue = false;
    for (let passed = highest + MINUTE_MS; passed <= wall; passed += MINUTE_MS) isDue ||= matches(passed);
    if (isDue) due.push(at);
    highest = Math.max(highest, wall);
  }
  return due;
}

const NAMES = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

function fieldMatches(field: string, value: number, lowest: number): boolean {
  return field.split(',').some((part) => {
    const [range = '', step = '1'] = part.split('/');
    const [low = '', high = low] = range.split('-');
    const from = range === '*' ? lowest : Number(low);
    const to = range === '*' ? Number.POSITIVE_INFINITY : Number(high);
    return value >= from && value <= to && (value - from) % Number(step) === 0;
  });
}

function dayOfMonthMatches(field: string, date: Date): boolean {
  const isLast = new Date(date.getTime() + DAY_MS).getUTCDate() === 1;
  return field.split(',').some((part) => (part === 'L' ? isLast : fieldMatches(part, date.getUTCDate(), 1)));
}

function weekdayMatches(field: string, date: Date): boolean {
  const digits = field.toLowerCase().replace(/[a-z]{3}/g, (name) => String(NAMES.indexOf(name)));
  const weekday = date.getUTCDay();
  return digits.split(',').some((part) => {
    const [day = '', nth] = part.split('#');
    if (nth !== undefined) return Number(day) === weekday && Math.ceil(date.getUTCDate() / 7) === Number(nth);
    return fieldMatches(day, weekday, 0) || (weekday === 0 && day !== '*' && fieldMatches(day, 7, 0));
  });
}

/** Whether a wall minute is one of a cron expression's: either day field will do when both are restricted. */
export function cronMatches(expression: string): (wall: number) => boolean {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = expression.split(' ');
  return (wall) => {
    const date = new Date(wall);
    if (!fieldMatches(minute, date.getUTCMinutes(), 0) || !fieldMatches(hour, date.getUTCHours(), 0)) return false;
    if (!fieldMatches(month, date.getUTCMonth() + 1, 1)) return false;
    const [byDay, byWeekday] = [dayOfMonthMatches(day, date), weekdayMatches(weekday, date)];
    return day !== '*' && weekday !== '*' ? byDay || byWeekday : byDay && byWeekday;
  };
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: MINUTE_MS, h: 3_600_000, d: DAY_MS };

const known = new WeakMap<Walk, Map<string, number[]>>();

/** All due times of a schedule that the walk covers; `every` from `anchor` on. */
export function dueByHand(steps: Walk, text: string, anchor: number): number[] {
  const ofWalk = known.get(steps) ?? new Map<string, number[]>();
  known.set(steps, ofWalk);
  const due = ofWalk.get(`${anchor} ${text}`) ?? workOut(steps, text, anchor);
  ofWalk.set(`${anchor} ${text}`, due);
  return due;
}

function workOut(steps: Walk, text: string, anchor: number): number[] {
  if (text.startsWith('every ')) {
    const everyMs = Number(text.slice(6, -1)) * (UNITS[text.slice(-1)] ?? 0);
    const due: number[] = [];
    for (let at = anchor + everyMs; at <= (steps.minutes.at(-1)?.at ?? 0); at += everyMs) due.push(at);
    return due;
  }
  if (!text.startsWith('at ')) return dueOnWalk(steps, cronMatches(text));
  const wanted = Date.parse(`${text.slice(3)}Z`);
  return dueOnWalk(steps, (wall) => wall === wanted);
}

export interface Situation {
  readonly text: string;
  readonly anchor: number;
  /** The last look, and the edit, whichever was later. */
  readonly since: number;
  readonly now: number;
  readonly missed: 'latest' | 'skip' | 'all';
  readonly maxAgeMs: number;
  readonly window: string | null;
  readonly overlap: 'skip' | 'queue';
  readonly running: boolean;
}

/** `<due time> <state> <code> <count>` for each row that there should be. */
export function rowsByHand(steps: Walk, situation: Situation): string[] {
  const { since, now, missed, maxAgeMs, window, overlap, running } = situation;
  const wallOf = readClock(steps.zone);
  const isOpen = (instant: number): boolean => {
    if (window === null) return true;
    const time = new Date(wallOf(instant)).toISOString().slice(11, 16);
    const isEnd = time === window.slice(6) && instant % MINUTE_MS > 0;
    const [from, until] = [window.slice(0, 5), window.slice(6)];
    if (isEnd) return false;
    return from < until ? from <= time && time <= until : from <= time || time <= until;
  };
  const due = dueByHand(steps, situation.text, situation.anchor).filter((at) => at > since && at <= now);
  const [old, recent] = [due.slice(0, -100), due.slice(-100)];
  const isLate = (at: number) => now > at + MINUTE_MS;
  const isFresh = (at: number) => at + maxAgeMs >= now;
  const mayRun = recent.filter((at) => isFresh(at) && isOpen(isLate(at) ? now : at));
  const youngest = mayRun[mayRun.length - 1];
  // Those that the policy lets run.
  const chosen = mayRun.filter((at) => !isLate(at) || missed === 'all' || (missed === 'latest' && at === youngest));
  const isCatchingUp = missed === 'all' && chosen.some(isLate);
  const rows = recent.map((at) => {
    if (!isFresh(at)) return `${at} missed too_old 1`;
    if (!mayRun.includes(at)) return `${at} ${isLate(at) ? 'missed' : 'skipped'} outside_window 1`;
    if (!chosen.includes(at)) return `${at} missed ${missed === 'skip' ? 'late' : 'superseded'} 1`;
    if (at === chosen[0] && !running) return `${at} ran null 1`;
    return isCatchingUp || overlap === 'queue' ? `${at} queued null 1` : `${at} skipped overlap 1`;
  });
  return old.length > 0 ? [`${old.at(-1)} missed too_many ${Math.min(old.length, 1000)}`, ...rows] : rows;
}
