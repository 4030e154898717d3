import type { Persona, SecurityConfig } from '../../config/types.ts';
import type { Ids } from '../../lib/ids.ts';
import { freezeCall } from '../../policy/approval/approval.ts';
import type { Executable } from '../../policy/call.ts';
import { waitsFor } from '../../record/fold.ts';
import { approvalExpiryJob, approvalNoticeJob, question, waitNotice } from '../../record/jobs/job-kinds.ts';
import type { Recorder } from '../../record/recorder.ts';
import type { LoopState } from '../../record/state.ts';
import { beginningOf } from '../../record/trigger.ts';
import type { Blobs } from '../../storage/blobs.ts';
import type { LoadedRun } from '../../storage/ports/runs.ts';
import type { Approval } from '../../storage/types/approvals.ts';
import type { NewJob } from '../../storage/types/jobs.ts';
import type { StoredRun } from '../../storage/types/runs.ts';
import { awaitsOthers } from '../../suspensions/asker.ts';
import { askedKind } from '../../suspensions/kinds.ts';
import { membersOf } from '../../suspensions/members.ts';

/** Of a plan that calls of the turn were put together to: which. */
function callsIn(row: Approval): { calls?: readonly string[] } {
  const members = membersOf(row);
  return members.length === 0 ? {} : { calls: members.map(({ callId }) => callId) };
}

interface Holding {
  readonly recorder: Recorder;
  readonly loaded: Pick<LoadedRun, 'run' | 'trigger'>;
  readonly artifacts: Pick<Blobs, 'put'>;
  readonly ids: Ids;
  readonly now: number;
  /** The run itself, or of a child the one at the top of its tree: that is the one whose question it is. */
  readonly top: Pick<StoredRun, 'id'>;
  readonly approvals: SecurityConfig['approvals'];
  readonly calls: readonly Executable[];
}

/** Freezes the calls that owners are asked about: their rows, and what asks about them. What a run asks is one notice, at once. */
export function freezeCalls({ recorder, loaded, artifacts, ids, now, top, approvals, calls }: Holding): {
  readonly rows: readonly Approval[];
  readonly jobs: readonly NewJob[];
} {
  const { run } = loaded;
  const ttlMs = approvals.ttl_hours * 3_600_000;
  const context = { runId: run.id, threadId: run.thread_id, artifacts, ids, now, ttlMs, kind: beginningOf(loaded) };
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
  const questions = rows.filter((row) => askedKind(row).mail !== null);
  const jobs: NewJob[] = rows.length === questions.length ? [] : [approvalNoticeJob(top.id, now)];
  for (const { id } of questions) {
    jobs.push(question.job({ id: `question:${id}`, due_at: now, payload: { approval_id: id } }));
  }
  jobs.push(...rows.map(approvalExpiryJob));
  return { rows, jobs };
}

/**
 * Puts the held calls before owners, and gives the run's lease and thread slot back. `isTold`: whoever wrote is mailed now what
 * the model has so far, and needs no note beside it.
 */
export async function holdForApproval(
  options: Holding & {
    readonly loaded: LoadedRun;
    readonly persona: Pick<Persona, 'owners'>;
    readonly top: StoredRun;
    readonly isTold: boolean;
  },
): Promise<void> {
  const { recorder, persona, now, top } = options;
  const { rows, jobs } = freezeCalls(options);
  const wanted = new Set(rows.map((row) => askedKind(row).answeredBy));
  const onlyWords = wanted.has('words') && !wanted.has('yes_or_no');
  const waits: NewJob[] = [];
  // What was decided is carried out: whoever asked had an answer, which said whom it waits for.
  const isHeard = options.isTold || options.loaded.decided !== undefined;
  if (awaitsOthers(top, persona.owners) && wanted.size > 0 && !isHeard) {
    const payload = { run_id: top.id, ...(onlyWords ? { words: true as const } : {}) };
    waits.push(waitNotice.job({ id: `wait_notice:${top.id}`, due_at: now, payload }));
  }
  await recorder.hold(rows, [...jobs, ...waits], outsideOnly(recorder.state) ?? (onlyWords ? 'answer' : 'approval'));
}

/** The kind of what the run waits for where nobody is asked about any of it; else null. */
function outsideOnly({ pending }: LoopState): string | null {
  const kinds = waitsFor(pending).map((id) => pending?.suspended.get(id)?.kind ?? null);
  return kinds.includes(null) ? null : (kinds[0] ?? null);
}
