import type {
  BudgetDay,
  BudgetLimits,
  OwnWordsUse,
  Reservation,
  Reserved,
  ToolLimitSpent,
  ToolUse,
  UseLimits,
} from '../types/budget.ts';
import type { NewJob } from '../types/jobs.ts';

/** What runs may spend, and how often tools may be called: checked and set aside in one step. */
export interface BudgetStore {
  /**
   * Sets money aside before a model call, so that parallel runs cannot all see the same free dollar. Where not all fits
   * that a model may answer with, half of what is free is granted.
   */
  reserveBudget(want: Reservation, limits: BudgetLimits): Promise<Reserved>;
  /** A model answered, and nobody wants the answer any more; it is paid all the same. */
  bookLate(spent: {
    readonly runId: string;
    readonly day: string;
    readonly usd: number;
    readonly tokens: number;
  }): Promise<void>;
  budgetOfDay(day: string): Promise<BudgetDay | undefined>;
  /** The day has its budget once more. False where it had that already. */
  extendDay(day: string): Promise<boolean>;
  /** Owners hear once a day that the day's budget is nearly spent. */
  warnOnce(day: string, now: number, job: NewJob): Promise<void>;
  /** The sender who spent the most since then. */
  dearestSender(since: number): Promise<{ readonly sender: string | null; readonly usd: number } | undefined>;
  /** Counts a call against its limits, the same call once. Without `reserves` it is only asked. Null: it may be made. */
  useTool(use: ToolUse, limits: UseLimits, reserves: boolean): Promise<ToolLimitSpent | null>;
  /** Counts a call that an owner's own words are the yes to, the same call once. False: there is no room, and nothing is counted. */
  useOwnWords(use: OwnWordsUse): Promise<boolean>;
}
