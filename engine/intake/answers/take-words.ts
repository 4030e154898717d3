import { decideApprovals } from '../../actions/approvals.ts';
import type { ActionPorts } from '../../actions/ports.ts';
import type { Persona } from '../../config/types.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { Approval } from '../../storage/types/approvals.ts';

import type { AnswerRecord } from './answer-record.ts';

const MAX_ANSWER_CHARS = 50_000;

/**
 * Takes what an owner wrote below a question as its answer, whatever the words are: a `no` is an answer here, not a
 * denial. Null when the question is settled and this is mail like any other.
 */
export async function takeWords(
  deps: ActionPorts,
  answer: { persona: Persona; store: Store; item: Approval; newText: string; by: string; now: number },
  record: AnswerRecord,
): Promise<'approval_answer' | 'approval_expired' | null> {
  const { persona, store, item, by, now } = answer;
  const words = answer.newText.trim().slice(0, MAX_ANSWER_CHARS);
  if (item.state === 'expired' || (item.state === 'pending' && item.expires_at <= now)) {
    await record.late();
    return 'approval_expired';
  }
  if (item.state !== 'pending') {
    // The same mail delivered twice is no new one.
    return item.decided_by === by && item.reason === words ? 'approval_answer' : null;
  }
  if (words === '') await record.unclear('no_words');
  else {
    await decideApprovals(deps, {
      ...{ personaId: persona.id, store, now },
      verdicts: [{ id: item.id, state: 'approved', by, reason: words }],
    });
    await record.understood({ verdict: 'words', items: [{ number: item.number ?? 1, verdict: 'answer' }] });
  }
  return 'approval_answer';
}
