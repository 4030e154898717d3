import type { Generated } from 'kysely';
import type { ApprovalKind, ApprovalState } from '../../types/approvals.ts';

// The tables of persona.db about what owners are asked, what they decide and what can be taken back.

export interface ApprovalTable {
  id: string;
  run_id: string;
  thread_id: string;
  call_id: string;
  kind: Generated<ApprovalKind>;
  tool: string;
  /** The exact arguments, frozen: canonical JSON. */
  arguments_json: string;
  arguments_hash: string;
  /** Of the tool as it was when it was asked for; another tool under the name makes the approval stale. */
  fingerprint: string;
  risk: string;
  /** What it would change, as the owner is shown it, and what that was computed from. */
  preview: string | null;
  basis: string | null;
  /** Files to look at beside it, by the hash under which they are kept: `AttachedFile[]`. */
  attached_json: string | null;
  /** Of its values that no trusted text has: what each is, where in the arguments, and where it was read. */
  origins_json: Generated<string | null>;
  state: ApprovalState;
  /** Its number in the notice. */
  number: number | null;
  notice_id: string | null;
  expires_at: number;
  decided_by: string | null;
  decided_at: number | null;
  /** Of a no, or of what became of it; to a question, the answer. */
  reason: string | null;
  created_at: number;
  updated_at: number;
}

/** A call that succeeded and that its tool can take back. */
export interface UndoTable {
  id: string;
  run_id: string;
  thread_id: string;
  call_id: string;
  tool: string;
  arguments_json: string;
  result_json: string;
  state: 'open' | 'undone' | 'expired';
  /** Its number in the notice that tells of it. */
  number: number | null;
  notice_id: string | null;
  until: number;
  decided_by: string | null;
  created_at: number;
  updated_at: number;
}

/** Files that tools took away; their bytes are kept under their hash until `until`. */
export interface RemovedFileTable {
  run_id: string;
  path: string;
  sha256: string;
  bytes: number;
  until: number;
}

export interface ApprovalNoticeTable {
  id: string;
  /** The token itself is only in the mail that carries it. */
  token_sha256: string;
  message_id: string;
  created_at: number;
  reminded_at: number | null;
}

/** What an owner's answer to a notice was understood as: `epistle why` tells it. */
export interface ApprovalAnswerTable {
  /** Of notice, mail, sender and words: the same mail delivered twice is one answer. */
  id: string;
  notice_id: string;
  message_id: string;
  at: number;
  by: string;
  verdict: 'approve' | 'deny' | 'mixed' | 'edit' | 'words' | 'undo' | 'unclear' | 'late';
  /** The rules that its sentences fit, by name: a list. */
  rules_json: string;
  /** `AnsweredItem[]`. */
  items_json: string;
  /** Of `unclear`: why, as a code, and a word of the answer or what refused it. */
  unclear: string | null;
  detail: string | null;
  /** Whether a mail about it went back to its sender. */
  asked_back: number;
}

export interface AuditTable {
  id: string;
  at: number;
  actor: string;
  event: string;
  run_id: string | null;
  approval_id: string | null;
  tool: string | null;
  decision: string | null;
  detail_json: string;
}
