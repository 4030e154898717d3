import type { Json } from '#contract';
import { DAY_MS } from '../lib/time.ts';

/** What is known of a result beside what stands in it: as its tool declared it, or as its fields are called. */
export interface ResultFacts {
  /** The source under the name of its kind, such as `{"path": "a.txt"}`; null where the result names none. */
  readonly source: Readonly<Record<string, string>> | null;
  /** SHA-256 of the text that it comes from, and the file of the persona that this text stands in. */
  readonly hash: { readonly sha256: string; readonly path: string | null } | null;
  /** When its data are from, ISO 8601; null: from when the call was made. */
  readonly as_of: string | null;
  /** How long they hold; null: a day. */
  readonly fresh_for_s: number | null;
  /** What part of its source it is; null: all of it. */
  readonly part: ResultPart | null;
  /** Whether it was kept from an earlier look; absent: nobody knows. */
  readonly cached?: boolean;
  /** The time that it is about, ISO 8601; absent: it does not say. */
  readonly window?: { readonly from: string | null; readonly to: string | null };
  /** Which share of its source was looked at, such as `1%`; absent: as far as is known all of it. */
  readonly sampled?: string;
}

interface ResultPart {
  /** There is more behind it. */
  readonly more: boolean;
  /** Tells it from other parts of the same source. */
  readonly at: string;
  readonly share: { readonly shown: number; readonly total: number; readonly unit: string } | null;
}

const SOURCES = ['url', 'path', 'message_id', 'ref', 'id'];
/** Fields that say where the rest of a source begins. A bare `next` may be a date or a person. */
const NEXT = ['next_offset', 'next_page', 'next_cursor'];

/** The facts of a result whose tool declares none (the first edition of the contract), by the names of its fields. Pure. */
export function factsByFields(result: Json): ResultFacts {
  const text = (name: string): string | null => textOf(fieldOf(result, name));
  const named = SOURCES.find((name) => text(name) !== null);
  const sha256 = text('source_sha256');
  const given = fieldOf(result, 'fresh_for_s');
  const until = fieldOf(result, 'data_until') ?? fieldOf(result, 'as_of');
  return {
    source: named === undefined ? null : { [named]: text(named) ?? '' },
    hash: sha256 === null ? null : { sha256, path: text('path') },
    as_of: until === undefined || until === null ? null : String(until),
    fresh_for_s: typeof given === 'number' && given >= 0 ? given : null,
    part: {
      more: fieldOf(result, 'truncated') === true || NEXT.some((name) => isPlace(fieldOf(result, name))),
      at: JSON.stringify(['offset', 'page', 'next_offset'].map((name) => fieldOf(result, name) ?? null)),
      share: shareOf(result),
    },
    ...lookOf({
      cached: fieldOf(result, 'cached'),
      window: fieldOf(result, 'time_range') ?? fieldOf(result, 'window'),
      sampled: fieldOf(result, 'sampled') ?? fieldOf(result, 'sample_rate'),
    }),
  };
}

/** Of when its data are, unix ms; null where it does not say. */
export function dataUntil({ as_of }: Pick<ResultFacts, 'as_of'>): number | null {
  const until = Date.parse(as_of ?? '');
  return Number.isNaN(until) ? null : until;
}

/** Whether data that are of then are older than they stay fresh: a day, unless the result says otherwise. */
export const isOldSince = ({ fresh_for_s }: Pick<ResultFacts, 'fresh_for_s'>, at: number, now: number): boolean =>
  now - at > (fresh_for_s === null ? DAY_MS : fresh_for_s * 1000);

/** How its source was looked at, as far as what a tool says of that can be read. */
export function lookOf(said: {
  readonly cached: unknown;
  readonly window: unknown;
  readonly sampled: unknown;
}): Pick<ResultFacts, 'cached' | 'window' | 'sampled'> {
  const { cached, sampled } = said;
  const [from, to] = ['from', 'to'].map((name) => textOf(fieldOf(said.window as Json, name)));
  const share = shareSampled(sampled);
  return {
    ...(typeof cached === 'boolean' ? { cached } : {}),
    ...(from == null && to == null ? {} : { window: { from: from ?? null, to: to ?? null } }),
    ...(share === null ? {} : { sampled: share }),
  };
}

/** A whole source is no sample. */
function shareSampled(sampled: unknown): string | null {
  if (sampled === true) return 'a part';
  if (typeof sampled !== 'number' || sampled < 0 || sampled >= 1) return null;
  return `${Number((sampled * 100).toPrecision(3))}%`;
}

const UNITS = [
  { total: 'total_lines', unit: 'lines', shown: (result: Json) => numberOf(fieldOf(result, 'lines')) },
  { total: 'total_chars', unit: 'characters', shown: (result: Json) => String(fieldOf(result, 'text') ?? '').length },
  { total: 'total_rows', unit: 'rows', shown: (result: Json) => longestList(result) },
  { total: 'total', unit: 'entries', shown: (result: Json) => longestList(result) },
];

function shareOf(result: Json): ResultPart['share'] {
  const found = UNITS.find(({ total }) => typeof fieldOf(result, total) === 'number');
  if (!found) return null;
  return { shown: found.shown(result), total: numberOf(fieldOf(result, found.total)), unit: found.unit };
}

const isPlace = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number';

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const longestList = (result: Json): number =>
  typeof result === 'object' && result !== null
    ? Math.max(0, ...Object.values(result).map((value) => (Array.isArray(value) ? value.length : 0)))
    : 0;

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

const fieldOf = (value: Json, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
