import { instantOf, localTime, systemZone } from '../../lib/schedule/zone.ts';
import { DAY_MS } from '../../lib/time.ts';
import type { TaskTimeStatus } from '../../storage/types/tasks.ts';
import { type TimeStatus, timeStatus } from '../../tasks/time-status.ts';
import type { QueryPorts } from '../ports.ts';
import { timesOf } from './history.ts';
import { type ListedTask, nextAtOf } from './listing.ts';
import { isOn, type Occurrence, outlineAhead } from './look-ahead.ts';

/** What became, or will become, of a task on one day; several times of the same fate are one entry. */
export interface CalendarEntry {
  /** The first of them. */
  readonly at: number;
  readonly times: number;
  readonly persona: string;
  readonly task: string;
  /** `due`: its time is still to come. */
  readonly state: 'due' | TimeStatus['state'];
  readonly code: string | null;
  /** Of a single time that had one. */
  readonly run: string | null;
  /** What it cost, or about what it will cost, all times together; null: nobody knows. */
  readonly usd: number | null;
  /** Of a time to come: that is the least, since no run of it has told yet. */
  readonly isGuess?: true;
}

export interface CalendarDay {
  /** `2026-11-30` on the clock of this machine. */
  readonly day: string;
  readonly from: number;
  readonly isToday: boolean;
  readonly entries: readonly CalendarEntry[];
}

export interface TwoWeeks {
  readonly days: readonly CalendarDay[];
  /** Tasks whose times to come are in it, and how many there are that have some. */
  readonly ahead: { readonly shown: number; readonly all: number };
  /** Personas whose past times are in it, and how many have tasks. */
  readonly past: { readonly shown: number; readonly all: number };
  /** Tasks that are due too often for its days, each with its next time and what one run costs. */
  readonly often: readonly CalendarEntry[];
}

const DAYS = 14;
const DAYS_BACK = 7;
/** So many are looked ahead for at once, those that are due next: each asks what it will cost. */
const MOST_TASKS = 40;
const MOST_PERSONAS = 20;
const MOST_TIMES = 500;

/** Two weeks: by default the seven days before today, today and the six after it. `shift`: so many two weeks later. */
export async function taskCalendar(
  ports: QueryPorts,
  listed: readonly ListedTask[],
  { now, shift }: { readonly now: number; readonly shift: number },
): Promise<TwoWeeks> {
  const days = daysFrom(now, shift);
  const [from, to] = [days[0]?.from ?? now, days[DAYS]?.from ?? now];
  const ahead = await comingTimes(ports, listed, { now, from, to });
  const past = await pastTimes(ports, listed, { now, from, to });
  const all = [...past.entries, ...ahead.entries];
  return {
    days: days.slice(0, DAYS).map(({ day, from: begin }, at) => {
      const end = days[at + 1]?.from ?? to;
      const entries = together(all.filter((one) => one.at >= begin && one.at < end));
      return { day, from: begin, isToday: now >= begin && now < end, entries };
    }),
    ahead: ahead.of,
    past: past.of,
    often: ahead.often,
  };
}

/** One more than are shown: where the last one ends. */
function daysFrom(now: number, shift: number): readonly { readonly day: string; readonly from: number }[] {
  const zone = systemZone();
  const first = Date.parse(`${localTime(zone, now).slice(0, 10)}T00:00:00Z`) + (shift * DAYS - DAYS_BACK) * DAY_MS;
  return Array.from({ length: DAYS + 1 }, (_, at) => {
    const wall = first + at * DAY_MS;
    return { day: new Date(wall).toISOString().slice(0, 10), from: instantOf(zone, wall) };
  });
}

interface Span {
  readonly now: number;
  readonly from: number;
  readonly to: number;
}

async function comingTimes(ports: QueryPorts, listed: readonly ListedTask[], { now, from, to }: Span) {
  const due = listed
    .filter(isOn)
    .flatMap((one) => {
      const at = nextAtOf(one, now);
      return at === null || at >= to ? [] : [{ one, at }];
    })
    .toSorted((a, b) => a.at - b.at);
  const chosen = due.slice(0, MOST_TASKS).map(({ one }) => one);
  const begin = Math.max(now, from);
  const found =
    chosen.length === 0 || begin >= to
      ? { shown: [], often: [] }
      : await outlineAhead(ports, chosen, { now, from: begin, to });
  const of = { shown: begin >= to ? due.length : chosen.length, all: due.length };
  return { entries: found.shown.map(dueEntry), of, often: found.often.map(dueEntry) };
}

function dueEntry({ at, task: id, usd, isGuess }: Occurrence): CalendarEntry {
  const [persona = '', task = ''] = id.split('/');
  return { at, times: 1, persona, task, state: 'due', code: null, run: null, usd, ...(isGuess ? { isGuess } : {}) };
}

async function pastTimes(ports: QueryPorts, listed: readonly ListedTask[], { now, from, to }: Span) {
  const personas = [...new Set(listed.map(({ persona }) => persona.id))];
  const opened = from > now ? [] : personas.slice(0, MOST_PERSONAS);
  const entries: CalendarEntry[] = [];
  for (const persona of opened) {
    const times = await timesOf(ports, { persona, task: undefined, before: to, limit: MOST_TIMES });
    entries.push(...times.filter(({ due_at }) => due_at >= from).map((time) => entryOf(persona, time)));
  }
  return { entries, of: { shown: from > now ? personas.length : opened.length, all: personas.length } };
}

function entryOf(persona: string, time: TaskTimeStatus): CalendarEntry {
  const { state, code } = timeStatus(time);
  const usd = time.run_id === null ? null : time.cost_usd;
  return { at: time.due_at, times: time.count, persona, task: time.task, state, code, run: time.run_id, usd };
}

/** The times of one task that had the same fate, as one, where they are too many to be told one by one. Pure. */
function together(entries: readonly CalendarEntry[]): readonly CalendarEntry[] {
  const alike = Map.groupBy(entries, ({ persona, task, state, code }) => JSON.stringify([persona, task, state, code]));
  return [...alike.values()]
    .flatMap((of) => (of.length > MOST_ALIKE ? [asOne(of)] : of))
    .toSorted((a, b) => a.at - b.at || (a.task < b.task ? -1 : 1));
}

const MOST_ALIKE = 3;

function asOne(of: readonly CalendarEntry[]): CalendarEntry {
  const first = of.reduce((a, b) => (b.at < a.at ? b : a));
  const known = of.flatMap(({ usd }) => (usd === null ? [] : [usd]));
  return {
    ...first,
    times: of.reduce((sum, { times }) => sum + times, 0),
    run: null,
    usd: known.length === 0 ? null : known.reduce((sum, usd) => sum + usd, 0),
  };
}
