import type { NewJob } from '../../types/jobs.ts';
import type {
  JudgedOutcome,
  PlaybookInForce,
  PlaybookOutcome,
  PlaybookScenario,
  PlaybookVerdict,
  PlaybookVersion,
} from '../../types/learning/playbooks.ts';

/** How much of each there was when it was erased. */
export interface ErasedLearning {
  readonly versions: number;
  readonly outcomes: number;
  readonly scenarios: number;
}

/** What a persona has learned, by kind of work. A version that is kept is never changed. */
export interface LearningStore {
  /** The pinned version, else the newest; with its newest outcomes, `limit` at most. Undefined: there is none. */
  playbookInForce(kind: string, limit: number): Promise<PlaybookInForce | undefined>;
  /** Kinds of which there is a version or an outcome, sorted. */
  learnedKinds(): Promise<readonly string[]>;
  /** Oldest first. */
  playbookVersions(kind: string): Promise<readonly PlaybookVersion[]>;
  playbookVersion(id: string): Promise<PlaybookVersion | undefined>;
  pinnedPlaybook(kind: string): Promise<string | null>;
  /** Of one version, or of all; newest first. */
  playbookOutcomes(
    of: { readonly kind: string } | { readonly version: string },
    limit: number,
  ): Promise<readonly JudgedOutcome[]>;
  /** False, and nothing is changed, where its number is taken: somebody else was faster. `drop`: versions to let go. */
  keepPlaybook(version: PlaybookVersion, drop?: readonly string[]): Promise<boolean>;
  /** Null: the newest version holds again. */
  pinPlaybook(kind: string, version: string | null, now: number): Promise<void>;
  /** Ends the job; once per run, however often it is asked for. */
  recordOutcome(outcome: PlaybookOutcome, jobId: string, jobs?: readonly NewJob[]): Promise<void>;
  /** The newest run of the thread that has an outcome, or will have one as soon as it is known how its mail went. */
  runToJudge(threadId: string): Promise<string | undefined>;
  /** The newest of a kind; undefined: there is none. */
  newestOutcomeOfKind(kind: string): Promise<JudgedOutcome | undefined>;
  /** Null clears it. The same a second time changes nothing. `jobs`: what follows from it. */
  giveFeedback(feedback: {
    readonly runId: string;
    readonly verdict: PlaybookVerdict | null;
    readonly by: string;
    readonly now: number;
    readonly jobs: readonly NewJob[];
  }): Promise<void>;
  /** Undefined: the run has none. */
  outcomeOfRun(runId: string): Promise<JudgedOutcome | undefined>;
  /**
   * Ends the job; what the run is an example of from now on, null: of nothing. One like that of another run is not kept, and
   * none of a thread that is private or of a mail that is forgotten. Of more than `most`, those go of whose
   * sender there are most, the ones that were not used for longest first. `jobs`: what follows from it; the ids of those
   * that were asked for already.
   */
  settleScenario(
    runId: string,
    scenario: PlaybookScenario | null,
    of: { readonly jobId: string; readonly most: number; readonly jobs?: readonly NewJob[] },
  ): Promise<readonly string[]>;
  /** Newest first. */
  playbookScenarios(kind: string): Promise<readonly PlaybookScenario[]>;
  touchScenarios(ids: readonly string[], now: number): Promise<void>;
  /** Everything of one kind, or of all. */
  eraseLearning(kind: string | null): Promise<ErasedLearning>;
}
