import { z } from 'zod';
import type { Json } from '#contract';
import { iso } from '../../lib/clock.ts';
import { readJson } from '../../lib/json.ts';
import { dataUntil, isOldSince } from '../../record/result-facts.ts';
import { openedSections } from './citations.ts';
import { type Evidence, nameOfSource } from './evidence.ts';

/** What is to be known of a result before anything is made to rest on it. */
export interface Limitation {
  /** Empty where it is of no result. */
  readonly call_id: string;
  /** As a person would name it. */
  readonly source: string;
  /**
   * `cut`: a part only was read. `old`: older than its source says that it stays fresh. `drifted`: it has changed since.
   * `unchecked`: a hook could not look at the answer.
   */
  readonly kind: 'cut' | 'old' | 'drifted' | 'unchecked';
  /** `400 of 12481 lines`, or the time that the data are of; null where nothing more is known. */
  readonly detail: string | null;
}

/** Of all results of the run that can be rested on. Pure. */
export function limitationsOf(
  evidence: readonly Evidence[],
  {
    now,
    drifted,
    samples = false,
  }: {
    readonly now: number;
    readonly drifted: ReadonlySet<string>;
    /** Whether a source that says so was looked at in part; older versions did not ask. */
    readonly samples?: boolean;
  },
): readonly Limitation[] {
  const read = evidence.filter(({ ok }) => ok);
  const of = (item: Evidence, kind: Limitation['kind'], detail: string | null): Limitation => ({
    call_id: item.id,
    source: nameOfSource(item),
    kind,
    detail,
  });
  return [
    ...samplesOf(read).map(({ item, share }) => of(item, 'cut', share)),
    ...read.flatMap((item) => (samples && item.facts.sampled ? [of(item, 'cut', item.facts.sampled)] : [])),
    ...[...newestOf(evidence).values()].flatMap((item) => {
      const at = staleSince(item, now);
      return at === null ? [] : [of(item, 'old', `${iso(at).slice(0, 16).replace('T', ' ')} UTC`)];
    }),
    ...read.filter(({ id }) => drifted.has(id)).map((item) => of(item, 'drifted', null)),
    ...driftedFiles(read, drifted),
  ];
}

/** Files that have changed, of calls that opened several and are not known by one of them. */
function driftedFiles(read: readonly Evidence[], drifted: ReadonlySet<string>): readonly Limitation[] {
  const changed = openedSections(read).filter(({ id, callId }) => drifted.has(id) && !drifted.has(callId));
  const files = new Map(changed.map(({ callId, path }) => [`${callId} ${path}`, { callId, path }]));
  return [...files.values()].map(({ callId, path }) => ({
    call_id: callId,
    source: nameOfSource({ source: path, tool: '' }),
    kind: 'drifted',
    detail: null,
  }));
}

/** Of when the data of a result are, where that is longer ago than they stay fresh (a day, unless the result says so); else null. */
export function staleSince({ facts, observedAt }: Evidence, now: number): number | null {
  const at = dataUntil(facts) ?? observedAt;
  return at === null || !isOldSince(facts, at, now) ? null : at;
}

/**
 * Of when the oldest data are that the run has looked up and not looked up again since, where their source says that they are of
 * before; null where none are old. `told`: calls of which the answer says so itself.
 */
export function oldestData(evidence: readonly Evidence[], now: number, told: ReadonlySet<string>): number | null {
  const since = [...newestOf(evidence).values()].flatMap((item) =>
    dataUntil(item.facts) === null || told.has(item.id) ? [] : (staleSince(item, now) ?? []),
  );
  return since.length === 0 ? null : Math.min(...since);
}

/** The last look at each source. */
const newestOf = (evidence: readonly Evidence[]): ReadonlyMap<string, Evidence> =>
  new Map(evidence.filter(({ ok }) => ok).map((item) => [`${item.tool} ${item.source}`, item]));

/** A source of which the run saw a part. */
interface Sample {
  readonly item: Evidence;
  /** `400 of 12481 lines`; null where the result does not say how much there is. */
  readonly share: string | null;
}

/** Sources that were read in part and not to their end by any other call of the run. Pure. */
function samplesOf(evidence: readonly Evidence[]): readonly Sample[] {
  const read = evidence.filter(({ ok }) => ok);
  const pages = pagesRead(read);
  const samples = new Map<string, Sample>();
  for (const item of read) {
    if (!isPart(item) || (item.ref !== null && pages.has(item.ref))) continue;
    const key = `${item.tool} ${item.source}`;
    const alike = read.filter((other) => `${other.tool} ${other.source}` === key);
    if (item.tool !== PAGES && !isWhole(alike)) samples.set(key, { item, share: shareOf(item, alike) });
  }
  return [...samples.values()];
}

const PAGES = 'resolve_ref';

/** Refs of which every page was read. */
function pagesRead(read: readonly Evidence[]): ReadonlySet<string> {
  const seen = Map.groupBy(
    read.filter(({ tool }) => tool === PAGES),
    ({ result }) => String(field(result, 'ref')),
  );
  return new Set(
    [...seen].flatMap(([ref, items]) => {
      const numbers = new Set(items.map(({ result }) => field(result, 'page')));
      return numbers.size === field(items[0]?.result ?? null, 'pages') ? [ref] : [];
    }),
  );
}

const isPart = ({ content, facts }: Evidence): boolean => isCut(content) || facts.part?.more === true;

/** Cut by the observation itself. */
const isCut = (content: string): boolean => /"truncated":true,"total_bytes":/.test(content);

/** Pages of one source, put together: to the last one, and as long as the whole. */
function isWhole(alike: readonly Evidence[]): boolean {
  if (alike.some(({ content }) => isCut(content))) return false;
  const isLastThere = alike.some(({ facts }) => facts.part?.more !== true);
  const counted = countedOf(alike);
  return isLastThere && (counted === null || counted.shown >= counted.total);
}

function countedOf(alike: readonly Evidence[]): { shown: number; total: number; unit: string } | null {
  const first = alike[0]?.facts.part?.share;
  if (!first) return null;
  const distinct = new Map(alike.map(({ facts }) => [facts.part?.at, facts.part?.share?.shown ?? 0]));
  return { ...first, shown: [...distinct.values()].reduce((sum, shown) => sum + shown, 0) };
}

function shareOf(item: Evidence, alike: readonly Evidence[]): string | null {
  const cut = isCut(item.content) ? cutOf(item) : null;
  if (cut) return cut;
  const counted = countedOf(alike);
  return counted ? `${Math.min(counted.shown, counted.total)} of ${counted.total} ${counted.unit}` : null;
}

const count = z.number().optional();
const shown = z.object({
  cut: z
    .array(
      z.object({
        at: z.string().optional(),
        shown_chars: count,
        total_chars: count,
        total_lines: count,
        shown_rows: count,
        total_rows: count,
      }),
    )
    .default([]),
});

function cutOf({ content, result }: Evidence): string | null {
  const first = readJson(shown, content)?.cut[0];
  if (!first) return null;
  if (first.total_rows !== undefined) return `${first.shown_rows} of ${first.total_rows} rows`;
  const text = first.at === 'result' ? result : field(result, first.at ?? '');
  if (typeof text === 'string' && (first.total_lines ?? 1) > 1) {
    return `${text.split('\n').length} of ${first.total_lines} lines`;
  }
  return first.total_chars === undefined ? null : `${first.shown_chars} of ${first.total_chars} characters`;
}

const field = (value: Json, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
