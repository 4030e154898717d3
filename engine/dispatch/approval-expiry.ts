import { decideApprovals } from '../actions/approvals.ts';
import type { ActionPorts } from '../actions/ports.ts';
import type { Clock } from '../lib/clock.ts';
import { approvalExpiry } from '../record/jobs/job-kinds.ts';
import { handleJobs, type JobHandler } from '../record/jobs/jobs.ts';

/** The job at an approval's `expires_at`: what nobody decided in time is not done. */
export function createApprovalExpiry(deps: ActionPorts & { readonly clock: Clock }): JobHandler {
  return handleJobs(approvalExpiry, async (persona, job, store) => {
    const { approval_id: id } = job.payload;
    const now = deps.clock.now();
    const asked = await store.getApproval(id);
    // Whoever asked is told at once of all whose time is over at once.
    const beside = asked?.state === 'pending' ? await store.approvalsOfRun(asked.run_id) : [];
    const over = beside.filter((one) => one.id !== id && one.state === 'pending' && one.expires_at <= now);
    await decideApprovals(deps, {
      personaId: persona.id,
      store,
      now,
      verdicts: [id, ...over.map((one) => one.id)].map((one) => ({
        id: one,
        state: 'expired',
        by: 'timer',
        reason: null,
      })),
    });
    await store.endJob(job.id);
  });
}
