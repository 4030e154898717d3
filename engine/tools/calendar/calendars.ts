import { mkdir, readdir, readFile, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WebCapability } from '#contract';
import type { Persona } from '../../config/types.ts';
import { sha256 } from '../../lib/ids.ts';

/** Where the calendars of a persona's owner are. */
export interface CalendarPlaces {
  /** `personas/<id>/calendars/`, which the owner fills. */
  readonly folder: string;
  /** Under the persona's data: what was fetched. */
  readonly fetched: string;
}

/** A calendar as it could be had. */
export interface OwnCalendar {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Of when it is, ms. */
  readonly at: number;
}

/** What could not be had, in words; its times are missing. */
export interface Missing {
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
