export interface TaskText {
  readonly id: string;
  readonly text: string;
}

/** To a worker: look at what is due at `now`, or at every task. */
export interface Tick {
  readonly now: number;
  readonly all: boolean;
}

/** From a worker, when it has done so. */
export interface Ticked {
  /** Runs that it made, ended, and lost to another process. */
  readonly made: number;
  readonly ended: number;
  readonly fenced: number;
  /** Tasks that it found due. */
  readonly due: number;
}
