import type { Answer, Unclear } from '../../mail/approval/approval-answer.ts';
import type { UnclearSenders } from '../../mail/approval/senders/senders-answer.ts';
import type {
  AnsweredItem,
  Approval,
  ApprovalAnswer,
  ApprovalDecision,
  UndoItem,
} from '../../storage/types/approvals.ts';
import type { SenderVerdict } from '../../storage/types/gateway.ts';

/** What was understood of an answer. */
export interface Understood {
  readonly verdict: ApprovalAnswer['verdict'];
  readonly rules?: readonly string[];
  readonly items?: readonly AnsweredItem[];
}

export type UnclearCode = Unclear | 'closed_item' | 'edit_refused' | 'undo_which' | 'undo_more' | 'no_words';

/** What an owner's answer to a notice makes the gateway do. */
export type AnswerAction =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'undo'; readonly items: readonly UndoItem[]; readonly understood: Understood }
  | { readonly kind: 'decide'; readonly verdicts: readonly ApprovalDecision[]; readonly understood: Understood }
  /** A plan of several calls becomes as many items, each with its own verdict. */
  | { readonly kind: 'split'; readonly plan: Approval; readonly chosen: Mixed; readonly understood: Understood }
  | { readonly kind: 'edit'; readonly edit: Edit; readonly understood: Understood }
  /** Who of those who were refused may write: a job does it, and tells its sender. */
  | { readonly kind: 'senders'; readonly said: SendersSaid; readonly understood: Understood }
  /** Whether tools of a server may be used as they were shown: a job does it, and tells its sender. */
  | { readonly kind: 'tools'; readonly said: ToolsSaid; readonly understood: Understood }
  /** Its sender is asked back. */
  | {
      readonly kind: 'unclear';
      readonly why: UnclearCode;
      readonly detail: string | null;
      readonly rules: readonly string[];
    }
  /** All that it could be about was decided before, or its time is over: its sender is told. */
  | { readonly kind: 'late'; readonly understood: Understood };

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

export interface Edit {
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
export interface Said {
  /** What was typed: no quotation, no signature, no line of our own mail. */
  readonly typed: string;
  /** That the question was asked in, as far as its words tell. */
  readonly language: string | null;
  /** The name in front of their address, where there is one. */
  readonly sender?: string;
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
  readonly said: Said;
  readonly by: string;
  readonly now: number;
}

export type Mixed = Extract<Answer, { kind: 'mixed' }>;

export const answered = (action: AnswerAction): ReadAnswer => ({ code: 'approval_answer', action });

export const askBack = (
  why: UnclearCode,
  more: { detail?: string | undefined; rules?: readonly string[] } = {},
): ReadAnswer => answered({ kind: 'unclear', why, detail: more.detail ?? null, rules: more.rules ?? [] });

export const askAbout = ({ why, detail }: Doubt, rules: readonly string[] = []): ReadAnswer =>
  askBack(why, { detail: detail ?? undefined, rules });

export const isExpired = ({ state, expires_at }: Approval, now: number): boolean =>
  state === 'expired' || (state === 'pending' && expires_at <= now);
