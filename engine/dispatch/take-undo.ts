import type { Persona } from '../config/types.ts';
import { readUndo } from '../mail/approval/undo-answer.ts';
import { undo } from '../record/job-kinds.ts';
import type { AuditRow, UndoRow } from '../storage/approval-tables.ts';
import type { Store } from '../storage/store.ts';
import type { AnswerRecord } from './answer-record.ts';
import type { ApprovalDeps } from './approvals.ts';

/** Takes an owner's `undo` below a notice of what was done; null when the mail says something else. */
export async function takeUndo(
  deps: ApprovalDeps,
  answer: { persona: Persona; store: Store; items: readonly UndoRow[]; newText: string; by: string; now: number },
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
    await askUndo(deps, persona.id, store, open, by, now);
    await record.understood({ verdict: 'undo', rules: ['undo'], items: named });
  } else {
    await record.late({ verdict: 'late', rules: ['undo'], items: named });
    if (wanted.some(({ state }) => state !== 'undone')) return 'approval_expired';
  }
  return 'approval_answer';
}

/** The one way in which a call is taken back, whoever asks: who it was is on record, and a job does it. */
export async function askUndo(
  deps: ApprovalDeps,
  personaId: string,
  store: Store,
  items: readonly UndoRow[],
  by: string,
  now: number,
): Promise<void> {
  await deps.gateway.bumpWakeup(personaId, now);
  const jobs = items.map(({ id, updated_at }) =>
    // One job for each time it is tried: an undo that failed may be asked for again.
    undo.job({ id: `undo:${id}:${updated_at}`, due_at: now, payload: { undo_id: id, by } }),
  );
  const audit = items.map(
    (item): AuditRow => ({
      id: deps.ids.next(),
      at: now,
      actor: by,
      event: 'undo_requested',
      run_id: item.run_id,
      approval_id: null,
      tool: item.tool,
      decision: null,
      detail_json: JSON.stringify({ undo_id: item.id }),
    }),
  );
  await store.askUndo(jobs, audit);
  deps.wake(personaId);
}
