import { z } from 'zod';
import { list } from './fields.ts';

/** A piece of earlier mail that stood in a prompt. */
const recalledSource = z.object({
  /** The event to read it from again, and which piece of it; older runs kept its words. */
  seq: z.number().optional(),
  extent: z.object({ from: z.number(), to: z.number() }).optional(),
  message_id: z.string(),
  thread_id: z.string(),
  from: z.string().nullable(),
  direction: z.enum(['in', 'out']),
  tier: z.string().nullable(),
  written_at: z.number(),
  beside: z.boolean(),
  foreign: z.boolean(),
  at: z.number(),
  chars: z.number(),
});

/** What a part of the gathering brought from elsewhere, piece by piece, with where it came from. */
export const gatherPart = z.object({
  part: z.string(),
  chars: z.number(),
  timezone: z.string().optional(),
  sources: list(recalledSource),
});

/** What a resolver gave to the prompt. */
export const resolvedPart = z.object({
  resolver: z.string(),
  slot: z.string(),
  chars: z.number(),
  error: z.string().exactOptional(),
});

/** What stood beside the mail in that run alone: its text is kept apart, since it can be forgotten. */
export const shownOnce = z.object({
  ...{ resolver: z.string(), sha256: z.string(), foreign: z.boolean() },
  /** Of a thread that is over; without it, of the run's own or of none. */
  thread_id: z.string().exactOptional(),
});

/** Start and length of one part of the gathering. */
export const span = z.object({
  part: z.string(),
  from_ms: z.number(),
  ms: z.number(),
  chars: z.number(),
  error: z.string().nullable(),
});
