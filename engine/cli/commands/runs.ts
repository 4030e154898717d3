import { EngineError, type Json } from '#contract';
import { localDay } from '../../harness/runtime.ts';
import { iso } from '../../lib/clock.ts';
import type { RunRow } from '../../storage/tables.ts';
import type { Workspace } from '../../workspace.ts';
import type { CommandContext, Outcome, Register } from '../command.ts';
import { findAcross, refusal } from '../find-across.ts';
import { type ListOptions, listAcross, listOptions, statusOf } from '../list-across.ts';
import { runShape } from '../shapes.ts';
import { table } from '../table.ts';

export const runsCommand: Register = (program, act) => {
  const runs = program.command('runs').description('What personas did with their mail');
  listOptions(runs.command('list').description('Newest first')).action(act(list));
  runs.command('show').description('One run with its events').argument('<id>').action(act(show));
  runs
    .command('cancel')
    .description('End a run that is not over; it sends no answer')
    .argument('<id>')
    .action(act(cancel));
  runs
    .command('retry')
    .description('Answer the mail of a failed, cancelled or partial run once more')
    .argument('<id>')
    .action(act(retry));
};

const STATUSES = ['queued', 'running', 'waiting_approval', 'done', 'failed', 'cancelled'];

async function list(context: CommandContext, options: ListOptions): Promise<Outcome> {
  statusOf(options, STATUSES);
  const workspace = context.open({ tolerant: true });
  const { rows, next } = await listAcross(workspace, options, (store, page) => store.listRuns(page));
  const runs = rows.map(({ persona, row }) => runShape(persona, row));
  return {
    data: { runs, next },
    text: table(
      ['CREATED', 'PERSONA', 'STATUS', 'OUTCOME', 'CALLS', 'USD', 'ID'],
      runs.map((run) => [
        run.created_at.slice(0, 19),
        run.persona,
        run.status,
        [run.outcome, run.code].filter(Boolean).join(' '),
        `${run.model_calls}+${run.tool_calls}`,
        run.cost_usd.toFixed(4),
        run.id,
      ]),
      'No runs yet.',
    ),
  };
}

async function show(context: CommandContext, id: string): Promise<Outcome> {
  const workspace = context.open({ tolerant: true });
  const { persona, row: run } = await findRun(workspace, id);
  const rows = await workspace.stores.use(persona, (store) => store.runEvents(id));
  const events = rows.map((row) => ({
    seq: row.seq,
    type: row.type,
    at: iso(row.at),
    data: JSON.parse(row.payload_json) as Json,
  }));
  const decisions = events.filter(({ type }) => type === 'decision').map(({ data }) => decisionOf(data));
  const shape = { ...runShape(persona, run), events, decisions };
  const text = [
    `Run ${run.id} of ${persona}: ${run.status}${run.outcome ? `, ${run.outcome}` : ''}${run.code ? ` (${run.code})` : ''}`,
    `  mail   ${run.message_id}`,
    `  reply  ${run.reply_message_id ?? 'none'}`,
    '',
    ...events.map(
      ({ seq, type, at, data }) =>
        `${String(seq).padStart(4)}  ${at.slice(11, 23)}  ${type.padEnd(20)}  ${brief(data)}`,
    ),
  ].join('\n');
  return { data: { run: shape }, text };
}

function decisionOf(data: Json): { step: Json; decision: Json; reason: Json } {
  const { step = null, decision = null, reason = null } = data as { readonly [key: string]: Json };
  return { step, decision, reason };
}

function brief(data: Json): string {
  const text = JSON.stringify(data);
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}

/** Throws `not_found`. */
async function findRun(workspace: Workspace, id: string): Promise<{ persona: string; row: RunRow }> {
  const found = await findAcross(workspace, (store) => store.getRun(id));
  if (!found) throw new EngineError('not_found', `no run has the id ${id}; see \`epistle runs list\``);
  return found;
}

async function cancel(context: CommandContext, id: string): Promise<Outcome> {
  const workspace = context.open({ tolerant: true });
  const { persona, row } = await findRun(workspace, id);
  const now = workspace.clock.now();
  const entry = workspace.live.personas().get(persona);
  const day = localDay(now, entry?.state === 'ready' ? entry.persona.timezone : 'UTC');
  // Its thread is free afterwards: whatever waits behind it is due.
  await workspace.gateway.bumpWakeup(persona, now);
  const run = await workspace.stores.use(persona, (store) => store.cancelRun({ id, day, now, by: 'cli' }));
  if (run === 'not_found' || run === 'ended') {
    return refusal('wrong_state', `the run is ${row.status}; only one that is not over can be cancelled`);
  }
  return { data: { run: runShape(persona, run) }, text: `Run ${id} is cancelled; its mail gets no answer.` };
}

async function retry(context: CommandContext, id: string): Promise<Outcome> {
  const workspace = context.open({ tolerant: true });
  const { persona, row } = await findRun(workspace, id);
  const now = workspace.clock.now();
  await workspace.gateway.bumpWakeup(persona, now);
  const newId = workspace.ids.next();
  const run = await workspace.stores.use(persona, (store) => store.retryRun({ id, newId, now, by: 'cli' }));
  if (run === 'retried') return refusal('wrong_state', 'its mail has a newer run already; see `epistle why`');
  if (run === 'not_found' || run === 'not_failed') {
    return refusal(
      'wrong_state',
      `the run is ${row.status}; only one that failed, was cancelled or is partial can be retried`,
    );
  }
  return {
    data: { run: runShape(persona, run) },
    text: `Run ${run.id} is queued for ${run.message_id}; a running gateway works it now.`,
  };
}
