import type { z } from 'zod';
import type { Persona } from '../../config/types.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { Gather, NewJob, StoredJob } from '../../storage/types/jobs.ts';

/** A job whose payload was read. */
export interface Job<Payload> {
  readonly id: string;
  readonly payload: Payload;
  /** Tries before this one. */
  readonly attempts: number;
}

/** One kind of work that follows from rows and that no mail waits for. Its rows are written and read through it. */
export interface JobKind<Payload> {
  readonly name: string;
  /** The row that asks for the work, once per `id`; `due_at` in ms. */
  job(wanted: { id: string; due_at: number; payload: Payload; gather?: Gather }): NewJob;
  /** Throws where the text is no payload of this kind. */
  read(payload: string): Payload;
}

export function defineJob<Payload>(name: string, schema: z.ZodType<Payload>): JobKind<Payload> {
  return {
    name,
    job: ({ payload, ...row }) => ({ ...row, kind: name, payload: JSON.stringify(schema.parse(payload)) }),
    read: (payload) => schema.parse(JSON.parse(payload)),
  };
}

/** Does one job and ends its row; a throw puts it back. */
type DoJob<Payload> = (persona: Persona, job: Job<Payload>, store: Store, signal: AbortSignal) => Promise<void>;

/** What does the jobs of one kind. */
export interface JobHandler {
  readonly kind: string;
  /** Reads the row; throws where its payload is none of this kind. What comes back does the job. */
  prepare(row: StoredJob): (persona: Persona, store: Store, signal: AbortSignal) => Promise<void>;
}

export const handleJobs = <Payload>(kind: JobKind<Payload>, work: DoJob<Payload>): JobHandler => ({
  kind: kind.name,
  prepare({ id, payload, attempts }) {
    const job = { id, payload: kind.read(payload), attempts };
    return (persona, store, signal) => work(persona, job, store, signal);
  },
});

/**
 * Says that a persona has work from `at` (ms) on, and runs `commit`, which writes that work. The announcement is on disk
 * before, and whoever works here is woken after: a crash in between costs one check that finds nothing, never work that
 * nobody looks for. Passes on what `commit` returns or throws.
 */
export type Announce = <Result>(personaId: string, at: number, commit: () => Promise<Result>) => Promise<Result>;
