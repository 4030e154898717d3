import type { ApprovalNotice, AuditRecord, RemovedFile, UndoItem } from '../types/approvals.ts';
import type { NewJob } from '../types/jobs.ts';
import type { OutgoingMail } from '../types/outbox.ts';
import type { NumberedItem } from './approvals.ts';

/** A version of a playbook that holds whatever is newer. */
export interface PinnedVersion {
  readonly kind: string;
  readonly version: string;
}

/** What became of taking a call back. */
export interface SettledUndo {
  readonly id: string;
  readonly state: UndoItem['state'];
  readonly by: string;
  readonly now: number;
  /** A version to pin with it, where it was open; null: it is no change of a playbook. */
  readonly pin: PinnedVersion | null;
}

export type UndoneKind = 'calls' | 'learned';

/** Calls that can be taken back, and the files that are kept for it. */
export interface UndoStore {
  /** What no notice tells of yet: calls, or changes of playbooks. */
  unnoticedUndo(of: UndoneKind): Promise<UndoItem[]>;
  /** Whether runs that carry out what was decided since then (Unix ms) are not over. */
  areMoreDecided(since: number): Promise<boolean>;
  /** When owners were last told of changes of playbooks; null: never. */
  learnedToldAt(): Promise<number | null>;
  getUndo(id: string): Promise<UndoItem | undefined>;
  undoOfNotice(noticeId: string): Promise<UndoItem[]>;
  /** All that a run left behind, oldest first. */
  undosOfRun(runId: string): Promise<UndoItem[]>;
  /** The newest that an approved call left behind. */
  undoOfCall(call: { readonly runId: string; readonly callId: string }): Promise<UndoItem | undefined>;
  /** The notice that tells of these, its mail and the end of its job; what came since keeps a job of its own. */
  sendUndoNotice(
    notice: ApprovalNotice,
    numbered: readonly NumberedItem[],
    mail: OutgoingMail,
    /** The job, as it is asked for again where more came. */
    again: { readonly of: UndoneKind; readonly job: NewJob },
  ): Promise<void>;
  /** One transaction: who asked is on record, and the work is a job. */
  askUndo(jobs: readonly NewJob[], audit: readonly AuditRecord[]): Promise<void>;
  /** What became of it; a state that is not open any more stays. */
  settleUndo(
    settled: SettledUndo,
    audit: readonly AuditRecord[],
    jobId: string,
    jobs: readonly NewJob[],
  ): Promise<void>;
  recordRemovedFile(file: RemovedFile, job: NewJob): Promise<void>;
  removedFile(runId: string, path: string): Promise<RemovedFile | undefined>;
  removedBytes(): Promise<number>;
  /** Ends what nobody took back in time; the hashes that nothing stands for any more, and when to look again. */
  endUndo(now: number): Promise<{ readonly hashes: readonly string[]; readonly nextAt: number | null }>;
}
