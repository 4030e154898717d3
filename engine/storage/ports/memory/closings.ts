import type { NewJob } from '../../types/jobs.ts';
import type { Viewer } from '../../types/mail.ts';
import type { NewEvent } from '../../types/runs.ts';
import type { ItemsAsked, Sources } from './summaries.ts';

/** What a thread was about, said when it was closed. */
export interface Closing extends Sources {
  readonly threadId: string;
  /** Empty: there was nothing to say of it. */
  readonly text: string;
  readonly tags: readonly string[];
  readonly keywords: readonly string[];
  /** The place of the newest mail that it tells of. */
  readonly watermark: number;
  /** Mails that it was made of. */
  readonly items: number;
  /** When the thread had its newest mail, if all of it is told; null: there is more to take in. */
  readonly lastMailAt: number | null;
  readonly closedAt: number;
}

/** A thread that is to be closed, and its newest run, of which the closing is on record. */
export interface Closable {
  readonly threadId: string;
  readonly runId: string;
}

/** What a job leaves that has closed a thread. */
export interface KeptClosing {
  readonly jobId: string;
  readonly runId: string;
  /** Null: nothing happened that could be told. */
  readonly event: NewEvent | null;
  /** Null: nothing came of it. */
  readonly closing: {
    readonly state: Closing;
    /** How far what it was made of had come: the closing before it, and the summary of the thread. */
    readonly from: { readonly closing: number; readonly memory: number };
    readonly asked: ItemsAsked;
    readonly seqs: readonly number[];
    /** Who may be told of it besides owners. */
    readonly viewers: readonly string[];
  } | null;
  readonly jobs: readonly NewJob[];
  readonly now: number;
}

/** Which closed threads are asked for, as far as the viewer may see all that they were made of. */
export interface ClosingSearch {
  readonly words: readonly string[];
  readonly viewer: Viewer;
  readonly exceptThread: string | null;
  readonly limit: number;
}

/** What is kept of threads that are over. */
export interface ClosingStore {
  closingOf(threadId: string): Promise<Closing | undefined>;
  /** Who may be shown it besides owners. */
  closingViewers(threadId: string): Promise<readonly string[]>;
  /** The best first: those that have at least two of the words, or the only one. */
  findClosings(wanted: ClosingSearch): Promise<readonly Closing[]>;
  /**
   * Threads without mail since `before` that were not closed since, of the `scan` newest below the id `below`; `next`: to go on
   * with, null at the end.
   */
  threadsToClose(page: {
    readonly before: number;
    readonly below: string | null;
    readonly scan: number;
  }): Promise<{ readonly threads: readonly Closable[]; readonly next: string | null }>;
  /**
   * Writes down what a job found, and that it is done: all or nothing. False, and nothing is changed, where it is done already.
   * Nothing is kept of the closing where what it was made of is not the same any more.
   */
  keepClosing(kept: KeptClosing): Promise<boolean>;
}
