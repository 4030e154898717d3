// Long because it is one interface for each table of persona.db.

import type { Generated, Kysely, Transaction } from 'kysely';
import type { Tier } from '../../types/mail.ts';
import type { MailKind, OutboxState } from '../../types/outbox.ts';
import type { DeferredCode, RunEventType, RunStatus } from '../../types/runs.ts';
import type {
  ApprovalAnswerTable,
  ApprovalNoticeTable,
  ApprovalTable,
  AuditTable,
  RemovedFileTable,
  UndoTable,
} from './approval-tables.ts';
import type { GatheredNoticeTable, KeptMailTable } from './kept-tables.ts';
import type { TaskTable, TaskTimeTable } from './task-tables.ts';
import type { ToolUseTable } from './tool-use-table.ts';

// One interface per table of persona.db; the SQL beside it (sqlite/*-migrations.ts) is the truth.

export interface ThreadTable {
  id: string;
  kind: 'thread' | 'task';
  subject: string;
  message_count: Generated<number>;
  /** The first message of the history that models still see. */
  history_from: Generated<number>;
  /** Of the newest run's byte-stable prompt prefix; tells why a prompt cache missed. */
  prefix_sha256: string | null;
  fast_replies: Generated<number>;
  /** Answers of the hour before it began, in the threads that it came of. */
  answers_before: Generated<number>;
  last_reply_at: number | null;
  loop_stopped_at: number | null;
  /** The run whose tool began it with a mail; null where a mail to us or a task began it. */
  begun_by_run: string | null;
  created_at: number;
  updated_at: number;
}

export interface ParticipantTable {
  thread_id: string;
  address: string;
  /** `known`: an owner put the address here, or we wrote first to it; `sender`: it was admitted by itself. */
  role: 'known' | 'sender';
}

/** A message that this address sent, or that was addressed to it when it came or left. */
export interface ViewerTable {
  thread_id: string;
  address: string;
  seq: number;
}

export interface MessageTable {
  seq: Generated<number>;
  id: string;
  thread_id: string;
  direction: 'in' | 'out';
  message_id: string;
  duplicate_key: string | null;
  linked_to: string | null;
  run_id: string | null;
  from_address: string | null;
  from_name: Generated<string>;
  to_json: string;
  cc_json: string;
  /** Where an answer goes: From, or a Reply-To that the access rules allow. */
  reply_to: string | null;
  subject: string;
  in_reply_to: string | null;
  references_json: string;
  date: number | null;
  received_at: number;
  tier: Tier | null;
  text: string;
  new_text: string;
  quoted_text: Generated<string>;
  forwarded_text: Generated<string>;
  limitations_json: Generated<string>;
  raw_sha256: string | null;
  /** What models were shown of it, reused byte for byte. */
  rendered_json: string | null;
}

export interface AttachmentTable {
  id: string;
  message: string;
  position: number;
  name: string;
  type: string;
  bytes: number;
  sha256: string;
  text_sha256: string | null;
  unreadable: string | null;
}

export interface RunTable {
  seq: Generated<number>;
  id: string;
  thread_id: string;
  /** `messages.id` of the mail that started it. */
  message: string;
  /** Its Message-ID. */
  message_id: string;
  kind: 'message' | 'task';
  status: RunStatus;
  waiting_for: string | null;
  /** Who ended it by hand; its sender may not have been told yet. */
  cancelled_by: Generated<string | null>;
  outcome: string | null;
  code: string | null;
  sender: string | null;
  tier: Tier;
  /** How often mail may still travel between agents (`X-Epistle-Recursion`). */
  recursion: number;
  due_at: number;
  /** What it waits for while it is `queued`: it is not worked before that is over, or `due_at`, when it is given up. */
  deferred_code: Generated<DeferredCode | null>;
  /** Since when it has waited without getting further. */
  deferred_at: Generated<number | null>;
  /** When what it waits for may be over by itself; null where somebody has to end it. */
  deferred_until: Generated<number | null>;
  attempt: Generated<number>;
  /** Crashes in a row at `crash_seq`, the number of events of progress when the run was last claimed. */
  crashes: Generated<number>;
  crash_seq: Generated<number>;
  fence: Generated<number>;
  leased_by: string | null;
  leased_until: number | null;
  settings_sha256: string | null;
  provider: string | null;
  model: string | null;
  model_calls: Generated<number>;
  tool_calls: Generated<number>;
  input_tokens: Generated<number>;
  output_tokens: Generated<number>;
  cached_tokens: Generated<number>;
  cost_usd: Generated<number>;
  reserved_usd: Generated<number>;
  /** The day on which that was set aside; null while nothing is. */
  reserved_day: string | null;
  active_ms: Generated<number>;
  reply_message_id: string | null;
  parent_run_id: string | null;
  harness_version_id: string | null;
  created_at: number;
  started_at: number | null;
  ended_at: number | null;
}

export interface RunEventTable {
  run_id: string;
  seq: number;
  type: RunEventType;
  v: number;
  payload_json: string;
  at: number;
  /** The claim of the run that wrote it; null for what others wrote about it. */
  fence: number | null;
}

export interface ThreadToolEventTable {
  id: string;
  thread_id: string;
  parent_message_id: string;
  run_id: string;
  step_index: number;
  event_type: 'tool_call' | 'tool_result';
  tool_name: string;
  tool_call_id: string;
  payload_json: string;
  created_at: number;
}

export interface OutboxTable {
  seq: Generated<number>;
  id: string;
  /** Empty for mail that no run wrote. */
  run_id: string;
  purpose: string;
  ordinal: number;
  thread_id: string | null;
  message_id: string;
  in_reply_to: string | null;
  kind: MailKind;
  mailbox: string | null;
  envelope_from: string;
  raw: Uint8Array;
  state: OutboxState;
  attempts: Generated<number>;
  leased_by: string | null;
  next_attempt_at: number;
  /** The first attempt, or the first since an owner had it tried again; null before that. */
  trying_since: number | null;
  unknown_since: number | null;
  last_error: string | null;
  created_at: number;
  updated_at: number;
}

export interface OutboxRecipientTable {
  outbox_id: string;
  address: string;
  state: 'queued' | 'sent' | 'failed' | 'unknown';
  smtp: string | null;
}

export interface BudgetDayTable {
  /** `2026-11-21`, in the persona's zone. */
  day: string;
  runs: Generated<number>;
  tokens: Generated<number>;
  usd: Generated<number>;
  reserved_usd: Generated<number>;
  /** When owners were warned that it is nearly spent. */
  warned_at: Generated<number | null>;
}

/** What keeps a persona's mail waiting right now, from its first mail to the end of all waiting. */
export interface IncidentTable {
  code: DeferredCode;
  since: number;
  /** The code of the failure, whose it was, and its words: for the owners. */
  cause: string;
  provider: string;
  message: string;
}

export interface JobTable {
  id: string;
  kind: string;
  payload_json: string;
  due_at: number;
  attempts: Generated<number>;
  /** Why nobody here can do it; null while it is only due. */
  parked_code: Generated<string | null>;
  leased_by: Generated<string | null>;
  leased_until: Generated<number | null>;
}

export interface PersonaTables {
  tasks: TaskTable;
  task_times: TaskTimeTable;
  threads: ThreadTable;
  thread_participants: ParticipantTable;
  messages: MessageTable;
  message_viewers: ViewerTable;
  attachments: AttachmentTable;
  used_signatures: { sha256: string; message_id: string; message: string | null; at: number };
  runs: RunTable;
  run_events: RunEventTable;
  thread_tool_events: ThreadToolEventTable;
  outbox: OutboxTable;
  outbox_recipients: OutboxRecipientTable;
  budget_days: BudgetDayTable;
  tool_uses: ToolUseTable;
  made_files: { path: string; sha256: string };
  removed_files: RemovedFileTable;
  undo_items: UndoTable;
  jobs: JobTable;
  approvals: ApprovalTable;
  approval_notices: ApprovalNoticeTable;
  approval_answers: ApprovalAnswerTable;
  audit_log: AuditTable;
  kept_mail: KeptMailTable;
  gathered_notices: GatheredNoticeTable;
  incidents: IncidentTable;
}

/** For one statement that reads; alone it needs no transaction. */
export type Reader = Kysely<PersonaTables>;
export type Trx = Transaction<PersonaTables>;
