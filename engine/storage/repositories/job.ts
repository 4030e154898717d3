import type { GatheredKind } from '../kept-tables.ts';

export type { GatheredKind } from '../kept-tables.ts';

export interface Gather {
  readonly kind: GatheredKind;
  /** The notice that tells of all that came since then. */
  later(gathered: { kind: GatheredKind; since: number; dueAt: number }): NewJob;
}

export interface NewJob {
  readonly id: string;
  readonly kind: string;
  readonly due_at: number;
  /** What the work is about, as its kind writes it. */
  readonly payload: string;
  /** A notice that arriving mail causes: owners get one an hour of its kind, and then all the others in one. */
  readonly gather?: Gather;
}

/** A row as it stands: its kind, or what its payload says, may be of another version. */
export interface StoredJob {
  readonly id: string;
  readonly kind: string;
  readonly payload: string;
  readonly due_at: number;
  readonly attempts: number;
}
