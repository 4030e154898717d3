import type { Json } from '#contract';

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
  };
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
