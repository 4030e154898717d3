import type ICAL from 'ical.js';
import { DAY_MS } from '../lib/time.ts';
import type { Calendar } from './calendar.ts';
import { type EventReader, instantOfWritten, type Times, timesOf, type WrittenEvent, writtenIn } from './event.ts';
import { MAX_STEPS, TooLong } from './rule.ts';
import { isSeries, type Series, seriesOf, slotsIn } from './series.ts';
import type { Attendee, Invitation, Partstat, Person, Recurrence, When } from './types.ts';
import { isoDay, isoIn, namedZone, UTC } from './zones/zone.ts';

const MAX_INVITATIONS = 20;
const MAX_ATTENDEES = 100;
const MAX_NEXT = 5;
const MAX_EXCEPT = 50;
/** A series is followed so far; a meeting once in seven years is none. */
const HORIZON_MS = 7 * 366 * DAY_MS;
const [MAX_LINE, MAX_TEXT] = [300, 4000];

/**
 * The events of a calendar file as facts, each meeting and each instance once. `timezone`: the reader's. `from`: from
 * when on the next instances of a series are told, ms.
 */
export function invitationsOf(
  calendar: Calendar,
  { timezone, from }: { readonly timezone: string; readonly from: number },
): Invitation[] {
  const events = calendar.components.filter(({ name }) => name === 'vevent');
  const found = new Map<string, Invitation>();
  for (const event of events) {
    if (found.size >= MAX_INVITATIONS) break;
    const invitation = invitationOf(event, { calendar, siblings: events, timezone, from });
    if (invitation === null) continue;
    const key = `${invitation.uid} ${invitation.recurrence_id}`;
    const before = found.get(key);
    if (!before || before.sequence < invitation.sequence) found.set(key, invitation);
  }
  return [...found.values()];
}

interface Context {
  readonly calendar: Calendar;
  readonly siblings: readonly ICAL.Component[];
  readonly timezone: string;
  readonly from: number;
}

/** Null: nothing tells it from other events. */
function invitationOf(event: ICAL.Component, context: Context): Invitation | null {
  const uid = textOf(event, 'uid', MAX_LINE);
  if (uid === '') return null;
  const notes = new Set<string>();
  const own = namedZone(context.timezone);
  const reader: EventReader = { calendar: context.calendar, own, note: (sentence) => void notes.add(sentence) };
  const times = timesOf(event, reader);
  if (times?.isFloating) notes.add('Its times name no zone; they are read as local.');
  const attendees = event.getAllProperties('attendee');
  const [instance] = writtenIn(event, 'recurrence-id', reader);
  const { method } = context.calendar;
  const status = textOf(event, 'status', 40).toUpperCase();
  return {
    uid,
    method,
    sequence: Math.max(0, Math.trunc(Number(event.getFirstPropertyValue('sequence') ?? 0)) || 0),
    dtstamp: stampOf(event, reader),
    recurrence_id: instance ? recurrenceId(instance, reader) : null,
    this_and_future: rangeOf(event) === 'THISANDFUTURE',
    instance: instance ? whenOf(instance, reader) : null,
    organizer: personOf(event.getFirstProperty('organizer')),
    attendees: attendees.slice(0, MAX_ATTENDEES).flatMap(attendeeOf),
    attendees_total: attendees.length,
    summary: textOf(event, 'summary', MAX_LINE),
    location: textOf(event, 'location', MAX_LINE),
    description: textOf(event, 'description', MAX_TEXT),
    comment: textOf(event, 'comment', MAX_TEXT),
    start: times && whenOf(times.start, reader),
    end: times && endOf(times, reader),
    all_day: times?.start.isDay ?? false,
    zone: times && !times.start.isDay ? times.zone.name : null,
    recurrence: times && recurrenceOf(event, times, reader, context),
    cancelled: method === 'CANCEL' || status === 'CANCELLED',
    notes: [...notes],
  };
}

/** By which an instance is known, however its file writes the time. */
export function recurrenceId(written: WrittenEvent, { own }: Pick<EventReader, 'own'>): string {
  return written.isDay
    ? isoDay(written.wall)
    : `${new Date(instantOfWritten(written, own)).toISOString().slice(0, 19)}Z`;
}

export function rangeOf(event: ICAL.Component): string {
  return String(event.getFirstProperty('recurrence-id')?.getParameter('range') ?? '').toUpperCase();
}

function stampOf(event: ICAL.Component, reader: EventReader): number | null {
  const [stamp] = writtenIn(event, 'dtstamp', { ...reader, own: UTC });
  return stamp ? instantOfWritten(stamp, UTC) : null;
}

function whenOf(written: WrittenEvent, { own }: EventReader): When {
  const instant = instantOfWritten(written, own);
  if (written.isDay) return { event: isoDay(written.wall), own: isoDay(written.wall), instant };
  return { event: isoIn(written.zone ?? own, instant), own: isoIn(own, instant), instant };
}

function endOf({ start, zone, endOf: endAt, instant }: Times, { own }: EventReader): When | null {
  const end = endAt(start.wall);
  if (end === instant) return null;
  if (start.isDay) {
    const last = isoDay(own.wallAt(end) - DAY_MS);
    return { event: last, own: last, instant: end };
  }
  return { event: isoIn(zone, end), own: isoIn(own, end), instant: end };
}

function recurrenceOf(event: ICAL.Component, times: Times, reader: EventReader, context: Context): Recurrence | null {
  const series = seriesOf(event, times, reader);
  if (!isSeries(series)) return null;
  const [rule] = series.rules;
  const until = rule?.until ?? null;
  const lastDay = until && isoDay(Date.UTC(until.year, until.month - 1, until.day));
  const added = series.added.length > 0 ? [`also on ${series.added.length} single dates`] : [];
  return {
    rule: rule?.toString() ?? '',
    words: [...(rule ? [ruleInWords(rule, lastDay)] : []), ...added].join(', '),
    next: nextOf(series, movedIn(event, reader, context), reader, context.from),
    except: series.removed.slice(0, MAX_EXCEPT).map((written) => whenOf(zoned(written, times), reader)),
  };
}

/** What was taken out in UTC is told by the clock of the event. */
const zoned = (written: WrittenEvent, { zone, start }: Times): WrittenEvent =>
  written.isDay || start.isDay
    ? written
    : { ...written, wall: zone.wallAt((written.zone ?? zone).instantOf(written.wall)), zone };

/** Instances of the same series that the file describes by themselves, by their original beginning. */
function movedIn(event: ICAL.Component, reader: EventReader, { siblings }: Context): Set<number> {
  const uid = String(event.getFirstPropertyValue('uid') ?? '');
  const others = siblings.filter((other) => other !== event && other.getFirstPropertyValue('uid') === uid);
  return new Set(
    others
      .flatMap((other) => writtenIn(other, 'recurrence-id', reader))
      .map((one) => instantOfWritten(one, reader.own)),
  );
}

function nextOf(series: Series, moved: ReadonlySet<number>, reader: EventReader, from: number): When[] {
  const { own } = reader;
  const window = { from, to: from + HORIZON_MS };
  try {
    const slots = slotsIn(series, window, { budget: { steps: MAX_STEPS }, most: MAX_NEXT + moved.size, own });
    return slots
      .filter(({ start }) => !moved.has(start))
      .slice(0, MAX_NEXT)
      .map(({ start, wall }) =>
        series.start.isDay
          ? { event: isoDay(wall), own: isoDay(wall), instant: start }
          : { event: isoIn(series.zone, start), own: isoIn(own, start), instant: start },
      );
  } catch (error) {
    if (!(error instanceof TooLong)) throw error;
    reader.note('When it comes again could not be counted out.');
    return [];
  }
}

function personOf(property: ICAL.Property | null): Person | null {
  const address = addressOf(property);
  if (property === null || address === '') return null;
  return { address, name: oneLine(String(property.getParameter('cn') ?? ''), 200) };
}

/** Of a calendar user; Outlook writes it in capitals, and some put what is no address there. */
export function addressOf(property: ICAL.Property | null): string {
  const value = String(property?.getFirstValue() ?? '').trim();
  // Exchange writes its own name of a user, and the address beside it.
  const text = /^mailto:/i.test(value) ? value : `mailto:${String(property?.getParameter('email') ?? '')}`;
  const address = oneLine(text.slice(7), 320);
  return /^[^\s@<>]+@[^\s@<>]+$/.test(address) ? address : '';
}

const PARTSTATS: readonly Partstat[] = ['needs-action', 'accepted', 'declined', 'tentative', 'delegated'];
const ROLES: Readonly<Record<string, Attendee['role']>> = {
  chair: 'chair',
  'opt-participant': 'optional',
  'non-participant': 'informed',
};

function attendeeOf(property: ICAL.Property): Attendee[] {
  const person = personOf(property);
  if (person === null) return [];
  const said = String(property.getParameter('partstat') ?? '').toLowerCase();
  const role = String(property.getParameter('role') ?? '').toLowerCase();
  return [
    {
      ...person,
      partstat: PARTSTATS.find((one) => one === said) ?? 'needs-action',
      role: ROLES[role] ?? 'required',
    },
  ];
}

function textOf(event: ICAL.Component, name: string, most: number): string {
  const value = event.getFirstPropertyValue(name);
  if (value === null) return '';
  const text = String(value);
  return most > MAX_LINE
    ? text
        .replace(/(?![\n\t])\p{Cc}/gu, '')
        .trim()
        .slice(0, most)
    : oneLine(text, most);
}

const oneLine = (text: string, most: number): string =>
  text
    .slice(0, 4 * most)
    .replace(/[\p{Cc}\u2028\u2029\s]+/gu, ' ')
    .trim()
    .slice(0, most);

const UNITS: Readonly<Record<string, string>> = {
  SECONDLY: 'second',
  MINUTELY: 'minute',
  HOURLY: 'hour',
  DAILY: 'day',
  WEEKLY: 'week',
  MONTHLY: 'month',
  YEARLY: 'year',
};
const DAYS: Readonly<Record<string, string>> = {
  MO: 'Monday',
  TU: 'Tuesday',
  WE: 'Wednesday',
  TH: 'Thursday',
  FR: 'Friday',
  SA: 'Saturday',
  SU: 'Sunday',
};
const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];

/** A rule as people say it: `every 2 weeks on Monday and Wednesday, 10 times`. `until`: its last day. */
function ruleInWords(rule: ICAL.Recur, until: string | null): string {
  const unit = UNITS[rule.freq] ?? 'time';
  const every = rule.interval > 1 ? `every ${rule.interval} ${unit}s` : `every ${unit}`;
  const part = (name: string): string[] => rule.getComponent(name).map(String).slice(0, 31);
  const days = part('BYDAY').map(weekday);
  const [positions, monthDays] = [part('BYSETPOS'), part('BYMONTHDAY')];
  const months = part('BYMONTH').map((month) => MONTHS[Number(month) - 1] ?? month);
  const which = positions.length > 0 ? `the ${list(positions.map((at) => nth(Number(at))))} of ` : '';
  const others = ['BYYEARDAY', 'BYWEEKNO', 'BYHOUR', 'BYMINUTE', 'BYSECOND'].flatMap((name) => {
    const values = part(name);
    return values.length > 0 ? [`${name} ${values.join(',')}`] : [];
  });
  const on = [
    ...(days.length > 0 ? [`on ${which}${list(days)}`] : []),
    ...(monthDays.length > 0 ? [`on the ${list(monthDays.map((day) => nth(Number(day), ' day')))} of the month`] : []),
    ...(months.length > 0 ? [`in ${list(months)}`] : []),
    ...(others.length > 0 ? [`(${others.join('; ')})`] : []),
  ];
  const end = rule.count ? [`${rule.count} times`] : until === null ? [] : [`until ${until}`];
  return [[every, ...on].join(' '), ...end].join(', ');
}

function weekday(text: string): string {
  const [, at = '', day = ''] = /^([+-]?\d*)(\w\w)$/.exec(text) ?? [];
  const name = DAYS[day] ?? text;
  return at === '' ? name : `the ${nth(Number(at))} ${name}`;
}

/** `1st`, `last`, `2nd last`; with what is counted where it stands alone: `last day`. */
function nth(at: number, counted = ''): string {
  if (at === -1) return `last${counted}`;
  const of = Math.abs(at);
  const tens = of % 100;
  const ending = tens > 10 && tens < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][of % 10] ?? 'th');
  return at < 0 ? `${of}${ending} last${counted}` : `${of}${ending}`;
}

const list = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
