import { canonicalJson } from '../../lib/canonical-json.ts';
import type { LoadedRun } from '../../storage/ports/runs.ts';

import { cleanJson, noFindings } from '../../tools/observe/clean.ts';
import { CONDITION_CALL } from '../loop/condition.ts';
import type { Difference } from './compare.ts';
import type { Event, Payload } from './record.ts';

/**
 * What other programs read of a run (its counters and its end in `runs`, its rows in `thread_tool_events`), made
 * anew from `run_events` alone. Pure.
 */
function viewsOf(events: readonly Event[]) {
  const replies = events.flatMap(({ type, data }) => (type === 'model_call_ended' && data.ok ? [data] : []));
  const sum = (name: string) => replies.reduce((total, { response }) => total + response.usage[name], 0);
  const end = events.findLast(({ type }) => type === 'run_ended')?.data;
  const target = events.findLast(({ type }) => type === 'model_call_started')?.data;
  return {
    run: {
      model_calls: replies.length,
      tool_calls: replies.reduce(
        (total, { response }) => total + response.toolCalls.length,
        conditions(events) + events.filter(isStep).length,
      ),
      input_tokens: sum('input'),
      output_tokens: sum('output'),
      cached_tokens: sum('cached'),
      provider: target?.provider ?? null,
      model: target?.model ?? null,
      status: end?.status ?? null,
      outcome: end?.outcome ?? null,
      code: end?.code ?? null,
      reply_message_id: events.findLast(({ type }) => type === 'reply_committed')?.data.message_id ?? null,
    },
    toolEvents: toolEventsOf(events),
  };
}

/** The call that a task's run began with; no model asked for it, and its arguments stand in the task. */
const conditions = (events: readonly Event[]): number =>
  events.filter(({ type, data }) => type === 'observation' && data.call_id === CONDITION_CALL).length;

/** A step of a plan that was begun: a call that no turn of the model holds. */
const isStep = ({ type, data }: Event): boolean => type === 'tool_call_intended' && data.step_of !== undefined;

function toolEventsOf(events: readonly Event[]): readonly Payload[] {
  return events.flatMap((event) => {
    const { type, data } = event;
    if (isStep(event))
      return [
        {
          event_type: 'tool_call',
          tool_name: data.tool,
          tool_call_id: data.call_id,
          payload: { arguments: data.arguments ?? null },
        },
      ];
    if (type === 'model_call_ended' && data.ok) {
      return data.response.toolCalls.map((call: Payload) => ({
        event_type: 'tool_call',
        tool_name: call.name,
        tool_call_id: call.id,
        payload: { arguments: call.arguments ?? call.rawArguments ?? null },
      }));
    }
    if (type !== 'observation' || data.call_id === CONDITION_CALL) return [];
    return [{ event_type: 'tool_result', tool_name: data.tool, tool_call_id: data.call_id, payload: resultOf(data) }];
  });
}

/** A result as the model was shown it, or where the whole of it is. */
const resultOf = (seen: Payload): Payload => ({
  ok: seen.ok,
  ...(seen.artifact === null ? shownOf(JSON.parse(seen.content)) : {}),
  artifact: seen.artifact,
  ...(seen.same_as === undefined ? {} : { same_as: seen.same_as }),
});

const shownOf = ({ result, error }: Payload): Payload => (error === undefined ? { result } : { error });

/** The first field or row that is stored otherwise than the events say. */
export function firstStale({ run, toolEvents }: LoadedRun, events: readonly Event[]): Difference | null {
  const views = viewsOf(events);
  const isOver = views.run.status !== null;
  for (const [name, rebuilt] of Object.entries(views.run)) {
    const stored: unknown = Reflect.get(run, name);
    if (!isOver && ['status', 'outcome', 'code'].includes(name)) continue;
    if (stored !== rebuilt) return { seq: null, what: `runs.${name}`, recorded: stored, replayed: rebuilt };
  }
  const rows = toolEvents.filter(({ tool_call_id }) => tool_call_id !== CONDITION_CALL);
  for (const [index, row] of rows.entries()) {
    const { event_type, tool_name, tool_call_id } = row;
    const stored = { event_type, tool_name, tool_call_id, payload: asShown(JSON.parse(row.payload_json)) };
    const rebuilt = views.toolEvents[index] ?? null;
    if (canonicalJson(stored) === canonicalJson(rebuilt)) continue;
    return { seq: null, what: `thread_tool_events ${index}`, recorded: stored, replayed: rebuilt };
  }
  if (views.toolEvents.length === rows.length) return null;
  return { seq: null, what: 'thread_tool_events', recorded: rows.length, replayed: views.toolEvents.length };
}

/** Events hold results as models see them: cleaned. */
const asShown = (payload: Payload): Payload => {
  if ('arguments' in payload) return payload;
  const clean = (part: string) => (part in payload ? { [part]: cleanJson(payload[part], noFindings()) } : {});
  return { ...payload, ...clean('result'), ...clean('error') };
};
