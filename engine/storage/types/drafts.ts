import type { Added } from '../schema/persona.ts';
import type { NewMessage, StoredMessage } from './mail.ts';

// Answers that lie in Drafts until a person sends or deletes them. Times are Unix ms.

/** Where a mail lies in a mailbox. */
export interface DraftPlace {
  readonly folder: string;
  readonly uidvalidity: string;
  readonly uid: number;
}

/** A message of ours that stands in no thread yet. */
export type UnsentMessage = Pick<
  StoredMessage,
  | 'id'
  | 'thread_id'
  | 'direction'
  | 'message_id'
  | 'run_id'
  | 'from_address'
  | 'from_name'
  | 'to'
  | 'cc'
  | 'subject'
  | 'in_reply_to'
  | 'references'
  | 'date'
  | 'received_at'
  | 'text'
  | 'new_text'
  | 'rendered_json'
  | 'clean'
>;

export interface Draft extends Added<'drafts'> {
  readonly outbox_id: string;
  /** The row of its thread, as it is to be when the draft is sent unchanged. */
  readonly message: UnsentMessage;
  /** Where it was seen last; null before it was put there. */
  readonly folder: string | null;
  readonly uidvalidity: string | null;
  readonly uid: number | null;
  readonly appended_at: number | null;
  /** Since when it is missed without a trace of having been sent. */
  readonly gone_since: number | null;
  readonly looked_at: number | null;
  /** When it is looked for next; null where nobody looks any more. */
  readonly look_at: number | null;
  /** The Message-ID under which it was sent. */
  readonly sent_message_id: string | null;
  /** Other words than ours were sent. */
  readonly edited: boolean;
}

export type DraftPatch = Partial<Omit<Draft, 'outbox_id' | 'message'>>;

/** What follows for a draft, and its thread, from where it was found. */
export interface DraftChange {
  readonly patch: DraftPatch;
  /** As it was sent: from now on the thread says so. `viewers` are all who got it. */
  readonly sent?: { readonly message: NewMessage; readonly viewers: readonly string[] };
}

/** A draft that is looked for, with what it is known by. */
export interface WatchedDraft extends Draft {
  readonly run_id: string;
  readonly message_id: string;
  readonly in_reply_to: string | null;
  readonly mailbox: string | null;
  readonly envelope_from: string;
  readonly state: 'draft' | 'deleted';
  readonly attempts: number;
}

/** The one job that looks after all drafts of a persona. */
export const DRAFT_WATCH = 'draft_watch';

/** A draft that is looked for; `since` in ms: nothing older can be its sent copy. */
export interface WantedDraft {
  readonly key: string;
  readonly messageId: string;
  /** The mail that it answers; null: it is looked for by its Message-ID alone. */
  readonly inReplyTo: string | null;
  readonly runId: string;
  readonly place: DraftPlace | null;
  readonly since: number;
}

export type SeenDraft =
  | { readonly in: 'drafts'; readonly place: DraftPlace }
  | { readonly in: 'sent'; readonly raw: Uint8Array }
  | { readonly in: 'neither' };

export type AppendedDraft =
  | { readonly kind: 'lies'; readonly place: DraftPlace }
  /** The mailbox has no folder for drafts. */
  | { readonly kind: 'no_folder' }
  /** `auth`: the login was refused. Nothing was handed over. */
  | { readonly kind: 'refused' | 'unreachable' | 'auth'; readonly message: string }
  /** The line broke off after the bytes were handed over. */
  | { readonly kind: 'unknown'; readonly message: string };

/** The folder for drafts of a mailbox, which its mail server keeps. */
export interface DraftsFolder {
  /** Puts the bytes there, flagged as a draft. Never throws. */
  append(raw: Uint8Array): Promise<AppendedDraft>;
  /** Where each of them is, by key. Throws EngineError `network` or `auth` when it cannot look. */
  look(wanted: readonly WantedDraft[]): Promise<ReadonlyMap<string, SeenDraft>>;
}
