import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { OpenAI } from 'openai';
import type { Stores } from '../../engine/storage/ports/store.ts';
import { personaMigrations } from '../../engine/storage/schema/persona.ts';
import type { StoredEvent, StoredToolEvent } from '../../engine/storage/types/runs.ts';

export interface StepRows {
  readonly events: readonly StoredEvent[];
  readonly toolEvents: readonly StoredToolEvent[];
}

/**
 * The least that a durable step can cost: its SDK call, and before and after the tool one transaction that writes
 * the rows which the real run wrote, into the same tables, through prepared statements.
 */
export async function openStepFloor(options: {
  folder: string;
  bodies: readonly string[];
  modelUrl: string;
  store: Stores;
  personaId: string;
}): Promise<{ run(): Promise<void>; close(): void }> {
  const bodies = options.bodies.map((body): object => JSON.parse(body));
  const client = new OpenAI({ apiKey: 'none', baseURL: options.modelUrl, maxRetries: 0, logLevel: 'off' });
  const database = openFloorDatabase(join(options.folder, 'floor.db'));
  const halves = halvesOf(await newestRun(options.store, options.personaId), bodies.length);
  const write = writerOf(database);
  let run = 0;
  return {
    async run() {
      run += 1;
      const runId = `run-${run}`;
      database.prepare('insert into floor_runs (id) values (?)').run(runId);
      for (const [step, body] of bodies.entries()) {
        write(runId, halves[step * 2]);
        await client.post('/chat/completions', { body });
        write(runId, halves[step * 2 + 1]);
      }
    },
    close: () => database.close(),
  };
}

/** Tables as the gateway has them, and one for the runs of a floor. */
export function openFloorDatabase(file: string): SQLite.Database {
  const database = new SQLite(file);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  for (const sql of personaMigrations) database.exec(sql);
  database.exec('create table floor_runs (id text primary key, leased_until integer, model_calls integer)');
  return database;
}

/** Everything that the newest run wrote. */
export async function newestRun(stores: Stores, personaId: string): Promise<StepRows> {
  return stores.use(personaId, async (store) => {
    const [run] = await store.listRuns({ limit: 1 });
    if (!run) throw new Error('no run was made');
    return { events: await store.runEvents(run.id), toolEvents: await store.toolEventsOfRuns([run.id]) };
  });
}

/** The rows in as many equal parts as there were transactions; which row goes where makes no difference in bytes. */
export function halvesOf(rows: StepRows, steps: number): StepRows[] {
  const parts = steps * 2;
  const part = <Row>(all: readonly Row[], index: number) =>
    all.slice(Math.floor((all.length * index) / parts), Math.floor((all.length * (index + 1)) / parts));
  const { events, toolEvents } = rows;
  return Array.from({ length: parts }, (_, index) => ({
    events: part(events, index),
    toolEvents: part(toolEvents, index),
  }));
}

/** One transaction at each call. */
export function writerOf(database: SQLite.Database): (runId: string, rows: StepRows | undefined) => void {
  database.pragma('foreign_keys = OFF');
  const insertEvent = database.prepare(
    'insert into run_events (run_id, seq, type, v, payload_json, at) values (?, ?, ?, ?, ?, ?)',
  );
  const insertToolEvent = database.prepare(
    'insert into thread_tool_events (id, thread_id, parent_message_id, run_id, step_index, event_type, tool_name, ' +
      'tool_call_id, payload_json, created_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const touchRun = database.prepare('update floor_runs set leased_until = ?, model_calls = ? where id = ?');
  const commit = database.transaction((runId: string, rows: StepRows) => {
    touchRun.run(Date.now(), 1, runId);
    for (const row of rows.events) insertEvent.run(runId, row.seq, row.type, row.v, row.payload_json, row.at);
    for (const row of rows.toolEvents) {
      insertToolEvent.run(
        `${runId}-${row.id}`,
        row.thread_id,
        row.parent_message_id,
        runId,
        row.step_index,
        row.event_type,
        row.tool_name,
        row.tool_call_id,
        row.payload_json,
        row.created_at,
      );
    }
  });
  return (runId, rows) => {
    if (rows) commit.immediate(runId, rows);
  };
}
