import { decideApprovals, editApproval, splitApproval, withChanges } from '../../actions/approvals.ts';
import { ruleOfYes } from '../../actions/taught.ts';
import { requestUndo } from '../../actions/undo.ts';
import { derivedId } from '../../lib/ids.ts';
import { HOUR_MS } from '../../lib/time.ts';
import { domainOf } from '../../mail/mime/address.ts';
import type { Store } from '../../storage/ports/store.ts';
import { type ApprovalDecision, type AuditRecord, argumentsOf, type Decided } from '../../storage/types/approvals.ts';
import type { AnswerAction, EditByOwner, Understood } from '../../suspensions/answers/read-answer.ts';
import { verdictsOf } from '../../suspensions/answers/read-answer.ts';
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
      const { why, detail, beside, rules } = action;
      const understood = { verdict: 'unclear', rules } as const;
      const about = { kind: 'unclear', why, detail, ...(beside === undefined ? {} : { beside }) } as const;
      await answerBack(deps, answer, { about, understood });
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
      const decided = await decide(
        deps,
        answer,
        action.fromNowOn ? await taught(deps, answer, action.verdicts) : action.verdicts,
      );
      const isNew = action.verdicts.length === 0 || decided.some(({ outcome }) => outcome === 'decided');
      if (!isNew && action.understood.verdict !== 'edit') return 'changed';
      break;
    }
    case 'split': {
      const { plan, chosen } = action;
      const { persona, store, by, now } = answer;
      const items = await splitApproval(deps, { personaId: persona.id, store, plan, by, now });
      if (items === null) return 'changed';
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

/** The yes, with the rule that it makes. */
const taught = (
  deps: WriterDeps,
  answer: Answering,
  verdicts: readonly ApprovalDecision[],
): Promise<readonly ApprovalDecision[]> =>
  Promise.all(
    verdicts.map(async (verdict) => {
      const { persona, store, by, now, mail } = answer;
      const asked = await store.getApproval(verdict.id);
      const rule = asked && (await ruleOfYes(deps, { persona, store, asked, by, messageId: mail.messageId, now }));
      return rule ? { ...verdict, taught: rule } : verdict;
    }),
  );

/** Why the call may not even be asked about like that; null when it was changed, or somebody was faster. */
async function edit(deps: WriterDeps, answer: Answering, wanted: EditByOwner): Promise<string | null> {
  const { persona, store, by, now } = answer;
  const { approval, changes, decided, verdicts } = wanted;
  const call = { persona, store, now, approval, wanted: withChanges(argumentsOf(approval), changes), by, decided };
  const edited = await editApproval(deps, call);
  if (edited.outcome === 'refused') return edited.why;
  const own: readonly ApprovalDecision[] =
    edited.outcome === 'edited' && edited.isTheirs
      ? [{ id: edited.replacement.id, state: 'approved', by, reason: null }]
      : [];
  await decide(deps, answer, [...own, ...verdicts]);
  return null;
}

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
