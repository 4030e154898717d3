import { canonicalJson } from '../../lib/json.ts';
import type { EventType, RunEvent } from '../../record/events.ts';

/** The first thing that did not come out as it went in. */
export interface Difference {
  /** Of the event on record; null for what is no event. */
  readonly seq: number | null;
  /** In a few words: `decision`, `request: history`, `mail`. */
  readonly what: string;
  readonly recorded: unknown;
  readonly replayed: unknown;
}

/** What depends on the hour, on prices and on ids that are drawn: nothing was decided by it. */
const VOLATILE: Readonly<Partial<Record<EventType, readonly string[]>>> = {
  model_call_started: ['left_out'],
  model_call_ended: ['ms', 'cost_usd', 'rested', 'booked', 'price'],
  tool_call_ended: ['ms', 'sensed'],
  suspended: ['ms', 'sensed'],
};
const VOLATILE_ITEM = ['approval_id', 'expires_at'];

/** The first event on record that the replay did not write the same, to the byte. */
export function firstDifference(recorded: readonly RunEvent[], replayed: readonly RunEvent[]): Difference | null {
  for (const [index, event] of recorded.entries()) {
    const again = replayed[index];
    const { seq, type } = event;
    if (again === undefined) return { seq, what: type, recorded: event.data, replayed: null };
    if (again.type !== type) {
      return { seq, what: `${type} became ${again.type}`, recorded: event.data, replayed: again.data };
    }
    const [then, now] = [lasting(event), withoutNewer(lasting(again), event)];
    if (canonicalJson(then) === canonicalJson(now)) continue;
    return { seq, what: whatOf(event, again), recorded: then, replayed: now };
  }
  return null;
}

const lasting = (event: RunEvent): object =>
  event.type === 'approval_requested'
    ? { ...event.data, items: event.data.items.map((item) => without(item, VOLATILE_ITEM)) }
    : without(event.data, VOLATILE[event.type] ?? []);

/** What records did not have yet when they were written. */
function withoutNewer(now: object, event: RunEvent): object {
  if (event.type === 'model_call_started' && event.data.surface === undefined)
    return without(now, ['surface', 'fitted']);
  if (event.type === 'model_call_ended' && event.data.response?.whole === undefined && 'response' in now)
    return { ...now, response: without(Object(now.response), ['whole']) };
  return event.type === 'decision' && event.data.citations === undefined ? without(now, ['citations']) : now;
}

const without = (value: object, names: readonly string[]): object =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));

function whatOf(then: RunEvent, now: RunEvent): string {
  if (then.type !== 'model_call_started' || now.type !== 'model_call_started') return then.type;
  const parts = (['prefix', 'history', 'mail', 'turns'] as const).filter(
    (part) => then.data.request?.[part] !== now.data.request?.[part],
  );
  return parts.length === 0 ? 'request' : `request: ${parts.join(', ')}`;
}
