import type { AnsweredItem, ApprovalAnswer } from '../../storage/types/approvals.ts';

/** What an owner's answer was understood as, as `--json` gives it. */
export interface AnswerShape extends Pick<ApprovalAnswer, 'verdict' | 'unclear' | 'detail'> {
  /** The rules that its sentences fit, by name. */
  readonly rules: readonly string[];
  readonly items: readonly AnsweredItem[];
  /** Whether a mail about it went back to its sender. */
  readonly asked_back: boolean;
}

export const answerShape = (row: ApprovalAnswer): AnswerShape => ({
  verdict: row.verdict,
  rules: row.rules,
  items: row.items,
  unclear: row.unclear,
  detail: row.detail,
  asked_back: row.asked_back,
});
