import { undo as undoJob } from '../record/jobs/job-kinds.ts';
import type { Store } from '../storage/ports/store.ts';
import type { AuditRecord, UndoItem } from '../storage/types/approvals.ts';

import type { ActionPorts } from './ports.ts';

/** The one way in which a call is taken back, whoever asks: who it was is on record, and a job does it. */
export async function requestUndo(
  deps: ActionPorts,
  undo: { personaId: string; store: Store; items: readonly UndoItem[]; by: string; now: number },
): Promise<void> {
  const { personaId, store, items, by, now } = undo;
  const jobs = items.map(({ id, updated_at }) =>
    // One job for each time it is tried: an undo that failed may be asked for again.
    undoJob.job({ id: `undo:${id}:${updated_at}`, due_at: now, payload: { undo_id: id, by } }),
  );
  const audit = items.map(
    (item): AuditRecord => ({
      id: deps.ids.next(),
      at: now,
      actor: by,
      event: 'undo_requested',
      run_id: item.run_id,
      approval_id: null,
      tool: item.tool,
      decision: null,
      detail: { undo_id: item.id },
    }),
  );
  await deps.announce(personaId, now, () => store.askUndo(jobs, audit));
}
