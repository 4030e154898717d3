import type {
  Approval,
  ApprovalAnswer,
  ApprovalDecision,
  ApprovalNotice,
  AuditRecord,
  Decided,
  LikeQuestion,
} from '../types/approvals.ts';
import type { NewJob } from '../types/jobs.ts';
import type { RowPage, Tier, UsedSignatures } from '../types/mail.ts';
import type { OutboxMail, OutgoingMail } from '../types/outbox.ts';
import type { StepBatch } from './runs.ts';

/** A run that stops at calls an owner has to decide. Its patch counts them among its tool calls: others have no approvals. */
export interface HoldBatch extends StepBatch {
  readonly held: readonly Approval[];
}

export interface NumberedItem {
  readonly id: string;
  readonly number: number;
}

/** `offers`: it says that such calls may go without a question from now on. */
export type AskedItem = NumberedItem & { readonly offers?: true };

/** What owners are still asked, with whose request it belongs to; times in Unix ms. */
export interface OpenQuestion extends Pick<Approval, 'id' | 'kind' | 'tool' | 'created_at'> {
  readonly sender: string | null;
  readonly tier: Tier;
}

/** Questions to owners. Each is decided once: a state is left only by whoever finds it as expected. */
export interface ApprovalStore {
  /** The run gives up lease and thread slot until all that it waits for is decided or over; `held` is put before owners. */
  holdRun(batch: HoldBatch): Promise<void>;
  /** Decides several; each by itself. Mail, commands and timers all come through here. */
  decideApprovals(
    verdicts: readonly ApprovalDecision[],
    auditRows: readonly AuditRecord[],
    now: number,
    /** What follows from it; pure. */
    jobs?: (decided: readonly Decided[]) => readonly NewJob[],
  ): Promise<readonly Decided[]>;
  /** An edited call: the old question is stale, a new one takes its place; false when somebody was faster. */
  replaceApproval(
    /** `isRevised`: the persona has changed it. `decided`: what the same answer decides; it needs no new question. */
    old: {
      readonly id: string;
      readonly by: string;
      readonly isRevised?: boolean;
      readonly decided?: readonly string[];
    },
    replacement: Approval,
    jobs: readonly NewJob[],
    auditRows: readonly AuditRecord[],
    now: number,
  ): Promise<boolean>;
  /** A plan that is decided call by call: each is an item of the notice, in the place of the plan; false when somebody was faster. */
  splitApproval(
    plan: { readonly id: string; readonly by: string },
    items: readonly Approval[],
    beside: { readonly jobs: readonly NewJob[]; readonly audit: readonly AuditRecord[] },
    now: number,
  ): Promise<boolean>;
  /** Whether owners are still asked about something by a run, or by one below it. */
  isAsked(runId: string): Promise<boolean>;
  /** What the child runs of a run, and theirs, have asked owners for; oldest first. */
  approvalsBelow(runId: string): Promise<readonly Approval[]>;
  /** Whether a run below this one is still at work, and may have calls held in a moment. */
  worksBelow(runId: string): Promise<boolean>;
  /** Held calls of a run and of those below it, or of all runs, that no notice is about yet. */
  unnoticedApprovals(runId: string | null): Promise<Approval[]>;
  /** The newest that were decided about calls of this likeness, the newest first. */
  likeQuestions(of: { readonly likeness: string; readonly limit: number }): Promise<readonly LikeQuestion[]>;
  /** Ends the job only while nothing waits for a notice: a run may have been held since somebody looked. */
  endNoticeJob(jobId: string, runId: string | null): Promise<void>;
  /** One transaction: the notice, its numbers, its mail, the end of the job; later arrivals keep a job of their own. */
  sendApprovalNotice(
    notice: ApprovalNotice,
    numbered: readonly AskedItem[],
    mail: OutgoingMail,
    /** `again`: for what is still without a notice. */
    job: { readonly id: string; readonly runId: string | null; readonly again: NewJob },
    jobs: readonly NewJob[],
  ): Promise<void>;
  /** A question to an owner has a notice of its own: all that is answered to it is the answer. */
  sendQuestion(
    notice: ApprovalNotice,
    approvalId: string,
    mail: OutgoingMail,
    jobId: string,
    jobs: readonly NewJob[],
  ): Promise<void>;
  /** A notice that asks about nothing of this store's own, its mail and the end of its job; once for each id of a notice. */
  sendNotice(notice: ApprovalNotice, mail: OutgoingMail, jobId: string): Promise<void>;
  /** `items`: what it asks about, by their numbers. */
  findNotice(
    by: { readonly id: string } | { readonly tokenSha256: string } | { readonly messageIds: readonly string[] },
  ): Promise<{ readonly notice: ApprovalNotice; readonly items: readonly Approval[] } | undefined>;
  /** Our mails with these Message-IDs and those that answer them, newest last, 20 at most: what an answer may quote. */
  mailsQuotable(messageIds: readonly string[]): Promise<Pick<OutboxMail, 'raw' | 'created_at'>[]>;
  /**
   * Whether each of these Message-IDs is that of a mail of ours: the one that we gave it, the one of its copy in Sent, or the
   * one that a relay said when it took a mail that is among `about`. 50 at most.
   */
  areSentByUs(messageIds: readonly string[], about: readonly string[]): Promise<boolean>;
  /** Texts of the newest mails that a proven sender wrote and that became runs, 20 at most; none is an answer to a notice. */
  earlierTexts(sender: string): Promise<string[]>;
  /** The one mail of its kind about a notice: the mark, the mail and the end of its job in one transaction. */
  queueAboutNotice(
    about: { readonly id: string; readonly column: 'reminded_at'; readonly now: number },
    jobId: string,
    mail: OutgoingMail,
  ): Promise<void>;
  knowsAnswer(id: string): Promise<boolean>;
  /**
   * Keeps what an answer was understood as, once, and the job of the mail about it where one is due: at most `most` such
   * mails since `since` for each notice, or two programs could answer each other for ever.
   */
  recordAnswer(
    answer: Omit<ApprovalAnswer, 'asked_back'>,
    mail: { readonly job: NewJob; readonly since: number; readonly most: number } | null,
    /** What proves it is used up with it. */
    used: UsedSignatures,
  ): Promise<void>;
  answersByMessageId(messageId: string): Promise<ApprovalAnswer[]>;
  /** What came back to one question mail, oldest first. */
  answersOfNotice(noticeId: string): Promise<ApprovalAnswer[]>;
  /** A mail about an answer, and the end of its job. */
  queueClarification(jobId: string, mail: OutgoingMail): Promise<void>;
  /** What owners are still asked about in a thread, with whose request it belongs to. */
  openApprovalsOfThread(threadId: string): Promise<readonly OpenQuestion[]>;
  /** The same in all threads, the oldest first, and at most a hundred. */
  openApprovalsOfAll(): Promise<readonly (OpenQuestion & Pick<Approval, 'expires_at' | 'thread_id'>)[]>;
  /** What owners have answered to questions in words of a thread, the newest first and at most fifty. */
  answersInWords(threadId: string): Promise<readonly string[]>;
  /** All that owners are still asked about, the oldest first. */
  pendingApprovals(limit: number): Promise<readonly Approval[]>;
  /** What owners are still asked about in a thread by runs of this sender's mail that have answered. */
  askedAfterAnswer(of: { readonly threadId: string; readonly sender: string }): Promise<readonly Approval[]>;
  /** When the newest questions to owners were mailed, the latest first. */
  newestNotices(limit: number): Promise<readonly number[]>;

  listApprovals(page: RowPage & { readonly status?: string | undefined }): Promise<Approval[]>;
  approvalsOfRun(runId: string): Promise<Approval[]>;
  getApproval(id: string): Promise<Approval | undefined>;
}

/** What was decided, by whom; nothing is ever changed in it. */
export interface AuditStore {
  /** A row of that id that is there already stays as it is. */
  auditOnce(row: AuditRecord, used?: UsedSignatures): Promise<void>;
  listAudit(page: RowPage): Promise<AuditRecord[]>;
}
