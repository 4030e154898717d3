import type { Json, Usage } from '#contract';
import { cleanJson, noFindings } from '../../lib/clean-text.ts';
import { canonicalJson } from '../../lib/json.ts';
import type { Observation } from '../../record/codec/fields.ts';
import { decodeToolEvent, shownIn, type ToolEvent } from '../../record/codec/run-events.ts';
import { WAITING_ROW } from '../../record/fold.ts';
import { type RunLog, turnsOf } from '../../record/run-log.ts';
import type { Blobs } from '../../storage/blobs.ts';
import type { LoadedRun } from '../../storage/ports/runs.ts';
import { WAITING } from '../../storage/types/runs.ts';
import { CONDITION_CALL } from '../loop/condition.ts';
import type { Difference } from './compare.ts';

const NOTHING = { input: 0, output: 0, cached: 0, cacheWrite: 0 };

/** What other programs read of a run in `runs`: its counters and its end, made anew from its events. Pure. */
function runAgain(log: RunLog) {
  const replies = turnsOf(log).flatMap(({ ended }) => (ended.data.ok ? (ended.data.response ?? []) : []));
  // What a stage beside the loop has asked is paid, and counts among no turns.
  const beside = log.of('framed').flatMap(({ data }) => data.calls.flatMap(({ usage }) => usage ?? []));
  const late = log
    .of('model_call_ended')
    .flatMap(({ data: { booked } }) => (booked ? [{ ...NOTHING, ...booked }] : []));
  const used = [...replies.map(({ usage }) => usage), ...beside, ...late];
  const sum = (name: Exclude<keyof Usage, 'unknown'>) => used.reduce((total, usage) => total + usage[name], 0);
  const end = log.last('run_ended')?.data;
  const target = log.last('model_call_started')?.data;
  // A task's run begins with a call that no model asked for; no turn of a model holds the steps of plans and playbooks.
  const conditions = log.of('observation').filter(({ data }) => data.call_id === CONDITION_CALL).length;
  const steps = log.of('tool_call_intended').filter(({ data }) => data.step_of !== undefined).length;
  const byPlaybook = log.of('playbook_step').length;
  const takenUp = log.of('calls_taken_up').reduce((total, { data }) => total + data.calls.length, 0);
  return {
    model_calls: replies.length,
    tool_calls: replies.reduce(
      (total, { toolCalls }) => total + toolCalls.length,
      conditions + steps + byPlaybook + takenUp,
    ),
    input_tokens: sum('input'),
    output_tokens: sum('output'),
    cached_tokens: sum('cached'),
    provider: target?.provider ?? null,
    model: target?.model ?? null,
    status: end?.status ?? null,
    outcome: end?.outcome ?? null,
    code: end?.code ?? null,
    reply_message_id: log.last('reply_committed')?.data.message_id ?? null,
  };
}

/** The rows of `thread_tool_events`, made anew; the arguments of a task's condition stand in the task. */
const toolEventsAgain = (log: RunLog): readonly object[] =>
  log.all.flatMap((event): object[] => {
    if (event.type === 'tool_call_intended' && event.data.step_of !== undefined)
      return [callOf(event.data.tool, event.data.call_id, event.data.arguments)];
    if (event.type === 'playbook_step') {
      const { name, id, arguments: args } = event.data.call;
      return [callOf(name, id, args)];
    }
    if (event.type === 'calls_taken_up')
      return event.data.calls.map(({ id, name, arguments: args }) => callOf(name, id, args));
    if (event.type === 'model_call_ended' && event.data.ok)
      return (event.data.response?.toolCalls ?? []).map(({ id, name, arguments: args, rawArguments }) =>
        callOf(name, id, args ?? rawArguments),
      );
    if (event.type !== 'observation' || event.data.call_id === CONDITION_CALL) return [];
    const { tool, call_id } = event.data;
    return [{ event_type: 'tool_result', tool_name: tool, tool_call_id: call_id, payload: resultOf(event.data) }];
  });

const callOf = (tool_name: string, tool_call_id: string, args: Json | undefined): object => ({
  event_type: 'tool_call',
  tool_name,
  tool_call_id,
  payload: { arguments: args ?? null },
});

/** A result as the model was shown it, or where the whole of it is. */
function resultOf({ ok, code, artifact, content, same_as }: Observation): object {
  if (code === WAITING) return { ...WAITING_ROW, artifact, ...(same_as === undefined ? {} : { same_as }) };
  const { result, error } = shownIn(content);
  const shown = error === undefined ? { result } : { error };
  return { ok, ...(artifact === null ? shown : {}), artifact, ...(same_as === undefined ? {} : { same_as }) };
}

/** The first field or row that is stored otherwise than the events say. */
export function firstStale({ run, toolEvents }: LoadedRun, log: RunLog, artifacts: Blobs): Difference | null {
  const again = runAgain(log);
  for (const [name, rebuilt] of Object.entries(again)) {
    const stored: unknown = Reflect.get(run, name);
    if (again.status === null && ['status', 'outcome', 'code'].includes(name)) continue;
    if (stored !== rebuilt) return { seq: null, what: `runs.${name}`, recorded: stored, replayed: rebuilt };
  }
  const rows = toolEvents.filter(({ tool_call_id }) => tool_call_id !== CONDITION_CALL);
  const rebuilt = toolEventsAgain(log);
  for (const [index, row] of rows.entries()) {
    const { event_type, tool_name, tool_call_id } = row;
    const stored = { event_type, tool_name, tool_call_id, payload: asShown(decodeToolEvent(row, artifacts)) };
    const made = rebuilt[index] ?? null;
    if (canonicalJson(stored) === canonicalJson(made)) continue;
    return { seq: null, what: `thread_tool_events ${index}`, recorded: stored, replayed: made };
  }
  if (rebuilt.length === rows.length) return null;
  return { seq: null, what: 'thread_tool_events', recorded: rows.length, replayed: rebuilt.length };
}

/** Events hold results as models see them: cleaned. */
function asShown({ type, payload }: ToolEvent): object {
  if (type === 'tool_call') return payload;
  const { result, error } = payload;
  return {
    ...payload,
    ...(result === undefined ? {} : { result: cleanJson(result, noFindings()) }),
    ...(error === undefined ? {} : { error: cleanJson({ ...error }, noFindings()) }),
  };
}
