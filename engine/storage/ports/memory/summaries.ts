import type { NewJob } from '../../types/jobs.ts';
import type { Tier, Viewer } from '../../types/mail.ts';
import type { NewEvent } from '../../types/runs.ts';

/** What is known of earlier mail of a thread, made by a model: each line in its words. */
export interface Sections {
  readonly objective: string;
  readonly key_facts: readonly string[];
  readonly decisions: readonly string[];
  readonly open_loops: readonly string[];
  readonly constraints: readonly string[];
  readonly next: readonly string[];
}

/** The mails that a summary was made of. */
export interface Sources {
  /** The least trusted of them. */
  readonly tier: Tier;
  /** The one besides owners who wrote any of it; empty: owners alone; null: several. */
  readonly saidBy: string | null;
  /** It may say what somebody else said: a forwarded mail does, and an answer to a mail that came with such words. */
  readonly othersWords: boolean;
}

/** The summary of a thread's earlier mail. */
export interface ThreadMemory extends Sources {
  readonly threadId: string;
  readonly sections: Sections;
  /** The place of the newest mail that it tells of. */
  readonly watermark: number;
  /** Mails that it was made of. */
  readonly items: number;
  readonly updatedAt: number;
}

/** A mail of a thread, as it is summarised. */
export interface ThreadItem {
  readonly seq: number;
  readonly direction: 'in' | 'out';
  readonly from: string | null;
  /** Tier of the sender; for an answer of ours, of the person who was answered; null where that is nobody. */
  readonly tier: Tier | null;
  readonly author: string | null;
  readonly othersWords: boolean;
  readonly at: number;
  readonly text: string;
  /** Addresses of its sender and recipients, in lower case. */
  readonly viewers: readonly string[];
}

export interface ItemsAsked {
  readonly threadId: string;
  /** Later than this place, and earlier than that one. */
  readonly after: number;
  readonly before: number;
  readonly limit: number;
}

/** What a job leaves that has summarised a thread. */
export interface KeptThreadMemory {
  readonly jobId: string;
  /** The run that it is on record of. */
  readonly runId: string;
  readonly event: NewEvent;
  /** Null: nothing came of it. */
  readonly memory: {
    readonly state: ThreadMemory;
    /** The same that was asked for, which has to give these mails still. */
    readonly asked: ItemsAsked;
    readonly seqs: readonly number[];
    /** Addresses that may be told of it, besides owners. */
    readonly viewers: readonly string[];
  } | null;
  readonly jobs: readonly NewJob[];
  readonly now: number;
}

/** Text that a run was shown beside its mail and that no later run is: kept apart from mail, so that it can be erased. */
export interface ShownText {
  /** Empty: it is of no thread. */
  readonly threadId: string;
  readonly sha256: string;
  readonly text: string;
}

/** Summaries of threads. */
export interface SummaryStore {
  /** Undefined where there is none, and where the viewer may not see all that it was made of. */
  threadMemory(threadId: string, viewer: Viewer): Promise<ThreadMemory | undefined>;
  /** The memories of all threads, newest first; for owners alone. */
  threadMemories(limit: number): Promise<readonly ThreadMemory[]>;
  /** Addresses that may be shown it, besides owners. */
  threadMemoryViewers(threadId: string): Promise<readonly string[]>;
  /**
   * Mails of a thread, oldest first. Left out is what nobody proved to have written, what went to nobody, what is to be
   * forgotten or said something that is, and answers to any of that.
   */
  threadItems(asked: ItemsAsked): Promise<readonly ThreadItem[]>;
  /**
   * Writes down what a job found, and that it is done: all or nothing. False, and nothing is changed, where it is done
   * already. Where the thread was made private meanwhile, or a mail is to be forgotten, nothing is kept of the summary.
   */
  keepThreadMemory(kept: KeptThreadMemory): Promise<boolean>;
  /** By their hashes, those that are there still. */
  shownTexts(threadIds: readonly string[], hashes: readonly string[]): Promise<ReadonlyMap<string, string>>;
}
