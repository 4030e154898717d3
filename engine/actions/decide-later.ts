import type { Persona } from '../config/types.ts';
import type { Clock } from '../lib/clock.ts';
import { consoleDecision, consoleDecisionJob, consoleDecisionJobId } from '../record/jobs/job-kinds.ts';
import { handleJobs, type JobHandler } from '../record/jobs/jobs.ts';
import type { Store } from '../storage/ports/store.ts';
import type { Approval, ApprovalDecision } from '../storage/types/approvals.ts';
import { decideApprovals } from './approvals.ts';
import { rowOf } from './on-record.ts';
import type { ActionPorts } from './ports.ts';

/** How long a decision that was made by one press of a key can be taken back: a mail takes its writer longer. */
export const TAKE_BACK_MS = 10_000;

/** What is about to be decided. */
export interface ComingDecision {
  readonly state: 'approved' | 'rejected';
  readonly by: string;
  readonly reason: string | null;
  readonly dueAt: number;
}

type Verdict = Pick<ApprovalDecision, 'by' | 'reason'> & { readonly state: ComingDecision['state'] };

/**
 * Decides a question in ten seconds, whatever becomes of whoever pressed the button: the decision is a row, and is carried out as any
 * other is. The first holds; nothing is changed where one waits already.
 */
export async function decideLater(
  { announce }: Pick<ActionPorts, 'announce'>,
  decision: {
    readonly personaId: string;
    readonly store: Store;
    readonly asked: Pick<Approval, 'id' | 'arguments_hash'>;
    readonly verdict: Verdict;
    readonly now: number;
  },
): Promise<void> {
  const { personaId, store, asked, verdict, now } = decision;
  const dueAt = now + TAKE_BACK_MS;
  const payload = { approval_id: asked.id, arguments_hash: asked.arguments_hash, ...verdict };
  await announce(personaId, dueAt, () => store.addJobs([consoleDecisionJob(payload, dueAt)]));
}

/** Takes back what is about to be decided, with who took back whose on record. False where its time has come. */
export function takeBackDecision(
  { ids }: Pick<ActionPorts, 'ids'>,
  taken: {
    readonly store: Store;
    readonly asked: Pick<Approval, 'id' | 'run_id' | 'tool'>;
    readonly coming: Pick<ComingDecision, 'state' | 'by'>;
    /** An address. */
    readonly by: string;
    readonly now: number;
  },
): Promise<boolean> {
  const { store, asked, coming, by, now } = taken;
  const done = { id: ids.next(), at: now, actor: by, event: 'decision_taken_back', run_id: asked.run_id };
  const detail = { decision: coming.state, decided_by: coming.by };
  const row = { ...rowOf({ ...done, detail }), approval_id: asked.id, tool: asked.tool };
  return store.withdrawJob(consoleDecisionJobId(asked.id), now, row);
}

/** Of these questions those that are about to be decided. */
export async function comingDecisions(
  store: Store,
  approvalIds: readonly string[],
): Promise<ReadonlyMap<string, ComingDecision>> {
  const rows = await store.jobsNamed(approvalIds.map(consoleDecisionJobId));
  return new Map(
    rows.map(({ payload, due_at: dueAt }) => {
      const { approval_id: id, state, by, reason } = consoleDecision.read(payload);
      return [id, { state, by, reason, dueAt }];
    }),
  );
}

/** Carries out what was decided in a browser, once its time to be taken back is over. */
export function createConsoleDecider(deps: ActionPorts & { readonly clock: Clock }): JobHandler {
  return handleJobs(consoleDecision, async (persona, job, store) => {
    const { approval_id: id, arguments_hash: hash, state, by, reason } = job.payload;
    const asked = await store.getApproval(id);
    // Somebody else may have decided meanwhile, or whoever pressed the button may own it no more.
    if (asked?.state === 'pending' && asked.arguments_hash === hash && isOwner(persona, by)) {
      const now = deps.clock.now();
      await decideApprovals(deps, { personaId: persona.id, store, now, verdicts: [{ id, state, by, reason }] });
    }
    await store.endJob(job.id);
  });
}

const isOwner = ({ owners }: Persona, address: string): boolean =>
  owners.some((owner) => owner.toLowerCase() === address);
