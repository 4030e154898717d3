import type { AuditRecord } from '../types/approvals.ts';
import type { NewJob } from '../types/jobs.ts';
import type {
  CountedAs,
  CountedLetter,
  DocumentKey,
  FileToIndex,
  FoundAttachment,
  FoundMessages,
  KeptMail,
  MailSearch,
  NewAttachment,
  NewCountedLetter,
  NewMessage,
  NewThread,
  OpenedMessage,
  Participant,
  RowPage,
  SeenMessage,
  StoredAttachment,
  StoredDocument,
  StoredMessage,
  StoredThread,
  ThreadPatch,
  Tier,
  UsedSignatures,
  Viewer,
} from '../types/mail.ts';
import type { Episode, EpisodeSearch, LikelyEpisode } from '../types/recall.ts';
import type { NewRun, StoredToolEvent } from '../types/runs.ts';
import type { SeenThread, ThreadsWanted } from '../types/thread-overview.ts';

/** What is asked about an arriving mail before it is decided. */
export interface ArrivalQuery extends UsedSignatures {
  readonly duplicateKey: string;
  readonly sender: string | null;
  /** Whether `sender` is proven. */
  readonly proven: boolean;
  /** Nothing but its signatures proves it: whoever has them could have handed it in, with other headers. */
  readonly bySignature?: boolean;
  /** The mails that it answers, nearest first. */
  readonly references: readonly string[];
  /** Those of them that nobody here may ever have got and others may name as well, in lower case, and its own Message-ID. */
  readonly ancestors?: readonly string[];
  /** How many runs one sender may have in an hour; null or absent: as many as they like. */
  readonly runsPerHour?: number | null;
  /**
   * The limits that runs are counted for; 0: off. Nothing is counted beyond the highest: each mail of a busy hour would
   * cost more.
   */
  readonly limits: readonly number[];
  /** What of it is counted with other letters, and how soon after an answer of ours one is fast; absent or null: it is not counted. */
  readonly counted?: (CountedAs & { readonly fastMs: number }) | null;
}

/** A letter that an arriving one is counted with, and why. */
export type AlikeLetter = Omit<CountedLetter, 'sketch' | 'subject' | 'family' | 'sender' | 'proven'> & {
  /** Of the same sender; where nobody is proven, also of an address that differs in numbers and the like. */
  readonly own: boolean;
  /** It says nearly the same. */
  readonly near: boolean;
  readonly sameSubject: boolean;
  /** Our answer to it was written within the time in which a mail is fast. */
  readonly fresh: boolean;
};

/** A thread of which an arriving mail names a message, or a mail that was never here and that mails of the thread name as well. */
export type FoundThread = StoredThread & {
  /** The sender's part in it. */
  readonly role: Participant['role'] | null;
  /** That very message was openly addressed to the sender, or written by them, and its own sender was proven. */
  readonly named: boolean;
  /** How it was found: the second is no answer to anything of ours. */
  readonly by: 'message' | 'ancestor';
};

/** A mail of a thread that an arriving one may quote, as somebody who wrote it or was sent it. */
export interface QuotableMail {
  readonly seq: number;
  readonly message_id: string;
  readonly from_address: string | null;
  /** The sender wrote it, and was proven. */
  readonly isOwn: boolean;
  /** The persona sent it. */
  readonly isOurs: boolean;
  /** As they were kept with an earlier answer; null: they are read of the text. */
  readonly words: Uint8Array | null;
  readonly text: string | null;
}

export interface KnownWords {
  readonly seq: number;
  readonly words: Uint8Array;
}

/** What the database knows that bears on an arriving mail. */
export interface ArrivalRows {
  /** The same message again: same Message-ID, From and Date, or the same signature. */
  readonly duplicate: Pick<StoredMessage, 'id' | 'thread_id' | 'run_id'> | undefined;
  /** Nothing but its signatures proves it, and they were used up by a mail that became no message. */
  readonly isSpent: boolean;
  /** Another mail under the same Message-ID. */
  readonly sameId: (Pick<StoredMessage, 'id'> & { readonly isOurs: boolean }) | undefined;
  /** Threads that its References and In-Reply-To name, nearest reference first, with the sender's part in each. */
  readonly threads: readonly FoundThread[];
  /** Runs that the sender started within the hour, counted as far as was asked. */
  readonly senderRuns: number;
  /** From when on one more run of the sender is within `runsPerHour`, by when theirs began or will; null: at once. */
  readonly slotAt: number | null;
  /** Runs within the hour of the nearest thread and those that it came of. */
  readonly threadRuns: number;
  /** Letters that it is counted with: answered just before, told to wait, or stopped; newest first. */
  readonly alike: readonly AlikeLetter[];
}

/** A mail that is proven to be an owner's. */
export interface OwnerMail {
  /** What the proof of its sender rests on. */
  readonly ground: 'dmarc' | 'signature' | 'login';
  /** What they called people whom a mail of theirs went to that answers none. */
  readonly names: readonly { readonly name: string; readonly address: string }[];
}

/** What an arriving mail leaves: a message with its run, or what its refusal changes. */
export interface NewArrival {
  readonly newThread?: NewThread;
  readonly threadPatch?: { readonly id: string; readonly patch: ThreadPatch };
  readonly message?: NewMessage;
  /** The message's bytes as they came, where they are not a file yet. */
  readonly raw?: Uint8Array;
  readonly attachments?: readonly NewAttachment[];
  /** Who may see the message; absent: only owners. */
  readonly viewers?: readonly string[];
  readonly participants?: readonly Participant[];
  readonly run?: NewRun;
  /** The message is the word of an owner, proven so that it can be their yes. */
  readonly ownerMail?: OwnerMail;
  /** Mails that it names, for `named_mails`. */
  readonly names?: readonly string[];
  /** What later letters are counted with. */
  readonly counted?: NewCountedLetter;
  /** What of it stands in the audit log. */
  readonly audit?: readonly AuditRecord[];
  /** The thread in which whoever was stopped is listened to again. */
  readonly reopens?: string;
  readonly jobs?: readonly NewJob[];
  /** Of mails that it might have quoted. */
  readonly words?: readonly KnownWords[];
}

/** The bytes of a message, and what their file is named after. */
export interface HeldRaw {
  readonly seq: number;
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

export interface ResultQuery {
  readonly threadId: string;
  readonly ref: string;
  /** Only what runs for this sender brought, equally proven; null: for whomever. */
  readonly asker: { readonly address: string; readonly tier: Tier } | null;
  /** Only what this run itself brought. */
  readonly runId?: string;
}

/** A result where it is kept: in an artifact, or in the payload of the event that it was shown by. */
export type StoredResult = { readonly artifact: string } | { readonly observation: string };

/** Mail that came: what is decided about it, and what a run or a person reads of it later. */
export interface MailStore {
  /**
   * Resolves when all that was read before would survive a power cut. Rows are seen before they are on disk: whoever
   * promises something because of them, and writes nothing, waits for this first.
   */
  flushed(): Promise<void>;
  readForArrival(query: ArrivalQuery): Promise<ArrivalRows>;
  /** Of a mail that can be its owner's yes; undefined: it cannot. */
  ownerMail(message: string): Promise<OwnerMail | undefined>;
  /**
   * What people are called, by the newest mails: `byOwners`, in mail of theirs, none of a private thread but this one's own;
   * `bySelf`, as they call themselves.
   */
  namesOfPeople(threadId: string): Promise<Record<'byOwners' | 'bySelf', OwnerMail['names']>>;
  /** The newest 50 mails of a thread that this address wrote or was sent. */
  quotableMails(threadId: string, sender: string): Promise<readonly QuotableMail[]>;
  /**
   * Stores an arrival that was decided on `rows`, in one transaction. When what the decision rests on is something else
   * by then, nothing is stored and false comes back: of two identical mails at once, one is kept.
   */
  keepArrival(
    arrival: NewArrival,
    read: { readonly query: ArrivalQuery; readonly rows: ArrivalRows },
  ): Promise<boolean>;
  knowsSignature(signed: Pick<ArrivalQuery, 'signatures' | 'bySignature'>): Promise<boolean>;
  /** Uses them up for a mail that leaves nothing else, or a message that is there. */
  useSignatures(
    used: UsedSignatures,
    by: { readonly message?: string | null; readonly isSilent?: boolean },
  ): Promise<void>;
  /** What follows from an owner's command, and that its mail is used up. */
  endCommand(used: UsedSignatures, jobs: readonly NewJob[]): Promise<void>;
  /** Names the bytes of a mail that is no message. */
  keepRecorded(mail: KeptMail): Promise<void>;
  /** The bytes of a message as they came; undefined where they are a file. */
  heldRaw(seq: number): Promise<Uint8Array | undefined>;
  /** The oldest messages whose bytes are held here. */
  listHeldRaw(limit: number): Promise<readonly HeldRaw[]>;
  /** They are files now, and those are on disk. */
  releaseRaw(seqs: readonly number[]): Promise<void>;

  /** Messages of a thread that the viewer may see, newest first, from before `beforeSeq`. */
  threadPage(threadId: string, beforeSeq: number, limit: number, viewer: Viewer): Promise<SeenMessage[]>;
  /** Those of the addresses that stand in a mail of the thread which the reader sent or was sent, in lower case. */
  shownWith(asked: {
    readonly threadId: string;
    readonly reader: string;
    readonly addresses: readonly string[];
  }): Promise<ReadonlySet<string>>;
  /** How many messages of a thread the viewer may see, counted up to a thousand. */
  countSeen(threadId: string, viewer: NonNullable<Viewer>): Promise<number>;
  /** Our newest mail of a thread. */
  lastSent(threadId: string): Promise<Pick<StoredMessage, 'message_id' | 'references'> | undefined>;
  /** Addresses that an owner put on the thread, or that we wrote to first. */
  knownParticipants(threadId: string): Promise<ReadonlySet<string>>;
  toolEventsOfRuns(runIds: readonly string[]): Promise<StoredToolEvent[]>;
  /** Earlier mail that the viewer may see, by words and by what is known of it. */
  search(wanted: MailSearch): Promise<FoundMessages>;
  /** Conversations with mail that the viewer may see, the newest first, with what each waits for. */
  seenThreads(wanted: ThreadsWanted): Promise<readonly SeenThread[]>;
  /**
   * Earlier mail of other threads that may tell something, best first, with what stands beside it. Unlike a search it
   * writes nothing: what the index does not have yet is read itself.
   */
  likelyEpisodes(wanted: EpisodeSearch): Promise<readonly LikelyEpisode[]>;
  /** The messages of these places that the viewer may see, each by itself, in no order. */
  episodesAt(seqs: readonly number[], viewer: Viewer): Promise<readonly Episode[]>;
  /** The message of that Message-ID, the first where several have it; undefined where the viewer may not see it. */
  openMail(messageId: string, viewer: Viewer): Promise<OpenedMessage | undefined>;
  /** Takes up to `limit` more messages into the index, newest first; how many there were to take. */
  indexMail(limit: number): Promise<number>;
  /** Messages of the index whose attachments' text it does not have, newest first, with those attachments in order. */
  filesToIndex(limit: number): Promise<readonly { readonly seq: number; readonly files: readonly FileToIndex[] }[]>;
  /** Takes in the texts of a message's attachments, in their order; empty: one that has none. */
  indexFiles(seq: number, texts: readonly string[]): Promise<void>;
  /**
   * Marks a thread as private, or as any other again (null): its words leave the index, or come back, and what was
   * remembered of it is erased. `audit`: what is on record of it, where there is such a thread.
   */
  setThreadPrivate(threadId: string, since: number | null, audit?: readonly AuditRecord[]): Promise<void>;
  /** False, and nothing is written, where it is so already, or there is no such thread. */
  setThreadTaken(
    threadId: string,
    taken: { readonly by: string; readonly at: number } | null,
    audit: AuditRecord,
  ): Promise<boolean>;
  /** Empties the index, so that it is made anew. */
  forgetIndex(): Promise<void>;
  /** Empties it as well, and it never takes these in again: mails by their place, or all of a sender. */
  forgetInIndex(wanted: { readonly messages: readonly number[] } | { readonly person: string }): Promise<void>;
  /** One piece of writing the index anew without what was deleted of it; false: nothing of that is left. */
  compactIndex(isFirst: boolean): Promise<boolean>;
  /** One piece of making one of the parts of the index, so that it is quicker to look up; false: it is one. */
  mergeIndex(isFirst: boolean): Promise<boolean>;
  /** Overwrites what deletions left in the file and its log. */
  zeroFreePages(): Promise<void>;
  /** Whether we have written this web address, in a mail or a file, and the run had neither been asked about it nor read it. */
  wroteItself(url: string): Promise<boolean>;
  /** An attachment of a message that the viewer may see. */
  findAttachment(id: string, viewer: Viewer): Promise<FoundAttachment | undefined>;
  /** What a document was read as; undefined when it has not been read. */
  findDocument(key: DocumentKey): Promise<StoredDocument | undefined>;
  /** Takes the place of what stands there. */
  keepDocument(document: StoredDocument): Promise<void>;
  /** What an attachment is called, and who sent it. */
  attachmentNamed(id: string): Promise<{ readonly name: string; readonly from_address: string | null } | undefined>;
  /** The result that a reference of this thread stands for. */
  findResult(query: ResultQuery): Promise<StoredResult | undefined>;
  /** Hash of the file as a run last left it; null where no run made it. */
  madeFileHash(path: string): Promise<string | null>;
  recordMadeFile(path: string, sha256: string): Promise<void>;
  /** Whether a mail to this address has left, or may have. */
  hasWrittenTo(address: string): Promise<boolean>;
  /** How somebody calls himself in the newest of his mails that were worked on; empty where nothing is known. */
  nameOfSender(address: string): Promise<string>;
  /** Whether a rule let this proven sender in before: mail of theirs was worked on as that of an owner or a member. */
  wasLetIn(address: string): Promise<boolean>;
  /** What the newest mails of a proven owner say of their own that were worked on, the newest first. */
  wordsOfOwner(address: string, limit: number): Promise<readonly string[]>;
  /** The same of anybody who is proven. */
  wordsOfPerson(address: string, limit: number): Promise<readonly string[]>;

  listThreads(page: RowPage): Promise<StoredThread[]>;
  getThread(id: string): Promise<StoredThread | undefined>;
  /** Newest first. */
  threadMessages(threadId: string, limit: number): Promise<StoredMessage[]>;
  messageById(id: string): Promise<StoredMessage | undefined>;
  /** The files of a message, in its order; 200 at most. */
  attachmentsOf(messageId: string): Promise<StoredAttachment[]>;
  messagesByMessageId(messageId: string): Promise<StoredMessage[]>;
  /** Mail of that Message-ID that is no message and is kept all the same, newest first. */
  keptByMessageId(messageId: string): Promise<KeptMail[]>;

  /** The given hashes that no row names. `contentOf` gives the file of an event that was too large for its row. */
  unnamedBlobs(
    hashes: readonly string[],
    how: { contentOf(sha256: string): Promise<string>; breathe(): Promise<void> },
  ): Promise<ReadonlySet<string>>;
}
