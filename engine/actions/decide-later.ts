import type { Persona } from '../config/types.ts';
import type { Clock } from '../lib/clock.ts';
import { derivedId } from '../lib/ids.ts';
import { consoleDecision, consoleDecisionJob, consoleDecisionJobId } from '../record/jobs/job-kinds.ts';
import { handleJobs, type JobHandler } from '../record/jobs/jobs.ts';
import type { Store } from '../storage/ports/store.ts';
import type { Approval, ApprovalDecision, AuditRecord, Decided } from '../storage/types/approvals.ts';
import { decideApprovals } from './approvals.ts';
import { rowOf } from './on-record.ts';
import type { ActionPorts } from './ports.ts';
import { ruleOfYes } from './taught.ts';

/** How long a decision that was made by one press of a key can be taken back: a mail takes its writer longer. */
export const TAKE_BACK_MS = 10_000;
/** Within so long it is carried out, also where the gateway comes to it a moment late. */
export const CARRIED_OUT_MS = TAKE_BACK_MS + 5000;

/** What is about to be decided. */
export interface ComingDecision {
  readonly state: 'approved' | 'rejected';
  readonly by: string;
  readonly reason: string | null;
  /** Such calls go without a question from now on. */
  readonly fromNowOn: boolean;
  readonly dueAt: number;
}

type Verdict = Pick<ApprovalDecision, 'by' | 'reason'> & {
  readonly state: ComingDecision['state'];
  readonly fromNowOn?: boolean;
};

interface OpenDecision {
  readonly persona: Persona;
  readonly store: Store;
  readonly asked: Approval;
  readonly verdict: Verdict;
  readonly now: number;
}

/**
 * Decides a question in ten seconds, whatever becomes of whoever pressed the button: the decision is a row, and is carried out as any
 * other is. The first holds; nothing is changed where one waits already. Where the question's time is over before that, it is decided
 * at once. `later`, or what came of it.
 */
export async function decideLater(deps: ActionPorts, decision: OpenDecision): Promise<'later' | Decided['outcome']> {
  const { persona, store, asked, verdict, now } = decision;
  if (asked.expires_at <= now + CARRIED_OUT_MS) return decideNow(deps, decision);
  const dueAt = now + TAKE_BACK_MS;
  const { fromNowOn = false, ...said } = verdict;
  const more = fromNowOn ? ({ from_now_on: true } as const) : {};
  const payload = { approval_id: asked.id, arguments_hash: asked.arguments_hash, ...said, ...more };
  await deps.announce(persona.id, dueAt, () => store.addJobs([consoleDecisionJob(payload, dueAt)]));
  return 'later';
}

async function decideNow(
  deps: ActionPorts,
  { persona, store, asked, verdict, now }: OpenDecision,
): Promise<Decided['outcome']> {
  const { fromNowOn = false, ...said } = verdict;
  const about = { persona, store, asked, by: said.by, messageId: null, now };
  const taught = said.state === 'approved' && fromNowOn ? await ruleOfYes(deps, about) : null;
  const verdicts = [{ id: asked.id, ...said, ...(taught === null ? {} : { taught }) }];
  const [decided] = await decideApprovals(deps, { personaId: persona.id, store, now, verdicts });
  return decided?.outcome ?? 'not_found';
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
      const { approval_id: id, state, by, reason, from_now_on: more } = consoleDecision.read(payload);
      return [id, { state, by, reason, fromNowOn: more === true, dueAt }];
    }),
  );
}

/** Carries out what was decided in a browser, once its time to be taken back is over. */
export function createConsoleDecider(deps: ActionPorts & { readonly clock: Clock }): JobHandler {
  return handleJobs(consoleDecision, async (persona, job, store) => {
    const { approval_id: id, arguments_hash: hash, state, by, reason, from_now_on: fromNowOn = false } = job.payload;
    const asked = await store.getApproval(id);
    const now = deps.clock.now();
    const verdict = { state, by, reason, fromNowOn };
    // Somebody else may have decided meanwhile, or whoever pressed the button may own it no more.
    const isOpen = asked?.state === 'pending' && asked.arguments_hash === hash && isOwner(persona, by);
    const outcome = isOpen ? await decideNow(deps, { persona, store, asked, verdict, now }) : null;
    const became = outcome === 'decided' ? undefined : await store.getApproval(id);
    if (became && !isTheirs(became, verdict)) await store.auditOnce(rowInVain(became, verdict, now));
    await store.endJob(job.id);
  });
}

/** Whether it was this very decision: a process may have died before its job was over. */
const isTheirs = ({ state, decided_by }: Approval, wanted: Pick<Verdict, 'state' | 'by'>): boolean =>
  decided_by === wanted.by && (wanted.state === 'rejected') === (state === 'rejected');

/** Of the row that says that a decision came too late: the same for whoever writes it and for whoever looks for it. */
const idInVain = ({ id, decided_at, updated_at }: Approval): string =>
  derivedId(decided_at ?? updated_at, `decided in vain ${id}`);

const rowInVain = (asked: Approval, { state, by, reason }: Verdict, now: number): AuditRecord => ({
  id: idInVain(asked),
  at: now,
  actor: by,
  event: 'decision_in_vain',
  run_id: asked.run_id,
  approval_id: asked.id,
  tool: asked.tool,
  decision: state,
  detail: { reason, became: asked.state },
});

/** What somebody has decided in a browser of a question that was decided before that; null: nobody has. */
export async function decisionInVain(
  store: Pick<Store, 'listAudit'>,
  asked: Approval,
): Promise<Pick<ComingDecision, 'state' | 'by'> | null> {
  if (asked.state === 'pending') return null;
  const id = idInVain(asked);
  // The first of a page that begins right behind it.
  const [row] = await store.listAudit({ limit: 1, after: `${id}~` });
  return row?.id === id ? { by: row.actor, state: row.decision === 'approved' ? 'approved' : 'rejected' } : null;
}

const isOwner = ({ owners }: Persona, address: string): boolean =>
  owners.some((owner) => owner.toLowerCase() === address);
