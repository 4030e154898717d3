import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import SQLite from 'better-sqlite3';

export interface RunView {
  readonly id: string;
  readonly thread_id: string;
  readonly message_id: string;
  readonly status: string;
  readonly outcome: string | null;
  readonly code: string | null;
  readonly provider: string | null;
  readonly model: string | null;
  readonly model_calls: number;
  readonly tool_calls: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_usd: number;
  readonly reply_message_id: string | null;
  readonly deferred_code: string | null;
  readonly started_at: number | null;
  readonly ended_at: number | null;
}

export interface EventView {
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: payloads have as many shapes as there are types; tests assert on them.
  readonly data: any;
}

export interface ToolEventView {
  readonly step_index: number;
  readonly event_type: string;
  readonly tool_name: string;
  readonly tool_call_id: string;
  readonly payload_json: string;
}

/** The tables, read as another program would: from the file, while the gateway runs. */
export function openPersonaDb(root: string, persona: string) {
  const database = new SQLite(join(root, 'data/personas', persona, 'persona.db'), { readonly: true });
  const all = <Row>(sql: string, ...values: unknown[]) => database.prepare<unknown[], Row>(sql).all(...values);
  return {
    runs: () => all<RunView>('select * from runs order by seq'),
    runOf: (messageId: string) => all<RunView>('select * from runs where message_id = ? order by seq', messageId)[0],
    events: (runId: string): EventView[] =>
      all<{ type: string; payload_json: string }>(
        'select type, payload_json from run_events where run_id = ? order by seq',
        runId,
      ).map(({ type, payload_json }) => ({ type, data: JSON.parse(payload_json) })),
    toolEvents: (runId: string) =>
      all<ToolEventView>(
        'select step_index, event_type, tool_name, tool_call_id, payload_json from thread_tool_events where run_id = ? order by step_index',
        runId,
      ),
    replyText: (run: Pick<RunView, 'reply_message_id'>): string | null =>
      all<{ text: string }>('select text from messages where message_id = ?', run.reply_message_id)[0]?.text ?? null,
    tasks: () => all<{ task: string }>('select task from tasks order by task'),
    budgetDays: () => all<{ day: string; usd: number; reserved_usd: number }>('select * from budget_days'),
    outbox: () =>
      all<{ id: string; run_id: string; kind: string; purpose: string; message_id: string; state: string }>(
        'select id, run_id, kind, purpose, message_id, state from outbox order by seq',
      ),
    approvalsOf: (runIds: readonly string[]) =>
      all<{ id: string; run_id: string; state: string }>('select id, run_id, state from approvals order by id').filter(
        ({ run_id }) => runIds.includes(run_id),
      ),
    jobs: (kind: string) => all<{ id: string }>('select id from jobs where kind = ?', kind).map(({ id }) => id),
    close: () => database.close(),
  };
}

export type PersonaDb = ReturnType<typeof openPersonaDb>;

const ENDED = new Set(['done', 'failed', 'cancelled', 'waiting_approval']);

/** Resolves with the persona's runs once there are `count` and each has ended or waits; rejects after `waitMs`. */
export async function runsEnded(root: string, persona: string, count: number, waitMs = 90_000): Promise<RunView[]> {
  const until = Date.now() + waitMs;
  for (;;) {
    const runs = existsSync(join(root, 'data/personas', persona, 'persona.db')) ? readRuns(root, persona) : [];
    const isSettled = ({ status, deferred_code }: RunView) => ENDED.has(status) || deferred_code !== null;
    if (runs.length >= count && runs.every(isSettled)) return runs;
    if (Date.now() > until)
      throw new Error(`${persona}: ${JSON.stringify(runs.filter((run) => !ENDED.has(run.status)))}`);
    await pause(50);
  }
}

function readRuns(root: string, persona: string): RunView[] {
  const db = openPersonaDb(root, persona);
  try {
    return db.runs();
  } finally {
    db.close();
  }
}
