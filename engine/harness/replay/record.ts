import type { Json } from '#contract';
import { sha256 as hashOf } from '../../lib/ids.ts';
import { isAbout, membersOf } from '../../policy/batch.ts';
import { payloadOf } from '../../record/recorder.ts';
import type { Blobs } from '../../storage/blobs.ts';
import type { LoadedRun } from '../../storage/ports/runs.ts';
import type { Approval, ApprovalState } from '../../storage/types/approvals.ts';
import type { RunEventType, StoredEvent } from '../../storage/types/runs.ts';

import { CONDITION_CALL } from '../loop/condition.ts';

// biome-ignore lint/suspicious/noExplicitAny: payloads of all event types and versions; each reader knows its own.
export type Payload = any;

export interface Event {
  readonly seq: number;
  readonly type: RunEventType;
  readonly data: Payload;
}

/** What one claim of a run wrote, and all that was on record before it. */
export interface Claim {
  readonly before: readonly StoredEvent[];
  readonly written: readonly Event[];
  /** The approvals as they stood when it began. */
  readonly approvals: readonly Approval[];
  /** Those that it asked for itself. */
  readonly asked: readonly Approval[];
}

/** The claims of a run that its loop worked in, in order; each is replayed by itself, from the state that its predecessors left on disk. */
export function claimsOf({ events: all, approvals }: LoadedRun, artifacts: Blobs): readonly Claim[] {
  // A prompt that no model answered, and that was put together anew later, is no part of what came of the run.
  const from = all.findLast(({ type }) => type === 'context_built')?.seq ?? 0;
  const events = all.map((event) => (event.seq < from ? { ...event, fence: null } : event));
  const read = ({ seq, type, payload_json }: StoredEvent): Event => ({
    seq,
    type,
    data: payloadOf(payload_json, artifacts),
  });
  const fences = [...new Set(events.flatMap(({ fence }) => (fence === null ? [] : [fence])))];
  const claims = fences.map((fence) => {
    const rows = upToEnd(events.filter((event) => event.fence === fence));
    const before = events.filter(({ seq }) => seq < (rows[0]?.seq ?? 0));
    const written = rows.map(read).filter(isOfLoop);
    const later = askedIn(events.filter(({ seq }) => seq >= (rows[0]?.seq ?? 0)).map(read));
    const own = askedIn(written);
    return {
      before,
      written,
      asked: approvals.filter(({ id }) => own.has(id)),
      approvals: approvals
        .filter(({ id }) => !later.has(id))
        .map((row) => ({ ...row, ...stateAt(row, before.map(read)) })),
    };
  });
  return claims.filter(({ written }) => !isGivenUp(written));
}

/** Not what goes before and after the loop: the prompt, which is pinned, the condition of a task, and that it waits. */
const isOfLoop = ({ type, data }: Event): boolean =>
  type !== 'context_built' && type !== 'deferred' && data.call_id !== CONDITION_CALL;

/** The run was ended from outside its loop: by whoever cancelled it, or because the engine itself had failed at it. */
const isGivenUp = ([first]: readonly Event[]): boolean =>
  first === undefined ||
  first.type === 'reply_committed' ||
  first.type === 'run_ended' ||
  (first.type === 'decision' && first.data.reason === 'cancelled');

/** What the engine writes to give a run up stands behind a gap in the numbers, or behind what it waited for in vain. */
const upToEnd = (rows: readonly StoredEvent[]): readonly StoredEvent[] => {
  const end = rows.findIndex(
    ({ seq, type, payload_json }, index) =>
      seq - (rows[index - 1]?.seq ?? seq) > 1 ||
      (type === 'decision' && (JSON.parse(payload_json) as Payload).reason === 'gave_up'),
  );
  return end < 0 ? rows : rows.slice(0, end);
};

const askedIn = (events: readonly Event[]): ReadonlySet<string> =>
  new Set(
    events.flatMap(({ type, data }) =>
      type === 'approval_requested' ? data.items.map((item: Payload) => item.approval_id) : [],
    ),
  );

/** An approval's state at a time, told by what was on record then. */
function stateAt(row: Approval, before: readonly Event[]): { state: ApprovalState; reason: string | null } {
  if (row.state === 'stale' && (row.reason === 'edited' || row.reason === 'split'))
    return { state: 'stale', reason: row.reason };
  const at = before.findLastIndex(({ type, data }) => type === 'approval_decided' && data.approval_id === row.id);
  const decided = before[at]?.data;
  if (decided === undefined) return { state: 'pending', reason: null };
  if (decided.state !== 'approved') return { state: decided.state, reason: decided.reason ?? null };
  if (asksAnew(before.slice(at), row.call_id)) return { state: 'stale', reason: row.reason };
  const since = before.slice(at).filter(({ data }) => isAbout(row, data.call_id));
  const seen = since.filter(({ type }) => type === 'observation').map(({ data }) => data);
  if (seen.length >= Math.max(1, membersOf(row).length))
    return { state: seen.every(({ ok }) => ok) ? 'executed' : 'failed', reason: null };
  const state = since.some(({ type }) => type === 'tool_call_intended') ? 'executing' : 'approved';
  return { state, reason: decided.reason ?? null };
}

/** What was to be done was not that any more, so it was put before the owners once more. */
const asksAnew = (events: readonly Event[], callId: string): boolean =>
  events.some(
    ({ type, data }) => type === 'approval_requested' && data.items.some((item: Payload) => item.call_id === callId),
  );

/** The results as tools returned them, by call and how often its id had come before. */
export function resultsOf({ toolEvents }: LoadedRun, artifacts: Blobs): (callId: string, nth: number) => Payload {
  const byCall = Map.groupBy(
    toolEvents.filter(({ event_type }) => event_type === 'tool_result'),
    ({ tool_call_id }) => tool_call_id,
  );
  return (callId, nth) => {
    const row = byCall.get(callId)?.[nth];
    if (row === undefined) return undefined;
    const payload = JSON.parse(row.payload_json);
    if (payload.ok !== true || 'result' in payload) return payload;
    const whole: Json = JSON.parse(Buffer.from(artifacts.getSync(payload.artifact)).toString('utf8'));
    return { ...payload, result: whole };
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
