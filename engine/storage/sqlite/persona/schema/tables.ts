import type { Generated, Kysely, Selectable, Transaction } from 'kysely';
import type { InvitationAnswer, StoredInvitation } from '../../../ports/invitations.ts';
import type { OwnerMail } from '../../../ports/mail.ts';
import type { Added, AddedDefault } from '../../../schema/persona.ts';
import type {
  Approval,
  ApprovalAnswer,
  ApprovalNotice,
  AuditRecord,
  RemovedFile,
  UndoItem,
} from '../../../types/approvals.ts';
import type { BudgetDay } from '../../../types/budget.ts';
import type { Columns } from '../../../types/columns.ts';
import type { Draft } from '../../../types/drafts.ts';
import type { Fact } from '../../../types/facts.ts';
import type { GatheredNotices, StoredJob } from '../../../types/jobs.ts';
import type { KnowledgeFile } from '../../../types/knowledge.ts';
import type {
  PlaybookOutcome,
  PlaybookScenario,
  PlaybookVerdict,
  PlaybookVersion,
} from '../../../types/learning/playbooks.ts';
import type { Refinement } from '../../../types/learning/refinements.ts';
import type {
  CountedLetter,
  KeptMail,
  Participant,
  StoredAttachment,
  StoredDocument,
  StoredMessage,
  StoredThread,
  Tier,
} from '../../../types/mail.ts';
import type { OutboxMail, OutboxRecipient } from '../../../types/outbox.ts';
import type { Rule } from '../../../types/rules.ts';
import type { Incident, StoredEvent, StoredRun, StoredToolEvent } from '../../../types/runs.ts';
import type { Suspension } from '../../../types/suspensions.ts';
import type { TaskState, TaskTime } from '../../../types/tasks.ts';

// The tables of persona.db, for Kysely. The SQL of the migrations (`storage/schema/persona.ts`) is the truth; what the columns of the
// first of them mean stands with the types.

type MessageTable = Columns<
  Omit<StoredMessage, 'to' | 'cc' | 'references' | 'pieces' | 'limitations'> & {
    readonly pieces_json: string | null;
    readonly to_json: string;
    readonly cc_json: string;
    readonly references_json: string;
    readonly limitations_json: string;
  },
  'seq' | 'from_name' | 'to_names' | 'quoted_text' | 'forwarded_text' | 'pieces_json' | 'limitations_json' | 'clean'
>;

type RunTable = Columns<
  StoredRun,
  | 'seq'
  | 'cancelled_by'
  | 'deferred_code'
  | 'deferred_at'
  | 'deferred_until'
  | 'attempt'
  | 'crashes'
  | 'crash_seq'
  | 'fence'
  | 'model_calls'
  | 'tool_calls'
  | 'input_tokens'
  | 'output_tokens'
  | 'cached_tokens'
  | 'cost_usd'
  | 'reserved_usd'
  | 'active_ms'
>;

type ApprovalTable = Columns<
  Omit<Approval, 'attached' | 'origins'> & {
    readonly attached_json: string | null;
    readonly origins_json: string | null;
  },
  'kind' | 'origins_json'
>;

type AnswerTable = Columns<
  Omit<ApprovalAnswer, 'rules' | 'items' | 'asked_back'> & {
    readonly rules_json: string;
    readonly items_json: string;
    readonly asked_back: number;
  }
>;

type UndoTable = Columns<
  Omit<UndoItem, 'arguments' | 'result'> & { readonly arguments_json: string; readonly result_json: string }
>;

type JobTable = Columns<
  Omit<StoredJob, 'payload'> & {
    readonly payload_json: string;
    /** Why nobody here can do it; null while it is only due. */
    readonly parked_code: string | null;
    readonly leased_by: string | null;
    readonly leased_until: number | null;
  },
  'attempts' | 'parked_code' | 'leased_by' | 'leased_until'
>;

type RuleTable = Columns<
  Omit<Rule, 'tools' | 'whom'> & {
    /** In the order in which they were said. */
    readonly seq: number;
    readonly tools_json: string;
    readonly whom_json: string;
  },
  'seq'
>;

interface Tables {
  tasks: Columns<TaskState, 'failures'>;
  task_times: Columns<Omit<TaskTime, 'snapshot'> & { readonly snapshot_json: string | null }, 'count'>;
  threads: Columns<StoredThread, 'message_count' | 'history_from' | 'fast_replies' | 'answers_before'>;
  thread_participants: Columns<Participant & { readonly thread_id: string }>;
  messages: MessageTable;
  /** Which messages the full-text index has, with what filters look at. */
  mail_index: {
    seq: number;
    thread_id: string;
    direction: 'in' | 'out';
    written_at: number;
    attachments: number;
    unread_files: number;
  };
  /** Of the last two hours; whatever hangs on them is over by then. */
  counted_letters: Columns<CountedLetter, 'seq'>;
  /** Message-IDs in lower case. */
  named_mails: { id: string; thread_id: string };
  /** Other Message-IDs of mails of ours. */
  other_ids: { id: string; message_id: string };
  raw_mail: { seq: number; bytes: Uint8Array };
  message_words: { seq: number; words: Uint8Array };
  message_viewers: { thread_id: string; address: string; seq: number };
  attachments: Columns<StoredAttachment>;
  documents: StoredDocument;
  knowledge_files: KnowledgeFile;
  knowledge_sections: { id: Generated<number>; path: string; position: number; title: string; text: string };
  invitations: StoredInvitation;
  invitation_answers: InvitationAnswer;
  used_signatures: {
    sha256: string;
    message_id: string;
    message: string | null;
    at: number;
    silent: Generated<number>;
  };
  runs: RunTable;
  run_events: Columns<StoredEvent>;
  thread_tool_events: Columns<StoredToolEvent>;
  outbox: Columns<OutboxMail, 'seq' | 'attempts' | 'mode'>;
  outbox_recipients: Columns<OutboxRecipient>;
  budget_days: Columns<BudgetDay, 'runs' | 'tokens' | 'usd' | 'reserved_usd' | 'warned_at' | 'memory_usd'>;
  drafts: Columns<Omit<Draft, 'message' | 'edited'> & { readonly message_json: string; readonly edited: number }>;
  /** A call that counts against a limit (`tool_policy.quotas`, `calls_per_sender_per_hour`). */
  tool_uses: {
    id: Generated<number>;
    run_id: string;
    fence: number;
    turn: number;
    call_id: string;
    tool: string;
    sender: string | null;
    day: string;
    at: number;
  };
  /** Of a mail that an owner wrote, proven so that it can be their yes. */
  owner_mails: { message: string; ground: OwnerMail['ground']; names_json: string };
  /** A call that was made because an owner's own words counted. */
  own_words_uses: { run_id: string; turn: number; call_id: string; kind: string; at: number };
  made_files: { path: string; sha256: string };
  removed_files: Columns<RemovedFile>;
  rules: RuleTable;
  undo_items: UndoTable;
  jobs: JobTable;
  approvals: ApprovalTable;
  approval_notices: Columns<ApprovalNotice>;
  approval_answers: AnswerTable;
  suspensions: Columns<
    Omit<Suspension, 'payload' | 'result'> & {
      readonly payload_json: string;
      readonly result_json: string | null;
      readonly token_sha256: string | null;
    }
  >;
  audit_log: Columns<Omit<AuditRecord, 'detail'> & { readonly detail_json: string }>;
  kept_mail: Columns<KeptMail>;
  gathered_notices: Columns<GatheredNotices>;
  incidents: Columns<Incident>;
  facts: Columns<Fact & { readonly seq: number }, 'seq'>;
  /** A word of a live fact, once for each kind of reader who may be shown it. */
  /** Mail that the search index leaves out. */
  forgotten_messages: { seq: number };
  corrected_answers: { message: string; fact: string; at: number };
  fact_words: { reader: string; word: string; fact: number };
  thread_memory_states: {
    thread_id: string;
    sections_json: string;
    watermark: number;
    items: number;
    tier: Tier;
    said_by: string | null;
    others_words: number;
    updated_at: number;
  };
  active_memory: { id: number; changes: number; written: number; room: number; error: string | null };
  thread_closings: {
    thread_id: string;
    text: string;
    tags_json: string;
    keywords_json: string;
    watermark: number;
    items: number;
    tier: Tier;
    said_by: string | null;
    others_words: number;
    last_mail_at: number | null;
    closed_at: number;
  };
  /** Empty but for a moment. */
  free_pages: { zeros: Uint8Array };
  thread_closing_viewers: { thread_id: string; address: string };
  closing_words: { word: string; thread_id: string };
  thread_memory_viewers: { thread_id: string; address: string };
  shown_texts: { thread_id: string; sha256: string; text: string };
  playbook_versions: Columns<PlaybookVersion>;
  playbook_pins: { kind: string; version_id: string; pinned_at: number };
  playbook_outcomes: Columns<PlaybookOutcome & { readonly seq: number }, 'seq'>;
  playbook_feedback: { run_id: string; verdict: PlaybookVerdict; by: string; at: number };
  playbook_scenarios: Columns<PlaybookScenario>;
  playbook_refinements: Columns<Refinement>;
}

/** A table with the columns that newer migrations have added, as these declare them. */
type WithAdded<Table, Name extends string> = Omit<Table, keyof Added<Name>> &
  Columns<Pick<Table & Added<Name>, keyof Added<Name>>, Extract<AddedDefault<Name>, keyof Added<Name>>>;
export type PersonaTables = { [Name in keyof Tables]: WithAdded<Tables[Name], Name> };

/** For one statement that reads; alone it needs no transaction. */
export type Reader = Kysely<PersonaTables>;
export type Trx = Transaction<PersonaTables>;
export type Row<Table extends keyof PersonaTables> = Selectable<PersonaTables[Table]>;
