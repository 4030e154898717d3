import type { Approval, ApprovalStep, AuditRecord, UndoItem } from '../types/approvals.ts';
import type { FactChange } from '../types/facts.ts';
import type { MadeJob, NewJob, ToldGathered } from '../types/jobs.ts';
import type { Holder } from '../types/leases.ts';
import type { NewMessage, NewThread, RowPage, StoredAttachment, StoredMessage, StoredThread } from '../types/mail.ts';
import type { OutgoingMail } from '../types/outbox.ts';
import type {
  DecidedQuestion,
  Lease,
  NewEvent,
  NewRun,
  RunPatch,
  StoredEvent,
  StoredRun,
  StoredToolEvent,
} from '../types/runs.ts';
import type { NewDelegation, Packet, Suspension } from '../types/suspensions.ts';
import type { TaskSnapshot } from '../types/tasks.ts';
import type { FurtherOf, TakenIn, TakenMail } from './further-mail.ts';
import type { InvitationAnswer, StoredInvitation } from './invitations.ts';
import type { OwnerMail } from './mail.ts';
import type { ShownText } from './memory/summaries.ts';

/** Stops a worker whose lease another has taken: its commits must change nothing. */
export class FencedError extends Error {
  override readonly name = 'FencedError';
}

/** A run with whom its answer goes to, beside its sender and owners: nobody of them may be told what only another may know. */
export type RunInHand = StoredRun & { readonly readers?: readonly string[] };

/** All that the harness needs to go on with a run, read in one transaction. */
export interface LoadedRun {
  readonly run: RunInHand;
  readonly thread: StoredThread;
  readonly message: StoredMessage;
  readonly attachments: readonly StoredAttachment[];
  /** Later mails of the same sender that it answers as well, in their order; absent: none. */
  readonly further?: readonly TakenMail[];
  readonly events: readonly StoredEvent[];
  readonly toolEvents: readonly StoredToolEvent[];
  /** Approvals of the run; empty where it has called no tool. */
  readonly approvals: readonly Approval[];
  /** What its calls wait, or have waited, for that nobody is asked about. */
  readonly suspensions: readonly Suspension[];
  readonly trigger: Trigger;
  /** The decision that it carries out; absent of any other run. */
  readonly decided?: DecidedQuestion;
}

/** What began a run. */
export type Trigger =
  | {
      readonly kind: 'mail';
      /** The task whose mail this one answers: the one of a due time, or one that a tool sent in its run. */
      readonly answersTask: string | null;
      /** What the mail that began its thread was sent for, where one of our own did. */
      readonly answersRequest: AnsweredRequest | null;
    }
  /** A due time; a run whose due time a second try has taken over is told of like one of a mail. */
  | { readonly kind: 'task'; readonly task: TaskSnapshot }
  /** Another run of the persona, which waits for what comes of it. */
  | { readonly kind: 'delegation'; readonly parentRunId: string; readonly packet: Packet };

/** A mail that a tool of ours sent, and the request of somebody that it was sent for. */
export interface AnsweredRequest {
  readonly sent: StoredMessage;
  /** The run that sent it, and the mail that had started that run. */
  readonly run: StoredRun;
  readonly request: StoredMessage;
}

/** `crashes`: deaths at its present step. */
export type ClaimedRun = LoadedRun & { readonly crashes: number };

export interface RunsClaim extends Holder {
  readonly limit: number;
  /** Only runs that the process, or the engine, has failed at before, or only others; absent: any. */
  readonly suspects?: boolean;
  readonly now: number;
  readonly leaseMs: number;
  /** The day that a run which begins now is counted on. */
  readonly day: string;
}

/** A mail that a tool wrote, the message row it becomes, and the thread it starts; null: it goes on with one. */
export interface ToolMail {
  readonly thread: NewThread | null;
  readonly message: NewMessage;
  readonly mail: OutgoingMail;
  /** What the mail answers to an invitation. */
  readonly answers?: InvitationAnswer;
  /** The meeting that it invites to, as it is from now on. */
  readonly invites?: StoredInvitation;
}

/** What one step of a run leaves behind, committed at once. */
export interface StepBatch {
  readonly lease: Lease;
  readonly firstSeq: number;
  readonly events: readonly NewEvent[];
  readonly toolEvents?: readonly StoredToolEvent[];
  /** Its results are all of calls that only read: whose intent is on record, and which are made again without them. */
  readonly onlyReads?: boolean;
  readonly patch: RunPatch;
  readonly spent?: { readonly day: string; readonly usd: number; readonly tokens: number };
  /** What the model was shown; stored once, when the context is built. */
  readonly context?: {
    readonly historyFrom: number;
    readonly prefixSha256: string;
    /** Null where an earlier run has rendered the mail: later mails go on to be shown those bytes. */
    readonly rendered: string | null;
    /** What stood beside the mail in this run alone. */
    readonly shown?: readonly ShownText[];
  };
  /** Steps of approvals' states; the batch fails when one of them was taken meanwhile. */
  readonly approvals?: readonly ApprovalStep[];
  /** Mail that tools sent: outbox rows of the same transaction as their results. */
  readonly outgoing?: readonly ToolMail[];
  readonly audit?: readonly AuditRecord[];
  /** Calls that can be taken back, told to the owners. */
  readonly undo?: readonly UndoItem[];
  /** Calls that have no result yet, and what brings it. */
  readonly suspended?: readonly Suspension[];
  /** The runs that it has others begin, which are due at once. */
  readonly delegated?: readonly NewDelegation[];
  /** What tools have remembered or forgotten, in the transaction of their results. */
  readonly facts?: readonly FactChange[];
  /** Mails that are answered with its own; it throws `FurtherMailError` where one of them is in other hands. */
  readonly takenIn?: readonly TakenIn[];
  /** What follows from the step. */
  readonly jobs?: readonly NewJob[];
  readonly now: number;
}

export interface FinishBatch extends StepBatch {
  /** It is not written, and `FurtherMailError` is thrown, where there is such a mail by now. */
  readonly unless?: FurtherOf | undefined;
  readonly made?: MadeJob;
  /** The gathered messages that its reply tells an owner. */
  readonly told?: ToldGathered;
  readonly reply?: {
    readonly message: NewMessage;
    /** Null: it stays in the thread and goes to nobody. */
    readonly mail: OutgoingMail | null;
    readonly participants: readonly string[];
  };
  /** The run is one of a task. */
  readonly endsTask?: boolean;
  /** What owners are asked about once it has ended. */
  readonly held?: readonly Approval[];
  /** Who closes the open questions to owners, and why; absent: the end of the run itself closes them. */
  readonly closing?: { readonly actor: string; readonly reason: string };
}

/** A mail that somebody tries out. */
export interface NewTest {
  /** Null: such a mail would begin no run. */
  readonly begins: {
    readonly thread: NewThread;
    readonly message: NewMessage;
    readonly run: NewRun;
    readonly ownerMail?: OwnerMail;
  } | null;
  /** Who does it, under `TEST_MAIL`. */
  readonly told: AuditRecord;
  /** How many of theirs there may be since then, with it; null: any number. */
  readonly most: { readonly count: number; readonly since: number } | null;
}

/** The runs to end, and who ends them. */
export interface Cancel {
  readonly day: string;
  readonly now: number;
  readonly by: string;
  /** What hears of the end of each; pure. */
  ended(run: Pick<StoredRun, 'id' | 'kind'>, now: number): readonly NewJob[];
}

/** Results for the calls that a run leaves behind. */
export interface LeftCalls {
  readonly events: readonly NewEvent[];
  readonly toolEvents: readonly StoredToolEvent[];
}

/** `loaded`: null where it has called no tools. */
export interface OpenRun {
  readonly run: StoredRun;
  readonly loaded: LoadedRun | null;
}

/** What a run leaves behind, as it stood after its event `lastSeq` under this fence. */
export interface LeftRun extends Lease {
  readonly lastSeq: number;
  readonly left: LeftCalls;
}

/** When each kind of row next wants a worker, in ms; null where nothing is open, 0 where a dead process had it. */
export interface NextDue {
  readonly runs: number | null;
  readonly outbox: number | null;
  readonly jobs: number | null;
  readonly tasks: number | null;
  /** Whether runs wait for something that is none of these. */
  readonly waits: boolean;
}

/** Calls of runs created between two times, by the tool or by the model. */
export interface CallSum {
  /** A tool, or `provider/model`. */
  readonly key: string;
  readonly calls: number;
  readonly failures: number;
  /** All of them together, and the slowest. */
  readonly ms: number;
  readonly slowest_ms: number;
}

/** Sums of runs created between two times, by one column or in all. */
export interface UsageSum {
  readonly key: string | null;
  readonly runs: number;
  readonly model_calls: number;
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly cost_usd: number;
  /** What of the tokens and of the cost is an estimate. */
  readonly estimated_tokens: number;
  readonly estimated_usd: number;
}

/**
 * Runs: claimed under a lease with a fence that grows by each claim. Every write of a worker names its lease, and throws
 * `FencedError` without having changed anything once the run is in other hands or over.
 */
export interface RunStore {
  /** The oldest due, one of a thread, `limit` at most. A claim that is lost with the machine leaves a run that is queued. */
  claimRuns(wanted: RunsClaim): Promise<readonly ClaimedRun[]>;
  /** Whether a run is due that the process, or the engine, has failed at before. */
  hasDueSuspect(at: Holder & { readonly now: number }): Promise<boolean>;
  /** False when somebody else has the run by now. */
  extendRun(lease: Lease, until: number): Promise<boolean>;
  /** All that the harness knew of a run; undefined when there is none of that id. */
  loadRun(id: string): Promise<LoadedRun | undefined>;
  releaseRun(lease: Lease, dueAt: number): Promise<void>;
  /** Gives a run back after the engine itself failed at it, which counts like a crash at this step. */
  releaseFaulted(lease: Lease, dueAt: number): Promise<void>;
  commitStep(batch: StepBatch): Promise<void>;
  /** The end of a run, its reply and its outbox row: all or nothing. */
  finishRun(batch: FinishBatch): Promise<void>;
  /** What was begun and is not over; of runs that have called tools all that is known. What only waits goes on waiting. */
  openRuns(): Promise<readonly OpenRun[]>;
  /**
   * Ends them all in one transaction, with the results for the calls that each leaves; the ids of those that were ended.
   * Null, and nothing is changed, where a run with calls has got further than `seen` says: then look again.
   */
  cancelRuns(cancel: Cancel, seen: readonly LeftRun[]): Promise<readonly string[] | null>;
  /** For `runs cancel`: the run with all that is known of it, in the caller's hands alone. */
  seizeRun(seizure: {
    readonly id: string;
    readonly day: string;
    readonly now: number;
    readonly by: string;
    readonly instance: string;
    readonly leaseMs: number;
    /** Written where it is seized. */
    readonly audit?: readonly AuditRecord[];
  }): Promise<LoadedRun | 'not_found' | 'ended'>;
  /** Whether the run is still in the hands of whoever claimed it under this fence. */
  holdsLease(lease: Lease): Promise<boolean>;
  /** A new run for the mail of one that failed; only the newest run of a mail can be tried again. */
  /** Keeps what somebody tries out, with who does; false, and nothing is kept, where they have done so too often. */
  keepTest(test: NewTest): Promise<boolean>;
  countTests(by: string, since: number): Promise<number>;
  retryRun(retry: {
    readonly id: string;
    readonly newId: string;
    readonly now: number;
    readonly by: string;
    /** Written where there is a new run. */
    readonly audit?: readonly AuditRecord[];
  }): Promise<StoredRun | 'not_found' | 'not_failed' | 'retried'>;
  nextDue(holder: Holder): Promise<NextDue>;

  /** `sender`: of that address alone. */
  listRuns(
    page: RowPage & { readonly status?: string | undefined; readonly sender?: string | undefined },
  ): Promise<StoredRun[]>;
  /** Those created between two times that cost most, the dearest first. */
  dearestRuns(from: number, to: number, limit: number): Promise<StoredRun[]>;
  getRun(id: string): Promise<StoredRun | undefined>;
  runsByMessageId(messageId: string): Promise<StoredRun[]>;
  runEvents(runId: string): Promise<StoredEvent[]>;
  eventsOfRuns(runIds: readonly string[]): Promise<StoredEvent[]>;
  usage(from: number, to: number, by: 'provider' | 'sender' | 'thread_id' | 'task' | null): Promise<UsageSum[]>;
  /** The same of one address alone; undefined where nobody worked for it. */
  usageOfSender(from: number, to: number, sender: string): Promise<UsageSum | undefined>;
  callUsage(from: number, to: number, by: 'tool' | 'model'): Promise<CallSum[]>;
}
