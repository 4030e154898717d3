import { decideApprovals, editApproval } from '../../actions/approvals.ts';
import { requestUndo } from '../../actions/undo.ts';
import { derivedId, sha256 } from '../../lib/ids.ts';
import { HOUR_MS } from '../../lib/time.ts';
import { domainOf } from '../../mail/mime/address.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { Approval, ApprovalDecision, AuditRecord, Decided } from '../../storage/types/approvals.ts';
import type { AnswerAction, Edit, Understood } from '../../suspensions/answers/read-answer.ts';
import { verdictsOf } from '../../suspensions/answers/read-answer.ts';
import { membersOf } from '../../suspensions/members.ts';
import type { WriterDeps } from '../deps.ts';
import type { Facts } from '../facts.ts';
import { answerAboutAgain, answerAboutSenders, answerAboutTools, answerBack, recordAnswer } from './record-answer.ts';

type Answering = Facts & { readonly store: Store; readonly noticeId: string; readonly by: string };

/** Does what an owner's answer says. `changed`: somebody was faster, and nothing is done. */
export async function actOnAnswer(
  deps: WriterDeps,
  answer: Answering,
  action: AnswerAction,
): Promise<'done' | 'changed'> {
  switch (action.kind) {
    case 'nothing':
      return 'done';
    case 'unclear': {
      const { why, detail, rules } = action;
      const understood = { verdict: 'unclear', rules } as const;
      await answerBack(deps, answer, { about: { kind: 'unclear', why, detail }, understood });
      return 'done';
    }
    case 'again':
      await answerAboutAgain(deps, answer, action);
      return 'done';
    case 'senders':
      await answerAboutSenders(deps, answer, action);
      return 'done';
    case 'tools':
      await answerAboutTools(deps, answer, action);
      return 'done';
    case 'late':
      await answerBack(deps, answer, { about: { kind: 'late' }, understood: action.understood });
      return 'done';
    case 'undo': {
      const { persona, store, by, now } = answer;
      await requestUndo(deps, { personaId: persona.id, store, items: action.items, by, now });
      break;
    }
    case 'decide': {
      const decided = await decide(deps, answer, action.verdicts);
      const isNew = action.verdicts.length === 0 || decided.some(({ outcome }) => outcome === 'decided');
      if (!isNew && action.understood.verdict !== 'edit') return 'changed';
      break;
    }
    case 'split': {
      const { plan, chosen } = action;
      const items = itemsOf(deps, plan, answer.now);
      if (!(await answer.store.splitApproval({ id: plan.id, by: answer.by }, items, answer.now))) return 'changed';
      await decide(deps, answer, verdictsOf(chosen, items, answer.by));
      break;
    }
    case 'edit': {
      const refused = await edit(deps, answer, action.edit);
      if (refused === null) break;
      const { rules = [] } = action.understood;
      const about = { kind: 'unclear', why: 'edit_refused', detail: refused } as const;
      await answerBack(deps, answer, { about, understood: { verdict: 'unclear', rules } satisfies Understood });
      return 'done';
    }
  }
  await recordAnswer(answer, action.understood);
  return 'done';
}

function decide(
  deps: WriterDeps,
  answer: Answering,
  verdicts: readonly ApprovalDecision[],
): Promise<readonly Decided[]> {
  const { persona, store, now } = answer;
  return verdicts.length === 0
    ? Promise.resolve([])
    : decideApprovals(deps, { personaId: persona.id, store, verdicts, now });
}

/** Why the call may not even be asked about like that; null when it was changed. */
async function edit(deps: WriterDeps, answer: Answering, wanted: Edit): Promise<string | null> {
  const { persona, store, by, now } = answer;
  const { approval, changes, decided, verdicts } = wanted;
  const call = { persona, store, now, approval, changes, by, decided };
  const refused = await editApproval(deps, call);
  if (refused === null) await decide(deps, answer, verdicts);
  return refused;
}

/** The calls of a plan as items of its notice, in its place. */
const itemsOf = ({ ids }: WriterDeps, plan: Approval, now: number): readonly Approval[] =>
  membersOf(plan).map((member, index) => ({
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
    number: index + 1,
    created_at: now,
    updated_at: now,
  }));

/**
 * Notes in the audit log that somebody who may not answered a notice. One row an hour for each notice and house: whoever
 * was shown a notice could fill the log.
 */
export async function auditRefusedAnswer(
  store: Store,
  {
    noticeId,
    mail,
    identity,
    query,
    now,
  }: Pick<Facts, 'mail' | 'identity' | 'query' | 'now'> & {
    readonly noticeId: string;
  },
): Promise<void> {
  const { address, authenticated } = identity;
  const house = authenticated && address !== null ? domainOf(address) : 'unproven';
  const row: AuditRecord = {
    id: derivedId(now - (now % HOUR_MS), `refused ${noticeId} ${house}`),
    at: now,
    actor: address ?? 'unproven',
    event: 'approval_refused',
    run_id: null,
    approval_id: null,
    tool: null,
    decision: 'approval_not_authorised',
    detail: { notice_id: noticeId, message_id: mail.messageId },
  };
  await store.auditOnce(row, query);
}
