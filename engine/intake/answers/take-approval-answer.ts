import { z } from 'zod';
import { decideApprovals, editApproval } from '../../actions/approvals.ts';
import type { Persona } from '../../config/types.ts';
import type { Clock } from '../../lib/clock.ts';
import { derivedId, sha256 } from '../../lib/ids.ts';
import {
  type About,
  type Answer,
  findToken,
  type Reading,
  readPlanReply,
  readReply,
} from '../../mail/approval/approval-answer.ts';
import { domainOf } from '../../mail/mime/address.ts';
import type { Identity, ParsedMail } from '../../mail/mime/types.ts';
import type { Store, Stores } from '../../storage/ports/store.ts';
import type { AnsweredItem, Approval, ApprovalNotice, AuditRecord, Verdict } from '../../storage/types/approvals.ts';
import { argumentsOf } from '../../storage/types/approvals.ts';
import type { Tier } from '../../storage/types/mail.ts';

import type { JudgeEdit } from '../../tools/judge-edit.ts';
import { type AnswerRecord, answerRecord, type RecordDeps } from './answer-record.ts';
import { splitIfWanted } from './split-plan.ts';
import { takeUndo } from './take-undo.ts';
import { takeWords } from './take-words.ts';

export interface AnswerDeps extends RecordDeps {
  readonly stores: Stores;
  readonly clock: Clock;
  readonly judgeEdit: JudgeEdit;
  isOwnAddress(address: string): boolean;
}

export type AnswerCode = 'approval_answer' | 'approval_not_authorised' | 'approval_token_invalid' | 'approval_expired';

interface Notice {
  readonly notice: ApprovalNotice;
  readonly items: readonly Approval[];
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
): AuditRecord {
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
    detail: { notice_id: notice.id, message_id: mail.messageId },
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
  const record = answerRecord(deps, { persona, mail, identity, store, notice, now });
  // The same mail delivered twice is no question.
  if (await record.isKnown()) return 'approval_answer';
  const undo = items.length === 0 ? await store.undoOfNotice(notice.id) : [];
  if (undo.length > 0) return takeUndo(deps, { persona, store, items: undo, newText: mail.newText, by, now }, record);
  const [only] = items;
  if (only?.kind === 'answer') {
    return takeWords(deps, { persona, store, item: only, newText: mail.newText, by, now }, record);
  }
  const open = items.filter(({ state, expires_at }) => state === 'pending' && expires_at > now);
  const split = await splitIfWanted(deps, store, only, { newText: mail.newText, by, now });
  if (split) {
    await decideApprovals(deps, {
      ...{ personaId: persona.id, store, now },
      verdicts: verdictsOf(split.answer, split.items, by),
    });
    const { answer, rules } = split;
    await record.understood({ verdict: answer.kind, rules, items: answeredItems(answer) });
    return 'approval_answer';
  }
  const reading =
    only?.kind === 'plan'
      ? readPlanReply(mail.newText, stepsOf(only))
      : readReply(mail.newText, numbersOf(items), (number) => aboutOf(items.find((item) => item.number === number)));
  const { answer, rules, asks } = reading;
  // All is decided, and this says neither yes nor no: an owner goes on writing below an old notice.
  if (open.length === 0 && answer.kind === 'none') return null;
  if (open.length === 0) return tellLate(items, reading, { by, now }, record);
  if (answer.kind === 'none') await record.unclear(asks ? 'question' : 'nothing');
  else if (answer.kind === 'ambiguous') await record.unclear(answer.why, { detail: answer.detail, rules });
  else return decide(deps, { persona, store, notice, items, open, by, now }, { ...reading, answer }, record);
  return 'approval_answer';
}

interface Asked {
  readonly persona: Persona;
  readonly store: Store;
  readonly notice: ApprovalNotice;
  readonly items: readonly Approval[];
  readonly open: readonly Approval[];
  readonly by: string;
  readonly now: number;
}

type Clear = Exclude<Answer, { kind: 'none' | 'ambiguous' }>;

/** Does what was decided. What can be done of one mail is done whole or not at all. */
async function decide(
  deps: AnswerDeps,
  asked: Asked,
  reading: Reading & { readonly answer: Clear },
  record: AnswerRecord,
): Promise<AnswerCode> {
  const { answer, rules } = reading;
  const { persona, store, notice, open, by, now } = asked;
  const named = answeredItems(answer);
  const verdicts = verdictsOf(answer, open, by);
  if (answer.kind === 'edit') {
    const beside = named.filter(({ verdict }) => verdict !== 'edit').map(({ number }) => number);
    const closed = beside.find((number) => !open.some((item) => item.number === number));
    if (closed !== undefined) {
      await record.unclear('closed_item', { detail: String(closed), rules });
      return 'approval_answer';
    }
    if (!(await takeEdit(deps, asked, answer, rules, record))) return 'approval_answer';
  }
  if (verdicts.length > 0 || answer.kind !== 'edit') {
    const decided = await decideApprovals(deps, { personaId: persona.id, store, verdicts, now });
    // Somebody was faster, at this very moment.
    if (answer.kind !== 'edit' && decided.every(({ outcome }) => outcome !== 'decided'))
      return tellLate(await store.noticeItems(notice.id), reading, { by, now }, record);
  }
  await record.understood({ verdict: answer.kind, rules, items: named });
  return 'approval_answer';
}

/** Tells what was decided, when, and what came of it. */
async function tellLate(
  items: readonly Approval[],
  { answer, rules }: Reading,
  { by, now }: { readonly by: string; readonly now: number },
  record: AnswerRecord,
): Promise<AnswerCode> {
  const late = items.some(({ state, expires_at }) => state === 'expired' || (state === 'pending' && expires_at <= now));
  // The same edit sent twice: about its result a notice is on its way.
  const ownEdit = answer.kind === 'edit' && wasEdited(items) && items.every(({ decided_by }) => decided_by === by);
  if (!ownEdit) await record.late({ verdict: 'late', rules, items: answeredItems(answer) });
  return late ? 'approval_expired' : 'approval_answer';
}

const planned = z.object({ steps: z.array(z.unknown()) });
const stepsOf = (approval: Approval): number => planned.parse(argumentsOf(approval)).steps.length;

const numbersOf = (items: readonly Approval[]): number[] => items.map(({ number }) => number ?? 0);

const isEdited = ({ state, reason }: Approval): boolean => state === 'stale' && reason === 'edited';
const wasEdited = (items: readonly Approval[]): boolean => items.every(isEdited);

/** What an answer may name of a call: its arguments, and a word for what it does. */
function aboutOf(approval: Approval | undefined): About | undefined {
  if (!approval) return undefined;
  const args = Object.entries(argumentsOf(approval));
  return {
    keys: args.map(([key]) => key),
    long: args.filter(([, value]) => typeof value === 'string' && value.includes('\n')).map(([key]) => key),
    act: approval.risk === 'destructive' ? 'delete' : args.some(([key]) => key === 'to') ? 'send' : null,
  };
}

/** Whether it was made, or had been; its sender is told why not. */
async function takeEdit(
  deps: AnswerDeps,
  { persona, store, items, by, now }: Asked,
  edit: Extract<Answer, { kind: 'edit' }>,
  rules: readonly string[],
  record: AnswerRecord,
): Promise<boolean> {
  const approval = items.find(({ number, state }) => number === edit.item && state === 'pending');
  // The same mail delivered twice: the edit was made, and about its result a notice is on its way.
  if (items.some((item) => item.number === edit.item && isEdited(item) && item.decided_by === by)) return true;
  if (!approval) {
    await record.unclear('closed_item', { detail: String(edit.item), rules });
    return false;
  }
  const named = edit.beside ? answeredItems(edit.beside).map(({ number }) => number) : [];
  const decided = items.filter(({ number }) => number !== null && named.includes(number)).map(({ id }) => id);
  const why = await editApproval(deps, {
    ...{ persona, store, now, approval, by, decided },
    changes: edit.changes,
  });
  if (why !== null) await record.unclear('edit_refused', { detail: why, rules });
  return why === null;
}

/** What an answer says, item by item. */
function answeredItems(answer: Answer): AnsweredItem[] {
  if (answer.kind === 'none' || answer.kind === 'ambiguous') return [];
  if (answer.kind === 'edit')
    return [...(answer.beside ? answeredItems(answer.beside) : []), { number: answer.item, verdict: 'edit' }];
  const { approve, deny } = sidesOf(answer);
  return [
    ...approve.map((number) => ({ number, verdict: 'approve' }) as const),
    ...deny.map((number) => ({ number, verdict: 'deny' }) as const),
  ].toSorted((one, other) => one.number - other.number);
}

const sidesOf = (answer: Exclude<Clear, { kind: 'edit' }>) => ({
  approve: answer.kind === 'deny' ? [] : answer.kind === 'approve' ? answer.items : answer.approve,
  deny: answer.kind === 'approve' ? [] : answer.kind === 'deny' ? answer.items : answer.deny,
});

function verdictsOf(answer: Clear, open: readonly Approval[], by: string): Verdict[] {
  if (answer.kind === 'edit') return answer.beside ? verdictsOf(answer.beside, open, by) : [];
  const { approve, deny } = sidesOf(answer);
  const reason = answer.kind === 'approve' ? null : answer.reason;
  return open.flatMap(({ id, number }): Verdict[] => {
    if (number !== null && approve.includes(number)) return [{ id, state: 'approved', by, reason: null }];
    if (number !== null && deny.includes(number)) return [{ id, state: 'rejected', by, reason }];
    return [];
  });
}
