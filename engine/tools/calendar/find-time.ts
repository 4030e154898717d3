import { type CalendarCapability, EngineError, type WebCapability } from '#contract';
import { freeSlots, joined } from '../../calendar/free.ts';
import type { Interval } from '../../calendar/types.ts';
import { namedZone } from '../../calendar/zones/zone.ts';
import type { Persona } from '../../config/types.ts';
import type { Clock } from '../../lib/clock.ts';
import { instantIn } from '../../lib/schedule/instant-in.ts';
import { localTime } from '../../lib/schedule/zone.ts';
import type { Library } from '../documents/library.ts';
import { type CalendarPlaces, type OwnCalendar, ownCalendars } from './calendars.ts';

const DAY_MS = 86_400_000;
const MAX_DAYS = 92;
const MAX_SLOTS = 10;
const WEEKDAYS: readonly string[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

export interface FindTimeOptions {
  readonly persona: Pick<Persona, 'timezone' | 'owners' | 'calendar'>;
  readonly places: CalendarPlaces;
  readonly library: Pick<Library, 'ask'>;
  readonly fetch: WebCapability['fetch'];
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** When the owner is free: work hours without what their calendars hold. */
export function createFindTime(options: FindTimeOptions): CalendarCapability['findTime'] {
  const { persona, places, fetch, clock, signal } = options;
  const { timezone, calendar } = persona;
  return async (wanted) => {
    const now = clock.now();
    const window = windowOf(wanted, { timezone, now });
    const { calendars, missing } = await ownCalendars({ places, urls: calendar.urls, fetch, now, signal });
    const looked = await Promise.all(calendars.map((one) => lookInto(one, window, options)));
    const good = looked.flatMap((one) => ('busy' in one ? [one] : []));
    const bad = [...missing, ...looked.flatMap((one) => ('why' in one ? [one] : []))];
    if (good.length === 0) {
      const why = bad.map((one) => `${one.name}: ${one.why}`).join('; ');
      throw new EngineError('tool_failed', `no calendar of the owner can be read${why === '' ? '' : ` (${why})`}`);
    }
    const { days, from, to } = calendar.work_hours;
    const free = freeSlots({
      window,
      busy: joined(good.flatMap(({ busy }) => busy)),
      lengthMs: wanted.duration_min * 60_000,
      hours: { days: days.map((day) => WEEKDAYS.indexOf(day)), from: minutesOf(from), to: minutesOf(to) },
      zone: namedZone(timezone),
      most: MAX_SLOTS,
    });
    return {
      free: free.map(({ start, end }) => ({ start: localTime(timezone, start), end: localTime(timezone, end) })),
      zone: timezone,
      work_hours: `${days.join(' ')} ${from}-${to}`,
      calendars: good.map(({ name, at }) => ({ name, as_of: localTime(timezone, at) })),
      notes: [
        ...bad.map(({ name, why }) => `${name} could not be read, its times are missing: ${why}`),
        ...good.flatMap(({ name, notes }) => notes.map((note) => `${name}: ${note}`)),
      ].slice(0, 20),
    };
  };
}

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));

function windowOf(
  { from, to }: { readonly from: string; readonly to: string },
  { timezone, now }: { readonly timezone: string; readonly now: number },
): Interval {
  const start = Math.max(now, instantIn(timezone, from, 'from'));
  const end = endOf(to, timezone);
  if (end <= start) throw new EngineError('invalid_arguments', 'to: it is before from, or has passed');
  if (end - start > MAX_DAYS * DAY_MS + 3_600_000) {
    throw new EngineError('invalid_arguments', `to: at most ${MAX_DAYS} days after from can be looked at`);
  }
  return { start, end };
}

/** A day is meant to its end. */
function endOf(to: string, timezone: string): number {
  const instant = instantIn(timezone, to, 'to');
  if (!/^\s*\d{4}-\d\d-\d\d\s*$/.test(to)) return instant;
  const next = new Date(Date.parse(`${to.trim()}T00:00Z`) + DAY_MS);
  return instantIn(timezone, next.toISOString().slice(0, 10), 'to');
}

type Looked =
  | {
      readonly name: string;
      readonly at: number;
      readonly busy: readonly Interval[];
      readonly notes: readonly string[];
    }
  | { readonly name: string; readonly why: string };

async function lookInto(
  { name, bytes, at }: OwnCalendar,
  window: Interval,
  { library, persona }: FindTimeOptions,
): Promise<Looked> {
  const answer = await library.ask(
    { sha256: '', name, type: 'text/calendar', charset: null, load: async () => bytes },
    {
      ...{ kind: 'busy', timezone: persona.timezone, declinedBy: persona.owners },
      window: { from: window.start, to: window.end },
    },
  );
  if (answer.kind === 'busy') return { name, at, busy: answer.busy, notes: answer.notes };
  return { name, why: answer.kind === 'unreadable' ? answer.why : 'it cannot be read' };
}
