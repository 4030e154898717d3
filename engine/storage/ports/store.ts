import type { ApprovalStore, AuditStore } from './approvals.ts';
import type { BudgetStore } from './budget.ts';
import type { FactStore } from './facts.ts';
import type { InvitationStore } from './invitations.ts';
import type { JobStore } from './jobs.ts';
import type { KnowledgeStore } from './knowledge.ts';
import type { MailStore } from './mail.ts';
import type { ActiveStore } from './memory/active.ts';
import type { SummaryStore } from './memory/summaries.ts';
import type { OutboxStore } from './outbox.ts';
import type { RunStore } from './runs.ts';
import type { SuspensionStore } from './suspensions.ts';
import type { TaskStore } from './tasks.ts';
import type { UndoStore } from './undo.ts';
import type { WaitingStore } from './waiting.ts';

/**
 * What is kept of one persona. Every method is one transaction, on disk when its promise resolves; a method that takes a
 * function calls it inside of that transaction, which may be run again, so the function is free of effects.
 */
export interface Store
  extends MailStore,
    RunStore,
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
    SummaryStore,
    ActiveStore {
  /** Once all that was asked for is committed. */
  close(): Promise<void>;
}

/** The stores of all personas, each opened at its first use. */
export interface Stores {
  /** Whether the persona has ever had mail; its store is made at the first. */
  exists(personaId: string): boolean;
  use<Result>(personaId: string, work: (store: Store) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}
