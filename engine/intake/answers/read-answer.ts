import { z } from 'zod';
import {
  type About,
  type Answer,
  type Reading,
  readPlanReply,
  readReply,
} from '../../mail/approval/approval-answer.ts';
import { readUndo } from '../../mail/approval/undo-answer.ts';
import { membersOf } from '../../policy/approval/batch.ts';
import type { AnsweredItem, Approval, UndoItem, Verdict } from '../../storage/types/approvals.ts';
import { argumentsOf } from '../../storage/types/approvals.ts';
import type { NoticeFacts } from '../facts.ts';
import type { UnclearCode, Understood } from './record-answer.ts';

/** What an owner's answer to a notice makes the gateway do. */
export type AnswerAction =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'undo'; readonly items: readonly UndoItem[]; readonly understood: Understood }
  | { readonly kind: 'decide'; readonly verdicts: readonly Verdict[]; readonly understood: Understood }
  /** A plan of several calls becomes as many items, each with its own verdict. */
  | { readonly kind: 'split'; readonly plan: Approval; readonly chosen: Mixed; readonly understood: Understood }
  | { readonly kind: 'edit'; readonly edit: Edit; readonly understood: Understood }
  /** Its sender is asked back. */
  | {
      readonly kind: 'unclear';
      readonly why: UnclearCode;
      readonly detail: string | null;
      readonly rules: readonly string[];
    }
  /** All that it could be about was decided before, or its time is over: its sender is told. */
  | { readonly kind: 'late'; readonly understood: Understood };

export interface Edit {
  readonly approval: Approval;
  readonly changes: Readonly<Record<string, string>>;
  /** Ids of what the same answer decides, and how. */
  readonly decided: readonly string[];
  readonly verdicts: readonly Verdict[];
}

/** An answer as understood, and the code under which its mail is recorded. */
export interface ReadAnswer {
  readonly code: 'approval_answer' | 'approval_expired';
  readonly action: AnswerAction;
}

interface Given {
  readonly notice: NoticeFacts;
  readonly newText: string;
  readonly by: string;
  readonly now: number;
}

type Clear = Exclude<Answer, { kind: 'none' | 'ambiguous' }>;
type Mixed = Extract<Answer, { kind: 'mixed' }>;

const answered = (action: AnswerAction): ReadAnswer => ({ code: 'approval_answer', action });
const askBack = (why: UnclearCode, more: { detail?: string | undefined; rules?: readonly string[] } = {}): ReadAnswer =>
  answered({ kind: 'unclear', why, detail: more.detail ?? null, rules: more.rules ?? [] });

/** An owner's `undo` below a notice of what was done; null when the mail says something else. Pure. */
export function readUndoAnswer({ notice: { undo }, newText, now }: Given): ReadAnswer | null {
  const chosen = readUndo(newText, undo.map(numberOf));
  if (undo.length === 0 || chosen === null) return null;
  const wanted = undo.filter((item) => chosen.includes(numberOf(item)));
  if (wanted.length === 0) return askBack('undo_which');
  const open = wanted.filter(({ state, until }) => state === 'open' && until > now);
  const items = wanted.map((item) => ({ number: numberOf(item), verdict: 'undo' }) as const);
  if (open.length > 0) {
    return answered({ kind: 'undo', items: open, understood: { verdict: 'undo', rules: ['undo'], items } });
  }
  const code = wanted.some(({ state }) => state !== 'undone') ? 'approval_expired' : 'approval_answer';
  return { code, action: { kind: 'late', understood: { verdict: 'late', rules: ['undo'], items } } };
}

const MAX_ANSWER_CHARS = 50_000;

/**
 * What an owner wrote below a question, as its answer, whatever the words are: a `no` is an answer here, not a denial.
 * Null when the question is settled and this is mail like any other. Pure.
 */
export function readWords({ notice: { items }, newText, by, now }: Given): ReadAnswer | null {
  const [item] = items;
  if (item?.kind !== 'answer') return null;
  const words = newText.trim().slice(0, MAX_ANSWER_CHARS);
  if (isExpired(item, now)) {
    return { code: 'approval_expired', action: { kind: 'late', understood: { verdict: 'late' } } };
  }
  if (item.state !== 'pending') {
    // The same mail delivered twice is no new one.
    return item.decided_by === by && item.reason === words ? answered({ kind: 'nothing' }) : null;
  }
  if (words === '') return askBack('no_words');
  return answered({
    kind: 'decide',
    verdicts: [{ id: item.id, state: 'approved', by, reason: words }],
    understood: { verdict: 'words', items: [{ number: item.number ?? 1, verdict: 'answer' }] },
  });
}

/** What an owner decided about held calls; null when nothing is open and the mail says neither yes nor no. Pure. */
export function readVerdict(given: Given): ReadAnswer | null {
  const { items } = given.notice;
  const [only] = items;
  if (only?.kind === 'answer') return null;
  const split = only === undefined ? null : splitOf(only, given.newText);
  if (split) return answered(split);
  const reading =
    only?.kind === 'plan'
      ? readPlanReply(given.newText, stepsOf(only))
      : readReply(given.newText, items.map(numberOf), (number) => aboutOf(items.find((one) => one.number === number)));
  const { answer, rules, asks } = reading;
  const open = items.filter(({ state, expires_at }) => state === 'pending' && expires_at > given.now);
  // All is decided, and this says neither yes nor no: an owner goes on writing below an old notice.
  if (open.length === 0 && answer.kind === 'none') return null;
  if (open.length === 0) return lateAnswer(given, reading);
  if (answer.kind === 'none') return askBack(asks ? 'question' : 'nothing');
  if (answer.kind === 'ambiguous') return askBack(answer.why, { detail: answer.detail, rules });
  if (answer.kind === 'edit') return readEdit(given, open, { answer, rules });
  const verdicts = verdictsOf(answer, open, given.by);
  if (verdicts.length === 0) return lateAnswer(given, reading);
  return answered({
    kind: 'decide',
    verdicts,
    understood: { verdict: answer.kind, rules, items: answeredItems(answer) },
  });
}

/**
 * An owner may say yes to some calls of a plan that was put together from calls of one turn: "approve 1", "approve 1,
 * deny 2". What the answer leaves out is denied, so that nothing of it goes on waiting. A no to one alone is a no to
 * the plan, like a no to nothing in particular. Null where the answer is one to the plan as a whole.
 */
function splitOf(plan: Approval, newText: string): AnswerAction | null {
  const count = plan.state === 'pending' ? membersOf(plan).length : 0;
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const { answer: read, rules } = readReply(newText, numbers);
  const approve = read.kind === 'approve' ? read.items : read.kind === 'mixed' ? read.approve : [];
  if (approve.length === 0 || approve.length === count) return null;
  const deny = numbers.filter((number) => !approve.includes(number));
  const chosen: Mixed = { kind: 'mixed', approve, deny, reason: read.kind === 'mixed' ? read.reason : null };
  return { kind: 'split', plan, chosen, understood: { verdict: 'mixed', rules, items: answeredItems(chosen) } };
}

/** What can be done of one mail is done whole or not at all. */
function readEdit(
  { notice: { items }, by }: Given,
  open: readonly Approval[],
  { answer, rules }: { readonly answer: Extract<Answer, { kind: 'edit' }>; readonly rules: readonly string[] },
): ReadAnswer {
  const named = answeredItems(answer);
  const beside = named.filter(({ verdict }) => verdict !== 'edit').map(({ number }) => number);
  const closed = beside.find((number) => !open.some((item) => item.number === number));
  if (closed !== undefined) return askBack('closed_item', { detail: String(closed), rules });
  const verdicts = answer.beside ? verdictsOf(answer.beside, open, by) : [];
  const understood: Understood = { verdict: 'edit', rules, items: named };
  // The same mail delivered twice: the edit was made, and a notice about its result is on its way.
  if (items.some((item) => item.number === answer.item && isEdited(item) && item.decided_by === by)) {
    return answered({ kind: 'decide', verdicts, understood });
  }
  const approval = items.find(({ number, state }) => number === answer.item && state === 'pending');
  if (!approval) return askBack('closed_item', { detail: String(answer.item), rules });
  const decided = items.filter(({ number }) => number !== null && beside.includes(number)).map(({ id }) => id);
  return answered({ kind: 'edit', edit: { approval, changes: answer.changes, decided, verdicts }, understood });
}

/** Its sender is told what was decided, when, and what came of it. */
function lateAnswer({ notice: { items }, by, now }: Given, { answer, rules }: Reading): ReadAnswer {
  const code = items.some((item) => isExpired(item, now)) ? 'approval_expired' : 'approval_answer';
  // The same edit sent twice: about its result a notice is on its way.
  const ownEdit = answer.kind === 'edit' && items.every((item) => isEdited(item) && item.decided_by === by);
  if (ownEdit) return { code, action: { kind: 'nothing' } };
  return { code, action: { kind: 'late', understood: { verdict: 'late', rules, items: answeredItems(answer) } } };
}

const numberOf = ({ number }: { readonly number: number | null }): number => number ?? 0;

const isExpired = ({ state, expires_at }: Approval, now: number): boolean =>
  state === 'expired' || (state === 'pending' && expires_at <= now);

const isEdited = ({ state, reason }: Approval): boolean => state === 'stale' && reason === 'edited';

const planned = z.object({ steps: z.array(z.unknown()) });
const stepsOf = (approval: Approval): number => planned.parse(argumentsOf(approval)).steps.length;

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

export function verdictsOf(answer: Exclude<Clear, { kind: 'edit' }>, open: readonly Approval[], by: string): Verdict[] {
  const { approve, deny } = sidesOf(answer);
  const reason = answer.kind === 'approve' ? null : answer.reason;
  return open.flatMap(({ id, number }): Verdict[] => {
    if (number !== null && approve.includes(number)) return [{ id, state: 'approved', by, reason: null }];
    if (number !== null && deny.includes(number)) return [{ id, state: 'rejected', by, reason }];
    return [];
  });
}
