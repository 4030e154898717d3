import { type AnswerToItems, readReply } from '../../mail/approval/approval-answer.ts';
import type { AnswerToRead, ReadAnswer, ToolsSaid, Understood } from '../../suspensions/answers/read-answer.ts';
import { answeredItems } from '../../suspensions/answers/read-answer.ts';
import type { NoticeFacts } from '../facts.ts';

/**
 * What an owner says below a mail about tools of a server, which is one question: yes or no to all that it shows. Null
 * when it asks about none, or when that is decided and this is about something else. Pure.
 */
export function readToolsAnswer(
  { tools }: Pick<NoticeFacts, 'tools'>,
  { said, now }: Pick<AnswerToRead, 'said' | 'now'>,
): ReadAnswer | null {
  if (tools === null) return null;
  const { answer, rules, asks } = readReply(said.typed, [1], undefined, said.language, said.sender, said.persona);
  const isOpen = tools.verdict === null && tools.until > now;
  if (!isOpen) return answer.kind === 'none' ? null : late(tools.verdict === null, answer, rules);
  if (answer.kind === 'none') return unclear(asks ? 'question' : 'nothing', null, rules);
  if (answer.kind === 'ambiguous') return unclear(answer.why, answer.detail ?? null, rules);
  // A change of what a server shows is the server's to make.
  if (answer.kind !== 'approve' && answer.kind !== 'deny') return unclear('more_words', null, rules);
  // A no takes nothing away that was there; a yes has to be all that was said.
  if (said.doubt && answer.kind === 'approve') return unclear(said.doubt.why, said.doubt.detail, rules);
  const understood: Understood = { verdict: answer.kind, rules, items: answeredItems(answer) };
  return saying({ kind: 'decide', allow: answer.kind === 'approve' }, understood);
}

const saying = (said: ToolsSaid, understood: Understood): ReadAnswer => ({
  code: 'approval_answer',
  action: { kind: 'tools', said, understood },
});

const unclear = (
  why: Extract<ToolsSaid, { kind: 'unclear' }>['why'],
  detail: string | null,
  rules: readonly string[],
): ReadAnswer => saying({ kind: 'unclear', why, detail }, { verdict: 'unclear', rules });

const late = (isExpired: boolean, answer: AnswerToItems, rules: readonly string[]): ReadAnswer => ({
  code: isExpired ? 'approval_expired' : 'approval_answer',
  action: {
    kind: 'tools',
    said: { kind: 'late' },
    understood: { verdict: 'late', rules, items: answeredItems(answer) },
  },
});
