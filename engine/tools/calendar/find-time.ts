import { mkdir, readdir, readFile, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CalendarCapability, EngineError, type WebCapability } from '#contract';
import { freeSlots, joined } from '../../calendar/free.ts';
import type { Interval } from '../../calendar/types.ts';
import { namedZone } from '../../calendar/zones/zone.ts';
import type { Persona } from '../../config/types.ts';
import type { Clock } from '../../lib/clock.ts';
import { sha256 } from '../../lib/ids.ts';
import { instantIn, localTime } from '../../lib/schedule/zone.ts';
import { DAY_MS } from '../../lib/time.ts';
import type { Library } from '../documents/library.ts';

const MAX_DAYS = 92;
const MAX_SLOTS = 10;
const WEEKDAYS: readonly string[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

interface FindTimeOptions {
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
      kind: 'busy',
      timezone: persona.timezone,
      declinedBy: persona.owners,
      window: { from: window.start, to: window.end },
    },
  );
  if (answer.kind === 'busy') return { name, at, busy: answer.busy, notes: answer.notes };
  return { name, why: answer.kind === 'unreadable' ? answer.why : 'it cannot be read' };
}

/** Where the calendars of a persona's owner are. */
interface CalendarPlaces {
  /** `personas/<id>/calendars/`, which the owner fills. */
  readonly folder: string;
  /** Under the persona's data: what was fetched. */
  readonly fetched: string;
}

/** A calendar as it could be had. */
interface OwnCalendar {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Of when it is, ms. */
  readonly at: number;
}

/** What could not be had, in words; its times are missing. */
interface Missing {
  readonly name: string;
  readonly why: string;
}

interface Wanted {
  readonly places: CalendarPlaces;
  readonly urls: Persona['calendar']['urls'];
  readonly fetch: WebCapability['fetch'];
  readonly now: number;
  readonly signal: AbortSignal;
}

type Content = Pick<OwnCalendar, 'bytes' | 'at'>;

const MAX_CALENDARS = 20;
const MAX_BYTES = 8 * 1024 * 1024;
/** Younger than this, what was fetched is not fetched again. */
const FRESH_MS = 15 * 60_000;
/** Older than this, it is not used where nothing newer can be had. */
const KEPT_MS = 7 * 86_400_000;

const isCalendar = (name: string): boolean => /\.(?:ics|ical)$/i.test(name);

/** All calendars of the owner: files first, then those that `persona.json` names by their URL. */
export async function ownCalendars(
  wanted: Wanted,
): Promise<{ readonly calendars: readonly OwnCalendar[]; readonly missing: readonly Missing[] }> {
  const { places, urls } = wanted;
  const files = await namesIn(places.folder);
  const all = [
    ...files.map((name) => ({ name, read: () => fileOf(places.folder, name) })),
    ...Object.entries(urls).map(([name, url]) => ({ name, read: () => fetched(url, wanted) })),
  ];
  const calendars: OwnCalendar[] = [];
  const missing = all
    .slice(MAX_CALENDARS)
    .map(({ name }) => ({ name, why: `only ${MAX_CALENDARS} calendars are read` }));
  await Promise.all(
    all.slice(0, MAX_CALENDARS).map(async ({ name, read }) => {
      try {
        calendars.push({ name, ...(await read()) });
      } catch (error) {
        missing.push({ name, why: error instanceof Error ? error.message.slice(0, 200) : 'it cannot be read' });
      }
    }),
  );
  return { calendars: calendars.sort(byName), missing: missing.sort(byName) };
}

const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1);

async function namesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.flatMap((entry) => (entry.isFile() && isCalendar(entry.name) ? [entry.name] : [])).sort();
}

async function fileOf(folder: string, name: string): Promise<Content> {
  const path = join(folder, name);
  const { size, mtimeMs } = await stat(path);
  if (size > MAX_BYTES) throw new Error('it is too large');
  return { bytes: await readFile(path), at: Math.round(mtimeMs) };
}

/** From the server, unless it was fetched a moment ago; as it was fetched last where the server does not give it. */
async function fetched(url: string, wanted: Wanted): Promise<Content> {
  const { places, now } = wanted;
  const name = `${sha256(url).slice(0, 32)}.ics`;
  const kept = await fileOf(places.fetched, name).catch(() => null);
  // What is from the future was fetched while the clock went wrong.
  if (kept && kept.at <= now && now - kept.at < FRESH_MS) return kept;
  try {
    const body = await download(url, wanted);
    await mkdir(places.fetched, { recursive: true });
    const unfinished = join(places.fetched, `${name}.new`);
    await writeFile(unfinished, body);
    await utimes(unfinished, now / 1000, now / 1000);
    await rename(unfinished, join(places.fetched, name));
    return { bytes: body, at: now };
  } catch (error) {
    if (kept && now - kept.at < KEPT_MS) return kept;
    throw error;
  }
}

async function download(url: string, { fetch, signal }: Wanted): Promise<Uint8Array> {
  const { status, body, truncated } = await fetch({ url, allowHosts: [], maxBytes: MAX_BYTES, signal });
  if (status !== 200) throw new Error(`its server answered ${status}`);
  if (truncated) throw new Error('it is too large');
  const head = Buffer.from(body.subarray(0, 200))
    .toString('utf8')
    .replace(/^\ufeff/, '');
  if (!/^\s*BEGIN:VCALENDAR/i.test(head)) throw new Error('what its server gave is no calendar');
  return body;
}
