import { z } from 'zod';
import { parseJson } from '../../lib/json.ts';
import type { AnsweredItem, ApprovalAnswer } from '../../storage/types/approvals.ts';

/** What an owner's answer was understood as, as `--json` gives it. */
export interface AnswerShape extends Pick<ApprovalAnswer, 'verdict' | 'unclear' | 'detail'> {
  /** The rules that its sentences fit, by name. */
  readonly rules: readonly string[];
  readonly items: readonly AnsweredItem[];
  /** Whether a mail about it went back to its sender. */
  readonly asked_back: boolean;
}

const rules = z.array(z.string());
const items = z.array(
  z.looseObject({ number: z.number(), verdict: z.enum(['approve', 'deny', 'edit', 'undo', 'answer']) }),
);

export const answerShape = (row: ApprovalAnswer): AnswerShape => ({
  verdict: row.verdict,
  rules: parseJson(rules, row.rules_json),
  items: parseJson(items, row.items_json),
  unclear: row.unclear,
  detail: row.detail,
  asked_back: row.asked_back === 1,
});
