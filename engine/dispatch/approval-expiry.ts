import { decideApprovals } from '../actions/approvals.ts';
import type { ActionPorts } from '../actions/ports.ts';
import type { Clock } from '../lib/clock.ts';
import { approvalExpiry } from '../record/jobs/job-kinds.ts';
import { handleJobs, type JobHandler } from '../record/jobs/jobs.ts';

/** The job at an approval's `expires_at`: what nobody decided in time is not done. */
export function createApprovalExpiry(deps: ActionPorts & { readonly clock: Clock }): JobHandler {
  return handleJobs(approvalExpiry, async (persona, job, store) => {
    const { approval_id: id } = job.payload;
    await decideApprovals(deps, {
      personaId: persona.id,
      store,
      now: deps.clock.now(),
      verdicts: [{ id, state: 'expired', by: 'timer', reason: null }],
    });
    await store.endJob(job.id);
  });
}
