import type { ApprovalNotice, AuditRecord } from '../types/approvals.ts';
import type { Draft, DraftChange, DraftPatch, WatchedDraft } from '../types/drafts.ts';
import type { NewJob, ToldGathered } from '../types/jobs.ts';
import type { Holder } from '../types/leases.ts';
import type { KeptMail, NewAttachment, NewMessage, RowPage } from '../types/mail.ts';
import type {
  ClaimedMail,
  OutboxEntry,
  OutboxMail,
  OutboxRecipient,
  OutboxState,
  OutgoingMail,
} from '../types/outbox.ts';
import type { StoredRun } from '../types/runs.ts';

export interface OutboxClaim extends Holder {
  readonly now: number;
  /** While the persona is stopped. */
  readonly onlyNotices?: boolean;
  readonly leaseMs: number;
  readonly limit: number;
}

/** What one attempt made of a mail. */
export interface OutboxOutcome {
  readonly state: OutboxState;
  readonly attempts: number;
  readonly nextAttemptAt: number;
  readonly unknownSince: number | null;
  readonly lastError: string | null;
  readonly now: number;
  readonly recipients: readonly Pick<OutboxRecipient, 'address' | 'state' | 'smtp'>[];
  /** Under which lease it was attempted: with another one nothing is written. Absent: whoever has it. */
  readonly lease?: string | null;
  /** No server was asked, so that it has not been tried yet. */
  readonly untried?: true;
  /** Change of a mail that is put into Drafts or lies there; without a lease it must lie there. */
  readonly draft?: DraftChange;
}

export interface BounceOf {
  readonly messageId: string;
  readonly failed: readonly { readonly address: string; readonly smtp: string }[];
}

/** Mail that leaves: one row for each (run, purpose, ordinal), however often it is asked for. */
export interface OutboxStore {
  /** Leases what is due, oldest first; what a dead process was sending comes as `crashed`. */
  claimOutbox(wanted: OutboxClaim): Promise<readonly ClaimedMail[]>;
  /** A recipient whose bounce came during the attempt stays failed. */
  /** False when somebody else has the mail by now. */
  extendOutbox(id: string, lease: string, until: number): Promise<boolean>;
  /** Throws FencedError when the lease was lost, or a draft does not lie where it was found. */
  settleOutbox(id: string, outcome: OutboxOutcome, jobs?: readonly NewJob[]): Promise<void>;
  /** A mail of ours has another Message-ID as well, which a server has given it: who names that names the mail. */
  learnMessageId(messageId: string, other: string): Promise<void>;
  /**
   * For notices: inserts the mail (once per purpose), what is kept of one that may be answered, and what follows from it, and ends
   * the job that asked for it.
   */
  queueNotice(
    jobId: string,
    mail: OutgoingMail,
    more?: {
      told?: ToldGathered | null;
      message?: NewMessage;
      /** Files that the message carries. */
      attachments?: readonly NewAttachment[];
      notice?: ApprovalNotice;
      jobs?: readonly NewJob[];
    },
  ): Promise<void>;
  /** Whether a bounce says something new of a mail of ours; nothing is changed. */
  isNewBounce(bounce: BounceOf): Promise<boolean>;
  /**
   * `kept`: the bounce itself, whose bytes are on disk; nothing where it says nothing new after all. `notices` is pure:
   * the transaction may run again.
   */
  recordBounce(
    bounce: BounceOf & {
      readonly now: number;
      readonly kept: KeptMail;
      notices(outboxId: string): readonly NewJob[];
    },
  ): Promise<void>;
  /** Has a queued mail tried at once, puts a failed, unknown or dropped one, or a deleted draft, back, or takes an unsent one out. */
  changeOutbox(wanted: {
    readonly id: string;
    readonly change: 'retry' | 'drop';
    readonly now: number;
    /** Written where it is changed. */
    readonly audit?: readonly AuditRecord[];
  }): Promise<'changed' | 'wrong_state'>;
  /** All mail that waits for another try is tried at once; how many. */
  hurryOutbox(now: number): Promise<number>;

  /**
   * For a database that is an old copy: what had not left then may have left since, so each such mail is looked for in
   * Sent before it is sent. How many.
   */
  doubtUnsent(now: number): Promise<number>;

  /** Drafts that are to be looked for by then, the longest due first. */
  dueDrafts(now: number, limit: number): Promise<readonly WatchedDraft[]>;
  /** What was seen of a draft that lies where it lay. */
  noteDraft(id: string, patch: DraftPatch): Promise<void>;
  /** Makes the job that looks for drafts due with the next of them; without any it ends. */
  planDraftLooks(): Promise<void>;
  /** The draft of a mail that is put into Drafts. */
  getDraft(id: string): Promise<Draft | undefined>;
  /** For whom answers of the thread lie in Drafts, 20 at most. */
  draftsOfThread(threadId: string): Promise<readonly Pick<StoredRun, 'sender' | 'tier'>[]>;

  listOutbox(page: RowPage & { readonly status?: string | undefined }): Promise<OutboxEntry[]>;
  /** Also a draft that was sent under that Message-ID. */
  outboxByMessageId(messageId: string): Promise<OutboxEntry | undefined>;
  /** Mail that belongs to no run, by what it is for. */
  outboxByPurpose(purpose: string): Promise<OutboxEntry | undefined>;
  getOutbox(id: string): Promise<OutboxEntry | undefined>;
  outboxRaw(
    id: string,
  ): Promise<Pick<OutboxMail, 'id' | 'message_id' | 'mailbox' | 'envelope_from' | 'raw'> | undefined>;
  /** The first so many bytes of these mails. */
  outboxHeads(ids: readonly string[], bytes: number): Promise<{ readonly id: string; readonly head: Uint8Array }[]>;
  /** What left because of a mail: answers to it, and all that its runs sent. */
  outboxOfMail(messageId: string): Promise<OutboxEntry[]>;
  outboxRecipients(ids: readonly string[]): Promise<OutboxRecipient[]>;
  /** Mails that have not left, and drafts that lie in Drafts, with the mailbox that they name; oldest first. */
  unsentOutbox(): Promise<(Pick<OutboxMail, 'mailbox'> & Pick<OutboxEntry, 'id' | 'kind' | 'state'>)[]>;
  /** Mails that have not left, by state. */
  outboxCounts(): Promise<{ readonly state: OutboxState; readonly count: number }[]>;
}
