import { iso } from '../../lib/clock.ts';
import { openedSections } from './citations.ts';
import { samplesOf } from './coverage.ts';
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

const DAY_MS = 86_400_000;

/** Of all results of the run that can be rested on. Pure. */
export function limitationsOf(
  evidence: readonly Evidence[],
  { now, drifted }: { readonly now: number; readonly drifted: ReadonlySet<string> },
): readonly Limitation[] {
  const read = evidence.filter(({ ok }) => ok);
  const of = (item: Evidence, kind: Limitation['kind'], detail: string | null): Limitation => ({
    call_id: item.id,
    source: nameOfSource(item),
    kind,
    detail,
  });
  const newest = new Map(read.map((item) => [`${item.tool} ${item.source}`, item]));
  return [
    ...samplesOf(read).map(({ item, share }) => of(item, 'cut', share)),
    ...[...newest.values()].flatMap((item) => {
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
    ...{ call_id: callId, source: nameOfSource({ source: path, tool: '' }), kind: 'drifted', detail: null },
  }));
}

/** Of when the data of a result are, where that is longer ago than they stay fresh (a day, unless the result says so); else null. */
export function staleSince({ facts, observedAt }: Evidence, now: number): number | null {
  const freshMs = facts.fresh_for_s === null ? DAY_MS : facts.fresh_for_s * 1000;
  const until = Date.parse(facts.as_of ?? '');
  const at = Number.isNaN(until) ? observedAt : until;
  return at === null || now - at <= freshMs ? null : at;
}
