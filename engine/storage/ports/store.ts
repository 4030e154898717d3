import type { Overview } from '../types/overview.ts';
import type { Trust } from '../types/trust.ts';
import type { Week } from '../types/week.ts';
import type { ApprovalStore, AuditStore } from './approvals.ts';
import type { BudgetStore } from './budget.ts';
import type { FactStore } from './facts.ts';
import type { FurtherMailStore } from './further-mail.ts';
import type { InvitationStore } from './invitations.ts';
import type { JobStore } from './jobs.ts';
import type { KnowledgeStore } from './knowledge.ts';
import type { LearningStore } from './learning/playbooks.ts';
import type { RefinementStore } from './learning/refinements.ts';
import type { MailStore } from './mail.ts';
import type { ActiveStore } from './memory/active.ts';
import type { ClosingStore } from './memory/closings.ts';
import type { SummaryStore } from './memory/summaries.ts';
import type { OutboxStore } from './outbox.ts';
import type { RuleStore } from './rules.ts';
import type { RunStore } from './runs.ts';
import type { SuspensionStore } from './suspensions.ts';
import type { TaskStore } from './tasks.ts';
import type { UndoStore } from './undo.ts';
import type { WaitingStore } from './waiting.ts';

/** Rows whose id begins or ends with `part`, newest first; of an empty one all fit. */
export interface LookedUp {
  readonly of: 'runs' | 'approvals' | 'outbox' | 'threads';
  readonly part: string;
  readonly limit: number;
}

/** Who wrote the mail that a run works on, and its subject; of a task's run nobody and its name. */
export interface RunSubject {
  readonly run_id: string;
  readonly from: string | null;
  readonly subject: string;
  /** Of a child run: the run at the top, whose mail this is; else null. */
  readonly helps: string | null;
}

/** What people ask for by a part of its id, and what lists say beside an id. */
export interface LookUpStore {
  idsLike(wanted: LookedUp): Promise<string[]>;
  /** Of runs that there are; in any order. */
  subjectsOfRuns(runIds: readonly string[]): Promise<RunSubject[]>;
  /** What lists over all personas need of this one. `day`: the beginning of the day that is counted. */
  overview(day: number): Promise<Overview>;
  /** What the persona did in [from, to). */
  week(from: number, to: number): Promise<Week>;
  /** What owners have said of its questions, and what became of its drafts. */
  trust(): Promise<Trust>;
}

/**
 * What is kept of one persona. Every method is one transaction, on disk when its promise resolves; a method that takes a
 * function calls it inside of that transaction, which may be run again, so the function is free of effects.
 */
export interface Store
  extends MailStore,
    RunStore,
    FurtherMailStore,
    WaitingStore,
    ApprovalStore,
    SuspensionStore,
    UndoStore,
    AuditStore,
    OutboxStore,
    TaskStore,
    JobStore,
    KnowledgeStore,
    BudgetStore,
    InvitationStore,
    FactStore,
    RuleStore,
    SummaryStore,
    ClosingStore,
    ActiveStore,
    LearningStore,
    RefinementStore,
    LookUpStore {
  /** Once all that was asked for is committed. */
  close(): Promise<void>;
}

export interface DatabaseStamp {
  readonly text: string;
  /** False where the database was written so lately that the same stamp may hide another write. */
  readonly settled: boolean;
}

/** The stores of all personas, each opened at its first use. */
export interface Stores {
  /** Whether the persona has ever had mail; its store is made at the first. */
  exists(personaId: string): boolean;
  use<Result>(personaId: string, work: (store: Store) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** The same, where each database is a file. */
export interface StampedStores extends Stores {
  /** What tells one state of the persona's database from another without opening it; null: it has none. */
  stampOf(personaId: string): DatabaseStamp | null;
}
