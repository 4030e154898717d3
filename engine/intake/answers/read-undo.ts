import { readUndo } from '../../mail/approval/undo-answer.ts';
import {
  type AnswerToRead,
  answered,
  askAbout,
  askBack,
  type ReadAnswer,
} from '../../suspensions/answers/read-answer.ts';
import type { NoticeFacts } from '../facts.ts';

/** An owner's `undo` below a notice of what was done; null when the mail says something else. Pure. */
export function readUndoAnswer(
  { undo }: Pick<NoticeFacts, 'undo'>,
  { said: { typed, doubt }, now }: AnswerToRead,
): ReadAnswer | null {
  const chosen = readUndo(typed, undo.map(numberOf));
  if (undo.length === 0 || chosen === null) return null;
  if (chosen === 'more') return askBack('undo_more');
  if (doubt) return askAbout(doubt, ['undo']);
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

const numberOf = ({ number }: { readonly number: number | null }): number => number ?? 0;
