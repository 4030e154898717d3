import type { Json, JsonObject } from '#contract';
import type { Persona } from '../config/types.ts';
import type { Ids } from '../lib/ids.ts';
import { approvalExpiryJob, approvalNoticeJob } from '../record/jobs/job-kinds.ts';
import type { Store } from '../storage/ports/store.ts';
import type { Approval, ApprovalDecision, AuditRecord, Decided } from '../storage/types/approvals.ts';
import { argumentsOf } from '../storage/types/approvals.ts';

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

/**
 * Puts a changed call in the place of the one that was asked about. It is asked about anew, as its own item, but where an
 * owner's own words count and are all that is new in it. The reason why not, where it cannot even be asked about.
 */
export async function editApproval(
  deps: ActionPorts & { readonly judgeEdit: JudgeEdit },
  edit: {
    persona: Persona;
    store: Store;
    now: number;
    approval: Approval;
    changes: Readonly<Record<string, string>>;
    by: string;
    /** What the same answer decides. */
    decided?: readonly string[];
  },
): Promise<string | null> {
  const { persona, store, now, approval, changes, by } = edit;
  const wanted = applyChanges(argumentsOf(approval), changes);
  const judged = await deps.judgeEdit(persona, store, approval, wanted);
  if (!judged.ok) return judged.why;
  const replacement: Approval = {
    ...approval,
    ...judged.frozen,
    id: deps.ids.next(),
    number: null,
    notice_id: null,
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
    detail: { replaces: approval.id, keys: Object.keys(changes), risk: replacement.risk },
  };
  const jobs = [approvalNoticeJob(null, now), approvalExpiryJob(replacement)];
  const old = { id: approval.id, by, decided: edit.decided ?? [] };
  const isReplaced = await deps.announce(persona.id, now, () =>
    store.replaceApproval(old, replacement, jobs, [audit], now),
  );
  // Died in between, it is asked about.
  if (isReplaced && judged.isTheirs) {
    const verdict = { id: replacement.id, state: 'approved', by, reason: null } as const;
    await decideApprovals(deps, { personaId: persona.id, store, verdicts: [verdict], now });
  }
  return null;
}

/** A value stays what it was: lists are read by commas, the rest as text, number or truth where it was one. */
function applyChanges(args: JsonObject, changes: Readonly<Record<string, string>>): JsonObject {
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
