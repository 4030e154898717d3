import type { AuditRecord } from '../types/approvals.ts';
import type { Fact, FactChange, FactListing, FactReader } from '../types/facts.ts';
import type { NewJob } from '../types/jobs.ts';
import type { NewEvent } from '../types/runs.ts';

/** What is set aside for a model call of the memory, and the bounds: of the day, and of the memory's share in it. */
export interface MemoryReservation {
  readonly day: string;
  readonly usd: number;
  /** Null: the persona's day has no limit. */
  readonly usdPerDay: number | null;
  readonly share: number;
}

/** What a job of the memory leaves: facts, what is on record of its run, and that it is done. All or nothing. */
export interface Remembered {
  readonly jobId: string;
  readonly runId: string;
  readonly changes: readonly FactChange[];
  readonly event: NewEvent;
  readonly jobs: readonly NewJob[];
  readonly now: number;
}

/** An answer of ours, and who got it. */
export interface WrongAnswer {
  /** Its row. */
  readonly message: string;
  readonly recipients: readonly string[];
}

/** What the persona remembers of people and of itself. */
export interface FactStore {
  /** Facts that the reader may be shown: those with most of these words, best first; then the newest about the reader. */
  factsFor(
    reader: FactReader,
    asked: { readonly words: readonly string[]; readonly now: number; readonly limit: number },
  ): Promise<readonly Fact[]>;
  /** Live rows about somebody that have most of these words, and then the newest of them; candidates and disputed ones, too. */
  nearestFacts(
    subject: string,
    asked: { readonly words: readonly string[]; readonly now: number; readonly limit: number },
  ): Promise<readonly Fact[]>;
  /** What owners have to settle, newest first; for them alone. */
  disputedFacts(limit: number): Promise<readonly Fact[]>;
  /** Mails of ours that were made while this was shown to their model, the newest first; of the newest 500 runs. */
  answersWith(fact: string): Promise<readonly WrongAnswer[]>;
  /** What took the place of that with which an answer of ours was made; undefined: nobody has corrected it. */
  correctionOf(message: string): Promise<{ readonly fact: string; readonly at: number } | undefined>;
  factById(id: string): Promise<Fact | undefined>;
  factsByIds(ids: readonly string[]): Promise<readonly Fact[]>;
  listFacts(listing: FactListing): Promise<readonly Fact[]>;
  /** How many rows about somebody are live. */
  countFacts(subject: string, now: number): Promise<number>;
  /** Number of other people with the same words on record, counted up to `limit`. */
  countSayers(phrase: string, subject: string, limit: number): Promise<number>;
  /** Whether something that this mail said was forgotten: then nothing of it is remembered again. */
  isForgottenSource(message: string): Promise<boolean>;
  /** For a command of an owner. */
  changeFacts(changes: readonly FactChange[]): Promise<void>;
  /** The ids of what was learned from a mail, or is about or from somebody. */
  factsOfMessage(message: string): Promise<readonly string[]>;
  factsOfPerson(address: string): Promise<readonly string[]>;
  /** Erases what they say from the file, with all copies that its pages held. */
  forgetFacts(ids: readonly string[], audit?: readonly AuditRecord[]): Promise<void>;

  /** Counts a try of a job before it is made, so that one which ends the process has an end as well. */
  beginTry(jobId: string): Promise<void>;
  /** Sets the money for a model call aside. False: the memory's share of the day is spent. */
  reserveMemory(want: MemoryReservation): Promise<boolean>;
  /** What a call of the memory cost instead of what was set aside; booked on its run as well. */
  settleMemory(paid: {
    readonly day: string;
    readonly runId: string;
    readonly reservedUsd: number;
    readonly usd: number;
    readonly tokens: number;
  }): Promise<void>;
  /** False, and nothing is changed, where the job is done already. */
  endRemembering(remembered: Remembered): Promise<boolean>;
}
