import { EngineError, type Json } from '#contract';
import { iso } from '../../lib/clock.ts';
import type { RunRow } from '../../storage/tables.ts';
import type { Workspace } from '../../workspace.ts';
import type { CommandContext, Outcome, Register } from '../command.ts';
import { type ListOptions, listAcross, listOptions } from '../list-across.ts';
import { runShape } from '../shapes.ts';
import { table } from '../table.ts';

export const runsCommand: Register = (program, act) => {
  const runs = program.command('runs').description('What personas did with their mail');
  listOptions(runs.command('list').description('Newest first')).action(act(list));
  runs.command('show').description('One run with its events').argument('<id>').action(act(show));
};

async function list(context: CommandContext, options: ListOptions): Promise<Outcome> {
  const workspace = context.open();
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
  const workspace = context.open();
  const found = await findRun(workspace, id);
  if (!found) throw new EngineError('not_found', `no run has the id ${id}`);
  const { persona, run } = found;
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

export async function findRun(
  { live, stores }: Workspace,
  id: string,
): Promise<{ persona: string; run: RunRow } | undefined> {
  for (const { id: persona } of live.personas().all()) {
    if (!stores.exists(persona)) continue;
    const run = await stores.use(persona, (store) => store.getRun(id));
    if (run) return { persona, run };
  }
  return undefined;
}
