import type { Fact } from '../../types/facts.ts';

/** What stands between what everybody may be told and the file that says so. */
export interface ActiveState {
  /** Counts up with each change of what the file is made of. */
  readonly changes: number;
  /** The change as far as the file tells of it; smaller: it is to be written anew. */
  readonly written: number;
  /** Characters that the file has beside what its owner wrote into it. */
  readonly room: number;
  /** What did not fit, in words; null: all is in it. */
  readonly error: string | null;
}

/** What a writer of the file leaves. */
export interface ActiveWritten extends Pick<ActiveState, 'changes' | 'room' | 'error'> {
  /** When the first of what it tells is over. */
  readonly overAt: number | null;
  readonly now: number;
}

/** What `active.md` is made of. */
export interface ActiveStore {
  /** Undefined where there never was anything to write. */
  activeState(): Promise<ActiveState | undefined>;
  /** What is in force now and everybody may be told, newest first. */
  factsForEverybody(now: number): Promise<readonly Fact[]>;
  /** The file tells of all up to this change: its job is done, or waits for what comes next. */
  activeWritten(written: ActiveWritten): Promise<void>;
}
