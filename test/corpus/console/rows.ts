import { createHash } from 'node:crypto';
import type SQLite from 'better-sqlite3';
import records from './records.json' with { type: 'json' };

// How what stands in records.json stands in databases, for all who make an office of it.

export type Mail = (typeof records.mails)[number];
export type Run = (typeof records.runs)[number];
export const msOf = (time: string): number => Date.parse(time);

interface Column {
  readonly name: string;
  readonly type: string;
  readonly needed: number;
  readonly preset: string | null;
  readonly pk: number;
}

/** Puts a row into a table; what it leaves out and may not be missing is empty. */
export function into(database: SQLite.Database, table: string, row: Readonly<Record<string, unknown>>): void {
  const columns = database
    .prepare<[], Column>(
      `select name, type, "notnull" as needed, dflt_value as preset, pk from pragma_table_info('${table}')`,
    )
    .all();
  const whole = Object.fromEntries(
    columns.flatMap(({ name, type, needed, preset, pk }) => {
      if (row[name] !== undefined) return [[name, row[name]]];
      if (needed === 0 || preset !== null || (pk > 0 && type === 'INTEGER')) return [];
      return [[name, name.endsWith('_json') ? '[]' : type === 'TEXT' ? '' : 0]];
    }),
  );
  const names = Object.keys(whole);
  database
    .prepare(`insert into ${table} (${names.join(', ')}) values (${names.map((name) => `@${name}`).join(', ')})`)
    .run(whole);
}

export const idOf = (id: string): string => `<${id}@linden.example.org>`;
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

interface Event {
  readonly at: number;
  readonly type: string;
  readonly data: object;
}
type Tool = Run['tool_calls'][number];

/** What is on record of a run: its calls, each as long after the one before as the times of records.json leave. */
export function eventsOf(run: Run): readonly Event[] {
  const events: Event[] = [{ at: msOf(run.started), type: 'run_started', data: {} }];
  for (const [place, call] of run.model_calls.entries()) {
    const at = events.at(-1)?.at ?? 0;
    const tool = run.tool_calls[place];
    const [provider, model] = call.model.split('/');
    events.push({ at, type: 'model_call_started', data: { call: call.n, provider, model } });
    events.push({ at: at + 2000, type: 'model_call_ended', data: { provider, model, ms: 2000, ...endOf(call, tool) } });
    if (tool) events.push(...eventsOfCall(tool, at + 2000));
  }
  const failed = run.state === 'failed';
  const data = { status: failed ? 'failed' : 'done', outcome: 'final', code: failed ? 'provider_setup' : null };
  return run.ended === null ? events : [...events, { at: msOf(run.ended), type: 'run_ended', data }];
}

function endOf(call: Run['model_calls'][number], tool: Tool | undefined): object {
  const cost_usd = Number(call.cost_usd);
  if ('error' in call) return { ok: false, cost_usd, code: 'auth', message: call.error };
  const usage = { input: call.tokens_in, output: call.tokens_out, cached: 0, cacheWrite: 0 };
  const calls = [tool ?? []].flat().map(({ n, tool: name, arguments: given }) => {
    return { id: `c${n}`, name, arguments: given, rawArguments: JSON.stringify(given) };
  });
  const finish = tool ? 'tool_calls' : 'stop';
  return { ok: true, cost_usd, response: { text: '', toolCalls: calls, finish, usage } };
}

function eventsOfCall(tool: Tool, after: number): readonly Event[] {
  const at = 'at' in tool && typeof tool.at === 'string' ? msOf(tool.at) : after;
  const of = { call_id: `c${tool.n}`, tool: tool.tool };
  const verdict = tool.permission.startsWith('asks') ? 'approve' : 'allow';
  const permission = { at, type: 'permission', data: { ...of, verdict, risk: 'read', by: tool.permission } };
  const content = JSON.stringify({ result: tool.result, source: tool.arguments });
  const made = (when: number): Event[] => [
    { at: when, type: 'tool_call_intended', data: { ...of, risk: 'read' } },
    { at: when, type: 'tool_call_ended', data: { ...of, ok: true, code: null, ms: 40 } },
    { at: when, type: 'observation', data: { ...of, ok: true, code: null, content, artifact: null } },
  ];
  const question = records.questions.find(({ id }) => 'question' in tool && id === tool.question);
  if (!question) return [permission, ...made(at)];
  const item = { approval_id: question.id, ...of, risk: 'write' };
  const asking = { at: msOf(question.asked_at), type: 'approval_requested', data: { items: [item] } };
  if (!('decided_at' in question) || typeof question.decided_at !== 'string') return [permission, asking];
  const when = msOf(question.decided_at);
  const state = question.state.startsWith('approved') ? 'executed' : 'rejected';
  const data = { approval_id: question.id, call_id: of.call_id, state, by: question.decided_by };
  return [permission, asking, { at: when, type: 'approval_decided', data }, ...made(when)];
}
