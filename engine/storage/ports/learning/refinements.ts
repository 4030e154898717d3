import type { UndoItem } from '../../types/approvals.ts';
import type { NewJob } from '../../types/jobs.ts';
import type { PlaybookVersion } from '../../types/learning/playbooks.ts';
import type { Refinement } from '../../types/learning/refinements.ts';
import type { NewEvent } from '../../types/runs.ts';

/** What an attempt has come to, to be written together with the end of its job. */
export interface EndedRefinement {
  readonly jobId: string;
  readonly refinement: Refinement;
  /** In their order; none where nothing was accepted. */
  readonly versions: readonly PlaybookVersion[];
  /** Versions to let go where these are kept. */
  readonly drop: readonly string[];
  /** Examples that a model was shown. */
  readonly shown: readonly string[];
  /** For the record of the run, from what the attempt came to in the end. */
  event(refinement: Refinement): NewEvent;
  /** By which owners take it back; only where versions are kept. */
  readonly undo: readonly UndoItem[];
  /** What follows from what the attempt came to in the end. */
  jobs(refinement: Refinement): readonly NewJob[];
}

/** Attempts to make better versions. */
export interface RefinementStore {
  /**
   * Ends the job and writes down what it came to; with `lost_race` where somebody else has kept a version meanwhile. Null,
   * and nothing is changed, where the job has ended before.
   */
  keepRefinement(ended: EndedRefinement): Promise<Refinement | null>;
  /** Newest first. */
  refinements(kind: string, limit: number): Promise<readonly Refinement[]>;
}
