import type { Added } from '../schema/persona.ts';
import type { Tier } from './mail.ts';

// What a persona remembers, a row for each claim. Times are Unix ms. What a claim says and where it comes from is never
// changed: a correction is another row that the first one names.

export const FACT_KINDS = ['preference', 'identity', 'relation', 'state', 'plan', 'instruction'] as const;
export type FactKind = (typeof FACT_KINDS)[number];

/** Who may be shown it: whom it is about, who may see its mail in its thread, everybody, or owners alone. Owners see all. */
export type FactVisibility = 'subject' | 'thread' | 'persona' | 'owner';

/**
 * `candidate`: said once, and nobody asked for it to be kept. `disputed`: it contradicts a row that it may not replace.
 * `forgotten`: only that there was one is left, without its words.
 */
export type FactStatus = 'candidate' | 'kept' | 'disputed' | 'forgotten';

/** Of whom, or of everybody, a fact is about, where it is nobody in particular. */
export const ABOUT_PERSONA = 'persona';

export interface Fact extends Added<'facts'> {
  readonly id: string;
  /** An address in lower case, or `persona`. */
  readonly subject: string;
  readonly kind: FactKind;
  readonly text: string;
  /** Word for word as it stands in the mail. */
  readonly quote: string;
  /** The row of that mail; null where an owner wrote it by command. */
  readonly source_message: string | null;
  readonly source_message_id: string | null;
  readonly source_tier: Tier;
  readonly thread_id: string | null;
  /** An address, or `command`. */
  readonly said_by: string;
  /** Since when, and until when, it holds in the world. */
  readonly valid_from: number;
  readonly valid_to: number | null;
  readonly recorded_at: number;
  /** When it was said the last time, and for how long it is fresh from then on; null: for ever. */
  readonly refreshed_at: number;
  readonly fresh_ms: number | null;
  readonly expires_at: number | null;
  readonly superseded_by: string | null;
  /** The row that it contradicts. */
  readonly disputes: string | null;
  readonly visibility: FactVisibility;
  readonly status: FactStatus;
  /** Of subject, kind and folded text: the same words again. */
  readonly hash: string;
  /** Of the quote, folded: whether others say the very same. */
  readonly phrase: string;
}

/** Whom a run works for, as far as facts are shown: by its own rights alone, never by what a mail says. */
export interface FactReader {
  /** Proven; empty: nobody in particular. */
  readonly address: string;
  readonly isOwner: boolean;
  readonly threadId: string | null;
}

/** One change of the rows; all of a batch or none. */
export type FactChange =
  /** `replaces`: what is no longer so from now on. `corrects`: rows of answers of ours that were made with it. */
  | {
      readonly change: 'add';
      readonly fact: Fact;
      readonly replaces: string | null;
      readonly corrects?: readonly string[];
    }
  /** Said again: `keep` where that makes a candidate one that is kept. */
  | {
      readonly change: 'refresh';
      readonly id: string;
      readonly refreshed_at: number;
      readonly fresh_ms: number | null;
      readonly expires_at: number | null;
      readonly keep: boolean;
    }
  | { readonly change: 'forget'; readonly id: string };

/** Which facts are listed. */
export interface FactListing {
  readonly subject?: string | undefined;
  readonly status?: FactStatus | undefined;
  /** Also what was replaced, is over or was forgotten. */
  readonly all?: boolean | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
  readonly now: number;
}
