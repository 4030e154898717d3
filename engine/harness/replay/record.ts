import type { Json } from '#contract';
import { sha256 as hashOf } from '../../lib/ids.ts';
import { decodeToolEvent, resultIn, type ToolResultPayload } from '../../record/codec/run-events.ts';
import { BESIDE_LOOP, type RunEvent } from '../../record/events.ts';
import { logOf, type RunLog } from '../../record/run-log.ts';
import type { Blobs } from '../../storage/blobs.ts';
import type { LoadedRun } from '../../storage/ports/runs.ts';
import type { Approval, ApprovalState } from '../../storage/types/approvals.ts';
import type { Suspension } from '../../storage/types/suspensions.ts';
import { isAbout, isReplaced, membersOf } from '../../suspensions/members.ts';
import { CONDITION_CALL } from '../loop/condition.ts';

/** What one claim of a run wrote, and all that was on record before it. */
export interface RecordedLease {
  readonly before: RunLog;
  readonly written: RunLog;
  /** The approvals as they stood when it began. */
  readonly approvals: readonly Approval[];
  /** What calls of earlier claims waited for, as it stood when it began. */
  readonly suspensions: readonly Suspension[];
  /** Those that it asked for itself. */
  readonly asked: readonly Approval[];
}

/** The claims of a run that its loop worked in, in order; each is replayed by itself, from the state that its predecessors left on disk. */
export function claimsOf(
  log: RunLog,
  { approvals, suspensions }: Pick<LoadedRun, 'approvals' | 'suspensions'>,
): readonly RecordedLease[] {
  // A prompt that no model answered, and that was put together anew later, is no part of what came of the run.
  const from = log.last('context_built')?.seq ?? 0;
  const events = log.between(from, log.nextSeq).all;
  const fences = [...new Set(events.flatMap(({ fence }) => (fence === null ? [] : [fence])))];
  const claims = fences.map((fence): RecordedLease => {
    const own = upToEnd(events.filter((event) => event.fence === fence));
    const begin = own[0]?.seq ?? 0;
    const before = log.between(0, begin);
    const written = logOf(own.filter(isOfLoop));
    const later = askedIn(log.between(begin, log.nextSeq));
    const asked = askedIn(written);
    return {
      before,
      written,
      suspensions: suspensions.flatMap((row) => rowAt(row, before)),
      asked: approvals.filter(({ id }) => asked.has(id)),
      approvals: approvals.filter(({ id }) => !later.has(id)).map((row) => ({ ...row, ...stateAt(row, before) })),
    };
  });
  return claims.filter(({ written }) => !isGivenUp(written.all));
}

/** Not what goes before and after the loop: the prompt, which is pinned, the condition of a task, and that it waits. */
const isOfLoop = ({ type, data }: RunEvent): boolean =>
  !BESIDE_LOOP.has(type) && !('call_id' in data && data.call_id === CONDITION_CALL);

/** The run was ended from outside its loop: by whoever cancelled it, or because the engine itself had failed at it. */
const isGivenUp = ([first]: readonly RunEvent[]): boolean =>
  first === undefined ||
  first.type === 'reply_committed' ||
  first.type === 'run_ended' ||
  (first.type === 'decision' && first.data.reason === 'cancelled');

/** What the engine writes to give a run up stands behind a gap in the numbers, or behind what it waited for in vain. */
const upToEnd = (events: readonly RunEvent[]): readonly RunEvent[] => {
  const end = events.findIndex(
    (event, index) =>
      event.seq - (events[index - 1]?.seq ?? event.seq) > 1 ||
      (event.type === 'decision' && event.data.reason === 'gave_up'),
  );
  return end < 0 ? events : events.slice(0, end);
};

const askedIn = (log: RunLog): ReadonlySet<string> =>
  new Set(log.of('approval_requested').flatMap(({ data }) => data.items.map(({ approval_id }) => approval_id)));

/** A suspension at a time: not there yet, open, or as it ended. */
function rowAt(row: Suspension, before: RunLog): readonly Suspension[] {
  if (!before.of('suspended').some(({ data }) => data.suspension_id === row.id)) return [];
  if (before.of('resumed').some(({ data }) => data.suspension_id === row.id)) return [row];
  return [{ ...row, state: 'open', result: null, ended_at: null }];
}

/** An approval's state at a time, told by what was on record then. */
function stateAt(row: Approval, before: RunLog): { state: ApprovalState; reason: string | null } {
  if (isReplaced(row)) return { state: 'stale', reason: row.reason };
  const decided = before.of('approval_decided').findLast(({ data }) => data.approval_id === row.id);
  if (decided === undefined) return { state: 'pending', reason: null };
  const { state, reason = null } = decided.data;
  if (state !== 'approved') return { state, reason };
  const since = before.between(decided.seq, before.nextSeq);
  if (asksAnew(since, row.call_id)) return { state: 'stale', reason: row.reason };
  const seen = since.of('observation').filter(({ data }) => isAbout(row, data.call_id));
  if (seen.length >= Math.max(1, membersOf(row).length))
    return { state: seen.every(({ data }) => data.ok) ? 'executed' : 'failed', reason: null };
  const isBegun = since.of('tool_call_intended').some(({ data }) => isAbout(row, data.call_id));
  return { state: isBegun ? 'executing' : 'approved', reason };
}

/** The call changed after it was approved, so owners were asked anew. */
const asksAnew = (log: RunLog, callId: string): boolean =>
  log.of('approval_requested').some(({ data }) => data.items.some(({ call_id }) => call_id === callId));

/** What a tool returned, as far as a replay plays it. */
export type PlayedResult =
  | { readonly ok: true; readonly result: Json }
  | { readonly ok: false; readonly error: NonNullable<ToolResultPayload['error']> | undefined };

/** The results as tools returned them, by call and how often its id had come before. */
export function resultsOf(
  { toolEvents }: Pick<LoadedRun, 'toolEvents'>,
  artifacts: Blobs,
): (callId: string, nth: number) => PlayedResult | undefined {
  const byCall = Map.groupBy(
    toolEvents.filter(({ event_type }) => event_type === 'tool_result'),
    ({ tool_call_id }) => tool_call_id,
  );
  return (callId, nth) => {
    const row = byCall.get(callId)?.[nth];
    const event = row && decodeToolEvent(row, artifacts);
    if (event?.type !== 'tool_result') return undefined;
    const { payload } = event;
    return payload.ok ? { ok: true, result: resultIn(payload, artifacts) } : { ok: false, error: payload.error };
  };
}

/** Reads what is there; what is put is kept beside it, so that nothing on disk changes. */
export function beside(artifacts: Blobs): Blobs {
  const own = new Map<string, Uint8Array>();
  return {
    ...artifacts,
    put(bytes, sha256) {
      const hash = sha256 ?? hashOf(bytes);
      own.set(hash, bytes);
      return hash;
    },
    has: (hash) => own.has(hash) || artifacts.has(hash),
    get: async (hash) => own.get(hash) ?? artifacts.get(hash),
    getSync: (hash) => own.get(hash) ?? artifacts.getSync(hash),
  };
}
