import { z } from 'zod';
import type { Json } from '#contract';
import type { Added } from '../schema/persona.ts';
import type { NewMessage, NewThread } from './mail.ts';
import type { NewEvent, NewRun } from './runs.ts';

// What a run waits for that no person is asked about. What people are asked stands in `approvals`.

/** `begun`: what it may have to wait for is being begun right now. */
type SuspensionState = 'begun' | 'open' | 'resolved' | 'timed_out' | 'cancelled';

/** One call of a run that has no result yet and that nobody in this process works on. */
export interface Suspension extends Added<'suspensions'> {
  readonly id: string;
  readonly run_id: string;
  readonly call_id: string;
  readonly tool: string;
  /** Of `engine/suspensions/kinds.ts`; a later version may have left one that this one does not know. */
  readonly kind: string;
  readonly state: SuspensionState;
  /** What its kind needs to go on. */
  readonly payload: Json;
  /** When it is over, whatever came of it. */
  readonly due_at: number;
  /** What came of it, as its kind reads it; null while it is open, and where nothing came. */
  readonly result: Json;
  readonly created_at: number;
  readonly ended_at: number | null;
}

/** By which whoever works for a call may bring its result, once. The token itself is kept nowhere. */
export interface SuspensionToken {
  /** The suspension's own id. */
  readonly id: string;
  /** `begun`: it is not waited for yet. */
  readonly state: 'begun' | 'open';
  readonly sha256: string;
}

/** How a suspension ends. It is done once: whoever comes second changes nothing. */
export interface SuspensionEnd {
  readonly id: string;
  readonly state: 'resolved' | 'timed_out';
  readonly result: Json;
  /** Who or what brought it. */
  readonly by: string;
  /** What else is on record of it, in its run. */
  readonly also?: readonly NewEvent[];
  readonly now: number;
}

/** What a run hands to a child run, beside the words of its mail: part of the child's event `run_queued`. */
export const packet = z.object({
  /** The first words of what it is to do. */
  task: z.string(),
  /** Names of the tools that it may use, besides those that look at its own results. */
  tools: z.array(z.string()).readonly(),
  /** Paths in `files/` that it may read. */
  files: z.array(z.string()).readonly(),
  /** Ids of the attachments that it may read, which its parent could read. Absent in what an earlier version left. */
  attachments: z.array(z.string()).readonly().default([]),
  /** Of the child of a mail's run: 1. */
  depth: z.number(),
  /** Web addresses in its words to which its parent could go without asking. Absent in what an earlier version left. */
  read: z.array(z.string()).readonly().default([]),
  /** Who get the answer that it is a part of, beside the sender and owners. */
  readers: z.array(z.string()).readonly().default([]),
  /** Whoever handed it over had read words of others by then. */
  tainted: z.boolean(),
  /** What it may spend of its parent's budget; null: as much as is left. */
  usd: z.number().nullable(),
  tokens: z.number().nullable(),
  /** Of all that it was handed. */
  sha256: z.string(),
});
export type Packet = z.infer<typeof packet>;

/** A run that another one begins: it has a thread of its own, and its mail is the packet. */
export interface NewDelegation {
  readonly thread: NewThread;
  readonly message: NewMessage;
  readonly run: NewRun;
  readonly packet: Packet;
}
