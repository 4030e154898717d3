import { join } from 'node:path';
import { EngineError } from '#contract';
import { decideApprovals } from '../../actions/approvals.ts';
import { requestUndo } from '../../actions/undo.ts';
import { textOfArgument, visible } from '../../delivery/questions/approval-text.ts';
import { iso } from '../../lib/clock.ts';
import { listAcross } from '../../queries/list-across.ts';
import { isoOrNull } from '../../queries/shapes.ts';
import type { Approval } from '../../storage/types/approvals.ts';
import { argumentsOf } from '../../storage/types/approvals.ts';

import type { Workspace } from '../../workspace.ts';
import type { CommandContext, Outcome, Register } from '../command.ts';
import { type ListOptions, listOptions, pageOf } from '../list-options.ts';
import { table } from '../text/table.ts';

export const approvalsCommand: Register = (program, act) => {
  const approvals = program.command('approvals').description('What personas want to do and may not without you');
  listOptions(approvals.command('list').description('Newest first')).action(act(list));
  approvals.command('show').description('One call with its exact arguments').argument('<id>').action(act(show));
  approvals
    .command('approve')
    .description('Let it be done, exactly as it stands')
    .argument('<id>')
    .option('--answer <text>', 'to a question (ask_owner): told to the persona word for word')
    .action(
      act((context, id: string, options: { answer?: string }) =>
        decide(context, id, 'approved', options.answer ?? null),
      ),
    );
  approvals
    .command('deny')
    .description('Do not let it be done')
    .argument('<id>')
    .option('--reason <text>', 'told to the persona')
    .action(
      act((context, id: string, options: { reason?: string }) =>
        decide(context, id, 'rejected', options.reason ?? null),
      ),
    );
  approvals
    .command('undo')
    .description('Take back what was done, where its tool can: the id of an approval, or that of the notice')
    .argument('<id>')
    .action(act(undo));
};

const shapeOf = (persona: string, row: Approval) => ({
  id: row.id,
  persona,
  run_id: row.run_id,
  tool: row.tool,
  arguments: argumentsOf(row),
  arguments_hash: row.arguments_hash,
  risk: row.risk,
  state: row.state,
  number: row.number,
  expires_at: iso(row.expires_at),
  decided_by: row.decided_by,
  decided_at: isoOrNull(row.decided_at),
  reason: row.reason,
});

async function list(context: CommandContext, options: ListOptions): Promise<Outcome> {
  const workspace = context.open();
  const { rows, next } = await listAcross(workspace, pageOf(options), (store, page) => store.listApprovals(page));
  const approvals = rows.map(({ persona, row }) => shapeOf(persona, row));
  return {
    data: { approvals, next },
    text: table(
      ['STATE', 'PERSONA', 'TOOL', 'RISK', 'UNTIL', 'ID'],
      approvals.map(({ state, persona, tool, risk, expires_at, id }) => [
        state,
        persona,
        tool,
        risk,
        expires_at.slice(0, 16),
        id,
      ]),
      'Nothing was ever asked for.',
    ),
  };
}

async function show(context: CommandContext, id: string): Promise<Outcome> {
  const workspace = context.open();
  const { persona, row } = await find(workspace, id);
  const folder = join(workspace.dataDir, 'personas', persona, 'artifacts');
  const approval = shapeOf(persona, row);
  const lines = Object.entries(approval.arguments).map(([key, value]) => `  ${key}: ${textOfArgument(value)}`);
  const attachments = row.attached;
  const decided = row.decided_by === null ? '' : ` by ${row.decided_by}`;
  return {
    data: { approval: { ...approval, preview: row.preview, attachments } },
    // Nothing is cut here, and nothing of a model reaches the terminal as a control character.
    text: visible(
      [
        `${row.tool} (${row.risk}) of ${persona}: ${row.state}${decided}`,
        ...lines,
        ...(row.preview ? ['  would change:', ...row.preview.split('\n').map((line) => `    ${line}`)] : []),
        ...attachments.map(
          ({ name, bytes, sha256, kept }) =>
            `  with ${name}, ${bytes} bytes: ${kept ? `${folder}/${sha256}` : `sha256 ${sha256}, too large to be kept`}`,
        ),
        `  until ${approval.expires_at}`,
      ].join('\n'),
    ),
  };
}

async function decide(
  context: CommandContext,
  id: string,
  state: 'approved' | 'rejected',
  reason: string | null,
): Promise<Outcome> {
  const workspace = context.open();
  const { persona, row: asked } = await find(workspace, id);
  if (state === 'approved' && asked.state === 'pending') {
    const isQuestion = asked.kind === 'answer';
    if (isQuestion && !reason?.trim()) throw new EngineError('usage', 'it is a question: say --answer "…"');
    if (!isQuestion && reason !== null) throw new EngineError('usage', `${asked.tool} is no question to answer`);
  }
  const { announce, ids, stores, clock, pass } = workspace;
  // A running gateway notices the announcement by itself; without one the run goes on at the next start.
  const deps = { announce, ids, pass };
  const [decided] = await stores.use(persona, (store) =>
    decideApprovals(deps, {
      personaId: persona,
      store,
      verdicts: [{ id, state, by: 'cli', reason }],
      now: clock.now(),
    }),
  );
  const { row } = await find(workspace, id);
  if (decided?.outcome !== 'decided') {
    throw new EngineError('not_pending', `approval ${id} is ${row.state}, so it cannot be decided any more`);
  }
  return { data: { approval: shapeOf(persona, row) }, text: `${row.tool}: ${row.state}.` };
}

async function undo(context: CommandContext, id: string): Promise<Outcome> {
  const workspace = context.open();
  const { announce, ids, stores, clock, pass } = workspace;
  for (const { id: persona } of workspace.live.personas().all()) {
    if (!stores.exists(persona)) continue;
    const item = await stores.use(persona, async (store) => {
      const approval = await store.getApproval(id);
      return approval ? store.undoOfCall({ runId: approval.run_id, callId: approval.call_id }) : store.getUndo(id);
    });
    if (!item) continue;
    if (item.state !== 'open' || item.until <= clock.now()) {
      throw new EngineError(
        'not_pending',
        `it is ${item.state === 'open' ? 'expired' : item.state}, so it cannot be taken back`,
      );
    }
    const deps = { announce, ids, pass };
    await stores.use(persona, (store) =>
      requestUndo(deps, { personaId: persona, store, items: [item], by: 'cli', now: clock.now() }),
    );
    return { data: { undo: { id: item.id, persona, tool: item.tool } }, text: `${item.tool} is being taken back.` };
  }
  throw new EngineError('not_found', `nothing that could be taken back has the id ${id}`);
}

async function find({ live, stores }: Workspace, id: string): Promise<{ persona: string; row: Approval }> {
  for (const { id: persona } of live.personas().all()) {
    if (!stores.exists(persona)) continue;
    const row = await stores.use(persona, (store) => store.getApproval(id));
    if (row) return { persona, row };
  }
  throw new EngineError('not_found', `no approval has the id ${id}`);
}
