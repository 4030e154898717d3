import type { Blobs } from '../storage/blobs.ts';
import type { StoredEvent } from '../storage/types/runs.ts';
import { decodeEvent } from './codec/run-events.ts';
import type { CallEventType, EventOf, EventType, RunEvent } from './events.ts';

/** What is on record of a run, in order. A payload is read when somebody asks for it, and once. */
export interface RunLog {
  /** The number that the next event gets. */
  readonly nextSeq: number;
  readonly all: readonly RunEvent[];
  /** Events of the types that are wanted; payloads of others are not read. */
  select(wanted: (type: string) => boolean): readonly RunEvent[];
  /** Whether there is an event of this type. */
  has(type: EventType): boolean;
  of<Type extends EventType>(type: Type): readonly EventOf<Type>[];
  first<Type extends EventType>(type: Type): EventOf<Type> | undefined;
  last<Type extends EventType>(type: Type): EventOf<Type> | undefined;
  firstOfCall<Type extends CallEventType>(type: Type, callId: string): EventOf<Type> | undefined;
  /** The newest event of a type about a call: a vendor may give the id of a call again in a later turn. */
  lastOfCall<Type extends CallEventType>(type: Type, callId: string): EventOf<Type> | undefined;
  /** What happened from an event on, up to but without another. */
  between(from: number, to: number): RunLog;
}

/** An event whose payload may not have been read yet. */
interface Entry {
  readonly seq: number;
  readonly type: string;
  read(): RunEvent;
}

/** The log of a run from its rows. */
export function readLog(rows: readonly StoredEvent[], artifacts: Pick<Blobs, 'getSync'>): RunLog {
  return logFrom(
    rows.map((row): Entry => {
      let known: RunEvent | undefined;
      const read = () => {
        known ??= decodeEvent(row, artifacts);
        return known;
      };
      return { seq: row.seq, type: row.type, read };
    }),
  );
}

/** A log of events that have been read. */
export const logOf = (events: readonly RunEvent[]): RunLog =>
  logFrom(events.map((event) => ({ seq: event.seq, type: event.type, read: () => event })));

const isOf = <Type extends EventType>(event: RunEvent, type: Type): event is RunEvent & EventOf<Type> =>
  event.type === type;

function logFrom(entries: readonly Entry[]): RunLog {
  const readAs = <Type extends EventType>(entry: Entry | undefined, type: Type): EventOf<Type> | undefined => {
    const event = entry?.read();
    return event && isOf(event, type) ? event : undefined;
  };
  function ofCall<Type extends CallEventType>(among: readonly Entry[], type: Type, callId: string) {
    for (const entry of among) {
      const event = entry.type === type ? readAs(entry, type) : undefined;
      if (event?.data.call_id === callId) return event;
    }
    return undefined;
  }
  return {
    nextSeq: (entries.at(-1)?.seq ?? -1) + 1,
    get all() {
      return entries.map(({ read }) => read());
    },
    select: (wanted) => entries.flatMap(({ type, read }) => (wanted(type) ? [read()] : [])),
    has: (type) => entries.some((entry) => entry.type === type),
    of: (type) => entries.flatMap((entry) => (entry.type === type ? (readAs(entry, type) ?? []) : [])),
    first: (type) =>
      readAs(
        entries.find((entry) => entry.type === type),
        type,
      ),
    last: (type) =>
      readAs(
        entries.findLast((entry) => entry.type === type),
        type,
      ),
    firstOfCall: (type, callId) => ofCall(entries, type, callId),
    lastOfCall: (type, callId) => ofCall(entries.toReversed(), type, callId),
    between: (from, to) => logFrom(entries.filter(({ seq }) => seq >= from && seq < to)),
  };
}

/** One answer of a model, or one failure to answer, with what it was asked and what came of it. */
export interface Turn {
  readonly started: EventOf<'model_call_started'> | undefined;
  readonly ended: EventOf<'model_call_ended'>;
  /** Up to the next answer. */
  readonly after: RunLog;
}

export function turnsOf(log: RunLog): readonly Turn[] {
  const [starts, ends] = [log.of('model_call_started'), log.of('model_call_ended')];
  return ends.map((ended, index) => ({
    started: starts.findLast(({ seq }) => seq < ended.seq),
    ended,
    after: log.between(ended.seq + 1, ends[index + 1]?.seq ?? log.nextSeq),
  }));
}
