import type { ActionPorts } from '../../actions/ports.ts';
import { requestUndo } from '../../actions/undo.ts';
import type { Persona } from '../../config/types.ts';
import { readUndo } from '../../mail/approval/undo-answer.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { UndoItem } from '../../storage/types/approvals.ts';

import type { AnswerRecord } from './answer-record.ts';

/** Takes an owner's `undo` below a notice of what was done; null when the mail says something else. */
export async function takeUndo(
  deps: ActionPorts,
  answer: { persona: Persona; store: Store; items: readonly UndoItem[]; newText: string; by: string; now: number },
  record: AnswerRecord,
): Promise<'approval_answer' | 'approval_expired' | null> {
  const { persona, store, items, by, now } = answer;
  const numbers = items.map(({ number }) => number ?? 0);
  const chosen = readUndo(answer.newText, numbers);
  if (chosen === null) return null;
  const wanted = items.filter(({ number }) => chosen.includes(number ?? 0));
  const open = wanted.filter(({ state, until }) => state === 'open' && until > now);
  const named = wanted.map(({ number }) => ({ number: number ?? 0, verdict: 'undo' }) as const);
  if (wanted.length === 0) await record.unclear('undo_which');
  else if (open.length > 0) {
    await requestUndo(deps, { personaId: persona.id, store, items: open, by, now });
    await record.understood({ verdict: 'undo', rules: ['undo'], items: named });
  } else {
    await record.late({ verdict: 'late', rules: ['undo'], items: named });
    if (wanted.some(({ state }) => state !== 'undone')) return 'approval_expired';
  }
  return 'approval_answer';
}
