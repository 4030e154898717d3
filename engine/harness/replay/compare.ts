import { canonicalJson } from '../../lib/canonical-json.ts';
import type { Event, Payload } from './record.ts';

/** The first thing that did not come out as it went in. */
export interface Difference {
  /** Of the event on record; null for what is no event. */
  readonly seq: number | null;
  /** In a few words: `decision`, `request: history`, `mail`. */
  readonly what: string;
  readonly recorded: Payload;
  readonly replayed: Payload;
}

/** What depends on the hour, on prices and on ids that are drawn: nothing was decided by it. */
const VOLATILE: Readonly<Partial<Record<Event['type'], readonly string[]>>> = {
  model_call_ended: ['ms', 'cost_usd', 'rested'],
  tool_call_ended: ['ms', 'sensed'],
};
const VOLATILE_ITEM = ['approval_id', 'expires_at'];

/** The first event on record that the replay did not write the same, to the byte. */
export function firstDifference(recorded: readonly Event[], replayed: readonly Event[]): Difference | null {
  for (const [index, event] of recorded.entries()) {
    const again = replayed[index];
    if (again === undefined) return { seq: event.seq, what: event.type, recorded: event.data, replayed: null };
    if (again.type !== event.type) {
      return {
        seq: event.seq,
        what: `${event.type} became ${again.type}`,
        recorded: event.data,
        replayed: again.data,
      };
    }
    const [then, now] = [lasting(event), withoutNewer(lasting(again), event)];
    if (canonicalJson(then) === canonicalJson(now)) continue;
    return { seq: event.seq, what: whatOf(event.type, then, now), recorded: then, replayed: now };
  }
  return null;
}

function lasting({ type, data }: Event): Payload {
  const plain = JSON.parse(JSON.stringify(data));
  if (type === 'approval_requested') {
    return { ...plain, items: plain.items.map((item: Payload) => without(item, VOLATILE_ITEM)) };
  }
  return without(plain, VOLATILE[type] ?? []);
}

/** What records did not have yet when they were written. */
const withoutNewer = (now: Payload, { type, data }: Event): Payload =>
  type === 'model_call_started' && data.surface === undefined ? without(now, ['surface', 'fitted']) : now;

const without = (value: Payload, names: readonly string[]): Payload =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));

function whatOf(type: Event['type'], then: Payload, now: Payload): string {
  if (type !== 'model_call_started') return type;
  const parts = ['prefix', 'history', 'mail', 'turns'].filter((part) => then.request?.[part] !== now.request?.[part]);
  return parts.length === 0 ? 'request' : `request: ${parts.join(', ')}`;
}
