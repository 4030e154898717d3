import type { Persona, SecurityConfig } from '../../config/types.ts';
import type { Ids } from '../../lib/ids.ts';
import { matchesPattern } from '../../mail/address.ts';
import type { ApprovalRow } from '../../storage/approval-tables.ts';
import type { Blobs } from '../../storage/blobs.ts';
import type { LoadedRun, NewJob, Store } from '../../storage/store.ts';
import { freezeCall } from '../policy/approval.ts';
import { membersOf } from '../policy/batch.ts';
import type { Recorder } from '../storage.ts';
import type { Executable } from '../tools/prepare.ts';

export const APPROVAL_NOTICE_JOB = 'approval_notice';

/** Of a plan that calls of the turn were put together to: which. */
function callsIn(row: ApprovalRow): { calls?: readonly string[] } {
  const members = membersOf(row);
  return members.length === 0 ? {} : { calls: members.map(({ callId }) => callId) };
}

/**
 * Freezes the held calls and gives the run's lease and thread slot back. The first notice leaves at once; what
 * else needs approval within the batch window is collected into the next.
 */
export async function holdForApproval(options: {
  recorder: Recorder;
  loaded: LoadedRun;
  persona: Pick<Persona, 'owners'>;
  store: Pick<Store, 'lastApprovalNoticeAt'>;
  artifacts: Pick<Blobs, 'put'>;
  ids: Ids;
  now: number;
  approvals: SecurityConfig['approvals'];
  calls: readonly Executable[];
}): Promise<void> {
  const { recorder, loaded, persona, store, artifacts, ids, now, approvals, calls } = options;
  const { run } = loaded;
  const ttlMs = approvals.ttl_hours * 3_600_000;
  const context = { runId: run.id, threadId: run.thread_id, artifacts, ids, now, ttlMs };
  const rows = calls.map((call) => freezeCall(call, context));
  if (rows.length > 0) {
    recorder.event('approval_requested', {
      items: rows.map((row) => ({
        approval_id: row.id,
        call_id: row.call_id,
        tool: row.tool,
        risk: row.risk,
        arguments_hash: row.arguments_hash,
        expires_at: row.expires_at,
        ...callsIn(row),
      })),
    });
  }
  for (const row of rows) {
    recorder.audit({
      actor: 'policy',
      event: 'approval_requested',
      tool: row.tool,
      decision: 'policy_requires_approval',
      approvalId: row.id,
      detail: { arguments_hash: row.arguments_hash, risk: row.risk },
    });
  }
  const last = await store.lastApprovalNoticeAt();
  const noticeAt = last === null ? now : Math.max(now, last + approvals.batch_window_s * 1000);
  const questions = rows.filter(({ kind }) => kind !== 'call');
  const jobs: NewJob[] =
    rows.length === questions.length
      ? []
      : [{ id: APPROVAL_NOTICE_JOB, kind: 'approval_notice', due_at: noticeAt, payload: {} }];
  for (const { id } of questions) {
    jobs.push({ id: `question:${id}`, kind: 'question', due_at: now, payload: { approval_id: id } });
  }
  for (const row of rows) {
    jobs.push({
      id: `approval_expiry:${row.id}`,
      kind: 'approval_expiry',
      due_at: row.expires_at,
      payload: { approval_id: row.id },
    });
  }
  const isApprover = persona.owners.some((owner) => matchesPattern(run.sender ?? '', owner));
  if (!isApprover && rows.length > 0) {
    jobs.push({ id: `wait_notice:${run.id}`, kind: 'wait_notice', due_at: now, payload: { run_id: run.id } });
  }
  const onlyQuestions = rows.length > 0 && rows.every(({ kind }) => kind === 'answer');
  await recorder.hold(rows, jobs, onlyQuestions ? 'answer' : 'approval');
}
