import type { EventView, PersonaDb, RunView, ToolEventView } from './persona-db.ts';

/** Ids, times and hashes differ from run to run, and vendors word their own errors; all else must not differ. */
const VARYING = new Set([
  'active_ms',
  // Of an answer that broke off, by the time that it took.
  'booked',
  'id',
  'instance',
  'judged_at',
  'latency_ms',
  'max_output_tokens',
  'message',
  'message_id',
  'model',
  'model_info',
  'ms',
  'outbox_id',
  'prefix_sha256',
  'provider',
  'providerParts',
  'ref',
  'request',
  'settings_sha256',
  'subject',
  'targets',
  'cost_usd',
  'parts',
  'spans',
]);

/**
 * What is told about a mail, without the name of the persona, of which each way has its own, without the minute, and without
 * the mails that were still open then: which these are depends on how fast each vendor was.
 */
const ofNobody = (brief: string): string =>
  brief
    .replaceAll(/[\w-]+(?=@agents\.localhost| #\d+#)/g, 'persona')
    .replaceAll(/^(Now|Written): .*$/gm, '$1: then')
    .replace(/\nOpen with these people:(?:\n- .*)+/, '');

/** What a run did, in no vendor's words: call ids become numbers in the order in which they appear. */
export function traceOf(db: PersonaDb, run: RunView) {
  const numbers = new Map<string, string>();
  const numbered = (id: unknown) => {
    const key = String(id);
    if (!numbers.has(key)) numbers.set(key, `call ${numbers.size + 1}`);
    return numbers.get(key);
  };
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replace(/"observed_at":"[^"]+"/, '"observed_at":"then"');
    if (Array.isArray(value)) return value.map(clean);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key]) => !VARYING.has(key))
        .map(([key, inner]) => [
          key,
          key === 'call_id' ? numbered(inner) : key === 'brief' ? ofNobody(String(inner)) : clean(inner),
        ]),
    );
  };
  const events = db.events(run.id).map(({ type, data }: EventView) => ({ type, data: clean(numberCalls(data)) }));
  const rows = db.toolEvents(run.id).map(({ tool_call_id, payload_json, ...row }: ToolEventView) => ({
    ...row,
    call: numbered(tool_call_id),
    payload: JSON.parse(payload_json) as unknown,
  }));
  const { status, outcome, code, model_calls, tool_calls } = run;
  const booked = db.events(run.id).flatMap(({ data }) => (data.booked ? [data.booked] : []));
  const tokens = (side: 'input' | 'output') =>
    booked.reduce((left, one) => left - one[side], side === 'input' ? run.input_tokens : run.output_tokens);
  return {
    run: {
      status,
      outcome,
      code,
      model_calls,
      tool_calls,
      input_tokens: tokens('input'),
      output_tokens: tokens('output'),
    },
    events,
    rows,
    text: db.replyText(run),
  };
}

/** Calls inside a response carry `id`, elsewhere the same id is `call_id`. */
function numberCalls(data: EventView['data']): unknown {
  if (!data.response) return data;
  const toolCalls = data.response.toolCalls.map(({ id, ...call }: { id: string }) => ({ ...call, call_id: id }));
  return { ...data, response: { ...data.response, toolCalls } };
}

export type Trace = ReturnType<typeof traceOf>;
