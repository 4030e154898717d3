import { EngineError, type JsonObject } from '#contract';
import { iso } from '../lib/clock.ts';
import type { Store } from '../storage/ports/store.ts';
import {
  APPROVED_STATES,
  type Approval,
  type AttachedFile,
  argumentsOf,
  decidedRunId,
  type UndoItem,
} from '../storage/types/approvals.ts';
import { isReplaced, membersOf } from '../suspensions/members.ts';
import { type About, withAbout } from './about.ts';
import { findAcross } from './find-across.ts';
import { idNamed } from './id-named.ts';
import { listAcross, type Page } from './list-across.ts';
import type { QueryPorts } from './ports.ts';
import { isoOrNull } from './shapes.ts';

type SameOfApproval =
  | 'id'
  | 'run_id'
  | 'tool'
  | 'arguments_hash'
  | 'risk'
  | 'state'
  | 'number'
  | 'decided_by'
  | 'reason';

export interface ApprovalShape extends Pick<Approval, SameOfApproval> {
  readonly persona: string;
  /** Where a child run asks: the run at the top, which waits for it; absent where the run itself asks. */
  readonly helps_run?: string;
  readonly arguments: JsonObject;
  readonly expires_at: string;
  readonly decided_at: string | null;
}

export const approvalShape = (persona: string, row: Approval, helps: string | null = null): ApprovalShape => ({
  id: row.id,
  persona,
  run_id: row.run_id,
  ...(helps === null ? {} : { helps_run: helps }),
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

interface ApprovalsPage {
  /** With the mail for which it was asked. */
  readonly approvals: readonly (ApprovalShape & About & Pick<Approval, 'kind'>)[];
  readonly next: string | null;
}

export async function listApprovals(ports: QueryPorts, page: Page): Promise<ApprovalsPage> {
  const { rows, next } = await listAcross(ports, page, {
    of: ({ newest }, status) => (status === 'pending' ? newest.pending : newest.approval),
    read: async (store, wanted) => withAbout(store, await store.listApprovals(wanted), ({ run_id: run }) => run),
  });
  return {
    approvals: rows.map(({ persona, row }) => ({
      ...approvalShape(persona, row, row.helps),
      ...row.about,
      kind: row.kind,
    })),
    next,
  };
}

/** A question to owners as it is kept, by its id, a part of it, or the `last`. Throws `not_found` and `usage`. */
export async function approvalOf(
  ports: QueryPorts,
  given: string,
): Promise<{ persona: string; row: Approval; helps: string | null }> {
  const id = await idNamed(ports, 'approvals', given);
  const found = await findAcross(ports, (store) => store.getApproval(id));
  if (!found) throw new EngineError('not_found', `no approval has the id ${id}`);
  const { persona, row } = found;
  const [about] = await ports.stores.use(persona, (store) => store.subjectsOfRuns([row.run_id]));
  return { persona, row, helps: about?.helps ?? null };
}

export interface ApprovalInFull extends ApprovalShape {
  /** What it would change. */
  readonly preview: string | null;
  /** Files to look at beside it. */
  readonly attachments: readonly AttachedFile[];
}

export const inFull = (persona: string, row: Approval, helps: string | null): ApprovalInFull => ({
  ...approvalShape(persona, row, helps),
  preview: row.preview,
  attachments: row.attached,
});

/**
 * What the calls of a question left behind to take back, whatever became of it since. They were made by the run that asked, or, where that had
 * answered before, by the one that carried out the decision. A vendor may give the id of a call to another one as well: so nothing
 * is looked for before somebody has agreed, and in that one run alone.
 */
export async function undosOf(
  store: Pick<Store, 'getRun' | 'undoOfCall' | 'approvalsOfRun'>,
  approval: Approval,
): Promise<readonly UndoItem[]> {
  const { run_id, call_id, tool, state } = approval;
  if (!APPROVED_STATES.includes(state) && !isReplaced(approval)) return [];
  const members = membersOf(approval);
  const calls = members.length === 0 ? [{ callId: call_id, tool }] : members;
  const later = await runsForDecision(store, approval);
  const runs = later.length === 0 ? [run_id] : later;
  const found: UndoItem[] = [];
  for (const call of calls) {
    const items = await Promise.all(runs.map((runId) => store.undoOfCall({ runId, callId: call.callId })));
    const item = items.find((one) => one !== undefined);
    if (item?.tool === call.tool) found.push(item);
  }
  return found;
}

/** The run that carried out what was decided is named by the first question that the same answer decided. */
async function runsForDecision(
  store: Pick<Store, 'getRun' | 'approvalsOfRun'>,
  { id, run_id, decided_at: at }: Approval,
): Promise<readonly string[]> {
  if (at === null) return [];
  const own = await store.getRun(decidedRunId(id, at));
  if (own) return [own.id];
  const beside = (await store.approvalsOfRun(run_id)).filter((one) => one.decided_at === at && one.id !== id);
  const runs = await Promise.all(beside.map((one) => store.getRun(decidedRunId(one.id, at))));
  return runs.flatMap((run) => run?.id ?? []);
}

/** What was done and can be taken back, by the id of its approval or by its own. Throws `not_found`. */
export async function undoItemsOf(
  ports: QueryPorts,
  given: string,
): Promise<{ persona: string; items: readonly [UndoItem, ...UndoItem[]] }> {
  const id = await idNamed(ports, 'approvals', given);
  const found = await findAcross(ports, async (store) => {
    const approval = await store.getApproval(id);
    const [first, ...others] = approval ? await undosOf(store, approval) : await ownUndo(store, id);
    return first && ([first, ...others] as const);
  });
  if (!found) throw new EngineError('not_found', `nothing that could be taken back has the id ${id}`);
  return { persona: found.persona, items: found.row };
}

const ownUndo = async (store: Store, id: string): Promise<readonly UndoItem[]> => {
  const item = await store.getUndo(id);
  return item ? [item] : [];
};
