import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '#contract';
import type { Persona } from '../config/types.ts';
import { type Ids, sha256 } from '../lib/ids.ts';
import { approvalExpiryJob, approvalNoticeJob } from '../record/jobs/job-kinds.ts';
import type { Store } from '../storage/ports/store.ts';
import type { Approval, ApprovalDecision, AuditRecord, Decided, ForeignValue } from '../storage/types/approvals.ts';
import { argumentsOf } from '../storage/types/approvals.ts';
import { membersOf } from '../suspensions/members.ts';
import type { JudgeEdit } from '../tools/judge-edit.ts';
import type { ActionPorts } from './ports.ts';

/**
 * The one way in which a held call is decided, whoever decides it: mail, command or timer.
 */
export async function decideApprovals(
  deps: ActionPorts,
  {
    personaId,
    store,
    verdicts,
    now,
  }: { personaId: string; store: Store; verdicts: readonly ApprovalDecision[]; now: number },
): Promise<readonly Decided[]> {
  const audit = verdicts.map((verdict) => auditRow(deps.ids, verdict, now));
  return deps.announce(personaId, now, async () => {
    const decided = await store.decideApprovals(verdicts, audit, now);
    if (decided.length > 0) deps.pass('run.event.approval_decided');
    return decided;
  });
}

const auditRow = (ids: Ids, { id, state, by, reason }: ApprovalDecision, now: number): AuditRecord => ({
  id: ids.next(),
  at: now,
  actor: by,
  event: 'approval_decided',
  run_id: null,
  approval_id: id,
  tool: null,
  decision: state,
  detail: { reason },
});

export interface EditPorts extends ActionPorts {
  readonly judgeEdit: JudgeEdit;
}

/** `isTheirs`: an owner's own words count here, and are all that is new in it, so that nobody has to be asked. */
type Edited =
  | { readonly outcome: 'edited'; readonly replacement: Approval; readonly isTheirs: boolean }
  /** It cannot even be asked about like that; why, for whoever edits. */
  | { readonly outcome: 'refused'; readonly why: string }
  /** Somebody was faster. */
  | { readonly outcome: 'closed' };

/**
 * Puts a changed call in the place of the one that was asked about. It is asked about anew, as its own item; where
 * `isTheirs`, whoever edits approves it next, and if the process dies in between, owners are asked.
 */
export async function editApproval(
  deps: EditPorts,
  edit: {
    persona: Persona;
    store: Store;
    now: number;
    approval: Approval;
    /** All of the call as it is to be. */
    wanted: JsonObject;
    by: string;
    /** What the same answer decides. */
    decided?: readonly string[];
    /** The persona changes it at the owner's word: what in it nobody whose word counts has named. Absent: the owner did. */
    revised?: readonly ForeignValue[];
    /** So long the question is held back where `isTheirs`, since whoever edits decides it before that. */
    theirsForMs?: number;
  },
): Promise<Edited> {
  const { persona, store, now, approval, wanted, by, revised, theirsForMs = 0 } = edit;
  const judged = await deps.judgeEdit(persona, store, approval, wanted);
  if (!judged.ok) return { outcome: 'refused', why: judged.why };
  const isTheirs = judged.isTheirs && revised === undefined;
  const replacement: Approval = {
    ...approval,
    ...judged.frozen,
    origins: [...judged.frozen.origins, ...(revised ?? [])],
    id: deps.ids.next(),
    // What an owner has changed teaches nothing of what the persona asks for.
    likeness: null,
    teaches: null,
    number: null,
    notice_id: null,
    offered_at: null,
    created_at: now,
    updated_at: now,
  };
  const audit: AuditRecord = {
    id: deps.ids.next(),
    at: now,
    actor: by,
    event: 'approval_edited',
    run_id: approval.run_id,
    approval_id: replacement.id,
    tool: approval.tool,
    decision: 'pending',
    detail: { replaces: approval.id, keys: changedKeys(argumentsOf(approval), wanted), risk: replacement.risk },
  };
  const jobs = [approvalNoticeJob(null, isTheirs ? now + theirsForMs : now), approvalExpiryJob(replacement)];
  const old = { id: approval.id, by, isRevised: revised !== undefined, decided: edit.decided ?? [] };
  const isReplaced = await deps.announce(persona.id, now, () =>
    store.replaceApproval(old, replacement, jobs, [audit], now),
  );
  return isReplaced ? { outcome: 'edited', replacement, isTheirs } : { outcome: 'closed' };
}

/** What was taken out is changed, too. Pure. */
const changedKeys = (before: JsonObject, wanted: JsonObject): readonly string[] =>
  Object.keys({ ...before, ...wanted }).filter((key) => !isDeepStrictEqual(before[key], wanted[key]));

/** A value stays what it was: lists are read by commas, the rest as text, number or truth where it was one. Pure. */
export function withChanges(args: JsonObject, changes: Readonly<Record<string, string>>): JsonObject {
  const changed = Object.entries(changes).map(([key, text]): [string, Json] => {
    const before = args[key];
    if (Array.isArray(before))
      return [
        key,
        text
          .split(',')
          .map((part) => part.trim())
          .filter(Boolean),
      ];
    if (typeof before === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return [key, Number(text)];
    if (typeof before === 'boolean') return [key, /^(true|yes)$/i.test(text.trim())];
    return [key, text];
  });
  return { ...args, ...Object.fromEntries(changed) };
}

/**
 * Makes of a plan that was put together from calls of one turn as many questions, each in its place, so that some can be let
 * through without the others. Null where somebody was faster.
 */
export async function splitApproval(
  { announce, ids }: Pick<ActionPorts, 'announce' | 'ids'>,
  split: {
    readonly personaId: string;
    readonly store: Store;
    readonly plan: Approval;
    readonly by: string;
    readonly now: number;
  },
): Promise<readonly Approval[] | null> {
  const { personaId, store, plan, by, now } = split;
  const items = membersOf(plan).map(
    (member, index): Approval => ({
      ...plan,
      id: ids.next(),
      call_id: member.callId,
      kind: 'call',
      tool: member.tool,
      arguments_json: member.argumentsJson,
      arguments_hash: sha256(member.argumentsJson),
      fingerprint: member.fingerprint,
      basis: member.basis,
      risk: member.risk,
      attached: [],
      likeness: null,
      teaches: null,
      number: index + 1,
      created_at: now,
      updated_at: now,
    }),
  );
  const audit: AuditRecord = {
    id: ids.next(),
    at: now,
    actor: by,
    event: 'approval_split',
    run_id: plan.run_id,
    approval_id: plan.id,
    tool: plan.tool,
    decision: null,
    detail: { into: items.map(({ id }) => id) },
  };
  // Each may be left open, and is over when the plan would have been.
  const jobs = items.map(approvalExpiryJob);
  const isSplit = await announce(personaId, now, () =>
    store.splitApproval({ id: plan.id, by }, items, { jobs, audit: [audit] }, now),
  );
  return isSplit ? items : null;
}
