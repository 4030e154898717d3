import type { Persona } from '../config/types.ts';
import type { JudgeEdit } from '../harness/policy/judge-edit.ts';
import { APPROVAL_NOTICE_JOB } from '../harness/respond/hold.ts';
import type { Clock } from '../lib/clock.ts';
import { derivedId, sha256 } from '../lib/ids.ts';
import { domainOf } from '../mail/address.ts';
import { type Answer, findToken, readAnswer, readPlanAnswer } from '../mail/approval-answer.ts';
import type { Identity, ParsedMail } from '../mail/types.ts';
import type { Verdict } from '../storage/approval-operations.ts';
import type { ApprovalNoticeRow, ApprovalRow, AuditRow } from '../storage/approval-tables.ts';
import type { NewJob, Store } from '../storage/store.ts';
import type { Stores } from '../storage/stores.ts';
import type { Tier } from '../storage/tables.ts';
import { type ApprovalDeps, decideApprovals, editApproval } from './approvals.ts';
import { splitIfWanted } from './split-plan.ts';
import { takeUndo } from './take-undo.ts';
import { takeWords } from './take-words.ts';

export interface AnswerDeps extends ApprovalDeps {
  readonly stores: Stores;
  readonly clock: Clock;
  readonly judgeEdit: JudgeEdit;
  isOwnAddress(address: string): boolean;
}

export type AnswerCode = 'approval_answer' | 'approval_not_authorised' | 'approval_token_invalid' | 'approval_expired';

interface Notice {
  readonly notice: ApprovalNoticeRow;
  readonly items: readonly ApprovalRow[];
}

/**
 * Takes a mail that answers an approval notice; null when it is none, and then it is mail like any other. The
 * token or the reference says which notice is meant, the proven sender whether it counts, and the new text alone
 * what the answer is. No model sees any of it.
 */
export async function takeApprovalAnswer(
  deps: AnswerDeps,
  answer: {
    persona: Persona;
    mail: ParsedMail;
    identity: Identity;
    tier: Tier | null;
    recipients: readonly string[];
  },
): Promise<AnswerCode | null> {
  const { persona, mail } = answer;
  const found = findToken(mail, answer.recipients);
  // Thirty-two typed digits may be anything; in the address or in the subject they can only be a token.
  const none = found && found.carrier !== 'typed' ? 'approval_token_invalid' : null;
  if (!deps.stores.exists(persona.id)) return none;
  return deps.stores.use(persona.id, async (store) => {
    const byToken = found ? await store.findNotice({ tokenSha256: sha256(found.token) }) : undefined;
    const byReference =
      byToken ?? (await store.findNotice({ messageIds: [...mail.inReplyTo, ...mail.references.toReversed()] }));
    if (!byReference) return none;
    const by = answer.identity.address ?? '';
    // A persona may be named as an owner, but what it writes is a model's word, and no model approves anything.
    const isOwner = answer.identity.authenticated && answer.tier === 'owner' && !deps.isOwnAddress(by);
    if (isOwner) return actOn(deps, store, byReference, answer);
    await store.auditOnce(refusedAnswer(deps, byReference, mail, answer.identity));
    return 'approval_not_authorised';
  });
}

const HOUR_MS = 3_600_000;

/** One row an hour for each notice and house that answers it: whoever was shown a notice could fill the log. */
function refusedAnswer(
  deps: AnswerDeps,
  { notice }: Notice,
  mail: ParsedMail,
  { address, authenticated }: Identity,
): AuditRow {
  const at = deps.clock.now();
  const house = authenticated && address !== null ? domainOf(address) : 'unproven';
  return {
    id: derivedId(at - (at % HOUR_MS), `refused ${notice.id} ${house}`),
    at,
    actor: address ?? 'unproven',
    event: 'approval_refused',
    run_id: null,
    approval_id: null,
    tool: null,
    decision: 'approval_not_authorised',
    detail_json: JSON.stringify({ notice_id: notice.id, message_id: mail.messageId }),
  };
}

async function actOn(
  deps: AnswerDeps,
  store: Store,
  { notice, items }: Notice,
  { persona, mail, identity }: { persona: Persona; mail: ParsedMail; identity: Identity },
): Promise<AnswerCode | null> {
  const now = deps.clock.now();
  const by = identity.address ?? '';
  const clarify = async (why: string): Promise<void> => {
    const job: NewJob = {
      id: `clarify:${notice.id}`,
      kind: 'clarify',
      due_at: now,
      payload: { to: by, why, notice_id: notice.id },
    };
    await deps.gateway.bumpWakeup(persona.id, now);
    await store.addJobs([job]);
    deps.wake(persona.id);
  };
  const undo = items.length === 0 ? await store.undoOfNotice(notice.id) : [];
  if (undo.length > 0) return takeUndo(deps, { persona, store, items: undo, newText: mail.newText, by, now }, clarify);
  const [only] = items;
  if (only?.kind === 'answer') {
    return takeWords(deps, { persona, store, item: only, newText: mail.newText, by, now }, clarify);
  }
  const open = items.filter(({ state, expires_at }) => state === 'pending' && expires_at > now);
  const split = await splitIfWanted(deps, store, only, { newText: mail.newText, by, now });
  if (split) {
    await decideApprovals(deps, persona.id, store, verdictsOf(split.numbers, split.items, by), now);
    return 'approval_answer';
  }
  const isPlan = only?.kind === 'plan';
  const read = isPlan ? readPlanAnswer(mail.newText, stepsOf(only)) : readAnswer(mail.newText, numbersOf(items));
  // All is decided, and this says neither yes nor no: an owner goes on writing below an old notice.
  if (open.length === 0) return read.kind === 'none' ? null : tellLate(items, read, by, clarify);
  if (read.kind === 'none') await clarify('it begins with neither an approval nor a denial');
  else if (read.kind === 'ambiguous') await clarify(read.why);
  else if (read.kind === 'edit') await takeEdit(deps, persona, store, items, read, by, clarify);
  else {
    const decided = await decideApprovals(deps, persona.id, store, verdictsOf(read, open, by), now);
    // Somebody was faster, at this very moment.
    if (decided.every(({ outcome }) => outcome !== 'decided'))
      return tellLate(await store.noticeItems(notice.id), read, by, clarify);
  }
  return 'approval_answer';
}

async function tellLate(
  items: readonly ApprovalRow[],
  read: Answer,
  by: string,
  clarify: (why: string) => Promise<void>,
): Promise<AnswerCode> {
  const late = items.some(({ state }) => state === 'pending' || state === 'expired');
  // The same mail delivered twice is no question; somebody else's earlier decision is worth a word.
  const ownWord = items.every(({ decided_by }) => decided_by === by);
  if (wasEdited(items) && read.kind !== 'edit')
    await clarify('it was edited, and about the edited call there is a mail of its own');
  else if (items.some(({ kind, state }) => kind === 'plan' && state !== 'expired'))
    await clarify(`it was decided before. ${items[0]?.reason ?? ''}`.trim());
  else if (!ownWord) await clarify(late ? 'the time for it is over, and nothing was done' : 'it was decided before');
  return late ? 'approval_expired' : 'approval_answer';
}

const stepsOf = ({ arguments_json }: ApprovalRow): number =>
  (JSON.parse(arguments_json) as { steps: readonly unknown[] }).steps.length;

const numbersOf = (items: readonly ApprovalRow[]): number[] => items.map(({ number }) => number ?? 0);

const isEdited = ({ state, reason }: ApprovalRow): boolean => state === 'stale' && reason === 'edited';
const wasEdited = (items: readonly ApprovalRow[]): boolean => items.every(isEdited);

async function takeEdit(
  deps: AnswerDeps,
  persona: Persona,
  store: Store,
  items: readonly ApprovalRow[],
  edit: Extract<Answer, { kind: 'edit' }>,
  by: string,
  clarify: (why: string) => Promise<void>,
): Promise<void> {
  const approval = items.find(({ number, state }) => number === edit.item && state === 'pending');
  // The same mail delivered twice: the edit was made, and about its result a notice is on its way.
  if (items.some((item) => item.number === edit.item && isEdited(item) && item.decided_by === by)) return;
  if (!approval) return clarify(`there is no open item ${edit.item}`);
  const known = Object.keys(JSON.parse(approval.arguments_json) as object);
  const unknown = Object.keys(edit.changes).find((key) => !known.includes(key));
  if (unknown !== undefined) return clarify(`item ${edit.item} has no "${unknown}"; it has ${known.join(', ')}`);
  const wanted = { approval, changes: edit.changes, by, noticeJob: APPROVAL_NOTICE_JOB };
  const why = await editApproval(deps, persona, store, wanted, deps.clock.now());
  if (why !== null) await clarify(why);
}

function verdictsOf(
  read: Exclude<Answer, { kind: 'none' | 'ambiguous' | 'edit' }>,
  open: readonly ApprovalRow[],
  by: string,
): Verdict[] {
  const approve = read.kind === 'deny' ? [] : read.kind === 'approve' ? read.items : read.approve;
  const deny = read.kind === 'approve' ? [] : read.kind === 'deny' ? read.items : read.deny;
  const reason = read.kind === 'approve' ? null : read.reason;
  return open.flatMap(({ id, number }): Verdict[] => {
    if (number !== null && approve.includes(number)) return [{ id, state: 'approved', by, reason: null }];
    if (number !== null && deny.includes(number)) return [{ id, state: 'rejected', by, reason }];
    return [];
  });
}
