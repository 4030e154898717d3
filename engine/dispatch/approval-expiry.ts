import { decideApprovals } from '../actions/approvals.ts';
import type { ActionPorts } from '../actions/ports.ts';
import type { Persona } from '../config/types.ts';
import type { Clock } from '../lib/clock.ts';
import type { Store } from '../storage/ports/store.ts';
import type { StoredJob } from '../storage/types/jobs.ts';

/** The job at an approval's `expires_at`: what nobody decided in time is not done. */
export function createApprovalExpiry(deps: ActionPorts & { readonly clock: Clock }) {
  return async (persona: Persona, job: StoredJob, store: Store): Promise<void> => {
    const { approval_id: id } = JSON.parse(job.payload_json) as { approval_id: string };
    await decideApprovals(deps, {
      ...{ personaId: persona.id, store, now: deps.clock.now() },
      verdicts: [{ id, state: 'expired', by: 'timer', reason: null }],
    });
    await store.endJob(job.id);
  };
}
