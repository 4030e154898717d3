import type { AnswerToItems, ReadReply, Unclear } from '../../mail/approval/approval-answer.ts';
import type { UnclearSenders } from '../../mail/approval/senders/senders-answer.ts';
import {
  type AnsweredItem,
  type Approval,
  type ApprovalAnswer,
  type ApprovalDecision,
  CLOSED_BY_STOP,
  EDITED,
  type UndoItem,
} from '../../storage/types/approvals.ts';
import type { SenderVerdict } from '../../storage/types/gateway.ts';

/** What was understood of an answer. */
export interface Understood {
  readonly verdict: ApprovalAnswer['verdict'];
  readonly rules?: readonly string[];
  readonly items?: readonly AnsweredItem[];
}

export type UnclearCode =
  | Unclear
  | 'closed_item'
  | 'edit_refused'
  | 'undo_which'
  | 'undo_more'
  | 'again_more'
  | 'switch_which'
  | 'switch_more'
  | 'go_on_more'
  | 'no_words';

/** What an owner's answer to a notice makes the gateway do. */
export type AnswerAction =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'undo'; readonly items: readonly UndoItem[]; readonly understood: Understood }
  | {
      readonly kind: 'decide';
      readonly verdicts: readonly ApprovalDecision[];
      /** The one that it says yes to may go without a question from now on. */
      readonly fromNowOn?: true;
      readonly understood: Understood;
      /** What its sender has said beside the answer: a run of its own works on it. So it is with the others that have it. */
      readonly beside?: string;
    }
  /** A plan of several calls becomes as many items, each with its own verdict. */
  | {
      readonly kind: 'split';
      readonly plan: Approval;
      readonly chosen: Mixed;
      readonly understood: Understood;
      readonly beside?: string;
    }
  | { readonly kind: 'edit'; readonly edit: EditByOwner; readonly understood: Understood }
  /** What its notice offers to do once more: a job does it, and tells its sender. */
  | {
      readonly kind: 'again';
      /** What of it is to be switched; absent: all that it offers is meant. */
      readonly numbers?: readonly number[];
      readonly understood: Understood;
    }
  /** Who of those who were refused may write: a job does it, and tells its sender. */
  | { readonly kind: 'senders'; readonly said: SendersSaid; readonly understood: Understood }
  /** Whether tools of a server may be used as they were shown: a job does it, and tells its sender. */
  | { readonly kind: 'tools'; readonly said: ToolsSaid; readonly understood: Understood }
  /** Its sender is asked back. */
  | {
      readonly kind: 'unclear';
      readonly why: UnclearCode;
      readonly detail: string | null;
      readonly beside?: string;
      readonly rules: readonly string[];
    }
  /** All that it could be about was decided before, or its time is over: its sender is told. */
  | { readonly kind: 'late'; readonly understood: Understood; readonly beside?: string };

/** What an owner's answer says of the senders of a digest. */
export type SendersSaid =
  | { readonly kind: 'decide'; readonly items: readonly { readonly number: number; readonly verdict: SenderVerdict }[] }
  | { readonly kind: 'unclear'; readonly why: UnclearSenders; readonly detail: string | null }
  | { readonly kind: 'late' };

/** What an owner's answer says of the tools of a server. */
export type ToolsSaid =
  | { readonly kind: 'decide'; readonly allow: boolean }
  | { readonly kind: 'unclear'; readonly why: UnclearCode; readonly detail: string | null }
  | { readonly kind: 'late' };

export interface EditByOwner {
  readonly approval: Approval;
  readonly changes: Readonly<Record<string, string>>;
  /** Ids of what the same answer decides, and how. */
  readonly decided: readonly string[];
  readonly verdicts: readonly ApprovalDecision[];
}

/** An answer as understood, and the code under which its mail is recorded. */
export interface ReadAnswer {
  readonly code: 'approval_answer' | 'approval_expired';
  readonly action: AnswerAction;
}

/** What an owner said in an answer, once every line of the mail is accounted for. */
export interface SaidByOwner {
  /** What was typed: no quotation, no signature, no line of our own mail. */
  readonly typed: string;
  /** That the question was asked in, as far as its words tell. */
  readonly language: string | null;
  /** The name in front of their address, where there is one. */
  readonly sender?: string;
  /** The name of the persona that asked: how they may speak to it. */
  readonly persona?: string;
  /** Why it cannot be acted on although its words are clear; null: nothing beside them changes anything. */
  readonly doubt: Doubt | null;
}

export interface Doubt {
  readonly why: 'beside' | 'reaction' | 'another_mail' | 'too_long' | 'more_words';
  /** A line of the mail. */
  readonly detail: string | null;
}

/** A proven owner's words below a notice, and what that notice asks about. */
export interface AnswerToRead {
  readonly items: readonly Approval[];
  readonly said: SaidByOwner;
  readonly by: string;
  readonly now: number;
}

export type Mixed = Extract<AnswerToItems, { kind: 'mixed' }>;

export const answered = (action: AnswerAction): ReadAnswer => ({ code: 'approval_answer', action });

export const askBack = (
  why: UnclearCode,
  more: { detail?: string | undefined; beside?: string | undefined; rules?: readonly string[] } = {},
): ReadAnswer =>
  answered({
    kind: 'unclear',
    why,
    detail: more.detail ?? null,
    ...(more.beside === undefined ? {} : { beside: more.beside }),
    rules: more.rules ?? [],
  });

export const askAbout = ({ why, detail }: Doubt, rules: readonly string[] = [], beside?: string): ReadAnswer =>
  askBack(why, { detail: detail ?? undefined, beside, rules });

export const isExpired = ({ state, expires_at }: Approval, now: number): boolean =>
  state === 'expired' || (state === 'pending' && expires_at <= now);

type Clear = Exclude<AnswerToItems, { kind: 'none' | 'ambiguous' }>;

/** What an owner decided about items of a notice; null when nothing is open and the mail says neither yes nor no. Pure. */
export function readVerdict(given: AnswerToRead, reading: ReadReply): ReadAnswer | null {
  const { answer, rules, asks } = reading;
  const open = given.items.filter(({ state, expires_at }) => state === 'pending' && expires_at > given.now);
  // All is decided, and this says neither yes nor no: an owner goes on writing below an old notice. What STOP has closed is
  // no answer to anybody, and whoever wrote it hears that.
  if (open.length === 0 && answer.kind === 'none' && !given.items.some(isClosedByStop)) return null;
  if (open.length === 0) return lateAnswer(given, reading);
  if (answer.kind === 'none') return askBack(asks ? 'question' : 'nothing');
  if (answer.kind === 'ambiguous')
    return askBack(answer.why, { detail: answer.detail, ...besideIn(answer, given), rules });
  // A no ends nothing that could not be asked for again; whatever lets something be done has to be all that was said.
  if (given.said.doubt && answer.kind !== 'deny')
    return askAbout(given.said.doubt, rules, besideIn(answer, given).beside);
  if (answer.kind === 'edit') return readEdit(given, open, { answer, rules });
  const verdicts = verdictsOf(answer, open, given.by);
  if (verdicts.length === 0) return lateAnswer(given, reading);
  return answered({
    kind: 'decide',
    verdicts,
    understood: { verdict: answer.kind, rules, items: answeredItems(answer) },
    ...besideIn(answer, given),
  });
}

/**
 * Of words that may be no answer to us, or that the versions of the mail do not share, nothing is begun: an owner who answers
 * somebody else's mail is not made to say them to the persona.
 */
function besideIn(
  answer: AnswerToItems,
  { said: { doubt } }: Pick<AnswerToRead, 'said'>,
): { readonly beside?: string } {
  if (answer.kind === 'none' || answer.kind === 'edit' || answer.beside === undefined) return {};
  return doubt === null || doubt.why === 'beside' ? { beside: answer.beside } : {};
}

/** What can be done of one mail is done whole or not at all. */
function readEdit(
  { items, by }: AnswerToRead,
  open: readonly Approval[],
  { answer, rules }: { readonly answer: Extract<AnswerToItems, { kind: 'edit' }>; readonly rules: readonly string[] },
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
function lateAnswer(given: AnswerToRead, { answer, rules }: ReadReply): ReadAnswer {
  const { items, by, now } = given;
  const code = items.some((item) => isExpired(item, now)) ? 'approval_expired' : 'approval_answer';
  // The same edit sent twice: about its result a notice is on its way.
  const ownEdit = answer.kind === 'edit' && items.every((item) => isEdited(item) && item.decided_by === by);
  if (ownEdit) return { code, action: { kind: 'nothing' } };
  const understood = { verdict: 'late', rules, items: answeredItems(answer) } as const;
  return { code, action: { kind: 'late', understood, ...besideIn(answer, given) } };
}

export const isClosedByStop = ({ state, reason }: Approval): boolean => state === 'stale' && reason === CLOSED_BY_STOP;

const isEdited = ({ state, reason }: Approval): boolean => state === 'stale' && reason === EDITED;

/** What an answer says, item by item. */
export function answeredItems(answer: AnswerToItems): AnsweredItem[] {
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

export function verdictsOf(
  answer: Exclude<Clear, { kind: 'edit' }>,
  open: readonly Approval[],
  by: string,
): ApprovalDecision[] {
  const { approve, deny } = sidesOf(answer);
  const reason = answer.kind === 'approve' ? null : answer.reason;
  return open.flatMap(({ id, number }): ApprovalDecision[] => {
    if (number !== null && approve.includes(number)) return [{ id, state: 'approved', by, reason: null }];
    if (number !== null && deny.includes(number)) return [{ id, state: 'rejected', by, reason }];
    return [];
  });
}
