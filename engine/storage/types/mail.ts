import type { Piece } from '#contract';
import type { Added } from '../schema/persona.ts';
import type { Optional } from './optional.ts';

// Mail as it is kept: threads, messages, attachments. Times are Unix ms.

export type Tier = 'owner' | 'member' | 'known' | 'stranger' | 'unauthenticated';

export interface StoredThread extends Added<'threads'> {
  readonly id: string;
  /** `test`: no mail joins it, and whatever looks beyond its own run finds nothing of it. */
  readonly kind: 'thread' | 'task' | 'test';
  readonly subject: string;
  readonly message_count: number;
  /** The first message of the history that models still see. */
  readonly history_from: number;
  /** Of the newest run's byte-stable prompt prefix; tells why a prompt cache missed. */
  readonly prefix_sha256: string | null;
  readonly fast_replies: number;
  /** Answers of the hour before it began, in the threads that it came of. */
  readonly answers_before: number;
  readonly last_reply_at: number | null;
  readonly loop_stopped_at: number | null;
  /** Since when nothing of it is found or remembered elsewhere; null: it is as any other. */
  readonly private_since: number | null;
  /** The run whose tool began it with a mail; null where a mail to us or a task began it. */
  readonly begun_by_run: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/** Somebody wants it so. A test is found nowhere either, and is worked as if it were. */
export const isMadePrivate = ({ kind, private_since: since }: Pick<StoredThread, 'kind' | 'private_since'>): boolean =>
  since !== null && kind !== 'test';

export type ThreadPatch = Partial<Omit<StoredThread, 'id'>>;

export interface NewThread {
  readonly id: string;
  readonly kind: StoredThread['kind'];
  readonly subject: string;
  readonly fast_replies?: number;
  readonly answers_before?: number;
  readonly begun_by_run?: string;
  readonly private_since?: number;
  readonly taken_by?: string;
  readonly taken_at?: number;
}

/** `known`: an owner put the address here, or we wrote first to it; `sender`: it was admitted by itself. */
type ParticipantRole = 'known' | 'sender';

export interface Participant extends Added<'thread_participants'> {
  readonly address: string;
  readonly role: ParticipantRole;
}

export interface StoredMessage extends Added<'messages'> {
  readonly seq: number;
  readonly id: string;
  readonly thread_id: string;
  readonly direction: 'in' | 'out';
  readonly message_id: string;
  readonly duplicate_key: string | null;
  readonly linked_to: string | null;
  readonly run_id: string | null;
  readonly from_address: string | null;
  readonly from_name: string;
  readonly to: readonly string[];
  readonly cc: readonly string[];
  /** What the mail calls those whom it was addressed to, a line each; for search. */
  readonly to_names: string;
  /** Where an answer goes: From, or a Reply-To that the access rules allow. */
  readonly reply_to: string | null;
  readonly subject: string;
  /** Empty where it answers a mail whose id nobody can read, or has signed. */
  readonly in_reply_to: string | null;
  readonly references: readonly string[];
  readonly date: number | null;
  readonly received_at: number;
  readonly tier: Tier | null;
  readonly text: string;
  readonly new_text: string;
  readonly quoted_text: string;
  readonly forwarded_text: string;
  /** Whose words it is made of, in reading order; empty: all of `new_text` is its sender's. Null: it was kept before there were any. */
  readonly pieces: readonly Piece[] | null;
  readonly limitations: readonly string[];
  readonly raw_sha256: string | null;
  /** What models were shown of it, reused byte for byte. */
  readonly rendered_json: string | null;
  /** 1: a mail of ours, of a run that was shown nothing but the words of owners and of the member for whom it worked. Null: not known to be. */
  readonly clean: number | null;
}

export type NewMessage = Optional<
  Omit<StoredMessage, 'seq'>,
  | 'duplicate_key'
  | 'linked_to'
  | 'run_id'
  | 'from_address'
  | 'from_name'
  | 'to_names'
  | 'reply_to'
  | 'in_reply_to'
  | 'date'
  | 'tier'
  | 'quoted_text'
  | 'forwarded_text'
  | 'pieces'
  | 'limitations'
  | 'raw_sha256'
  | 'rendered_json'
  | 'clean'
>;

export interface StoredAttachment extends Added<'attachments'> {
  readonly id: string;
  readonly message: string;
  readonly position: number;
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly unreadable: string | null;
  /** As its part of the mail declares it. */
  readonly charset: string | null;
}

export interface FoundAttachment extends StoredAttachment {
  /** The newest attachment of the same name that came later in its thread with other bytes, as far as the viewer may see. */
  readonly newer: string | null;
}

export type NewAttachment = Optional<StoredAttachment, 'unreadable' | 'charset'>;

/** What the same bytes were read as, under the same hint of their name, by the same edition of the reader. */
export interface DocumentKey {
  readonly sha256: string;
  /** The file within it; empty: the document itself. */
  readonly part: string;
  readonly hint: string;
}

export interface StoredDocument extends DocumentKey, Added<'documents'> {
  /** The reader's edition; what another one read is read anew. */
  readonly reader: number;
  /** What it is and how much there is of it, or why it cannot be read. */
  readonly facts_json: string;
  readonly text_sha256: string | null;
  readonly tables_sha256: string | null;
  readonly read_at: number;
}

/** An attachment whose text is to be found by search. */
export type FileToIndex = Pick<StoredAttachment, 'sha256' | 'name' | 'type' | 'charset' | 'unreadable'>;

/** For whom messages are read; null stands for an owner, who may see all. */
export type Viewer = {
  /** Proven. Empty: nobody, who sees nothing. */
  readonly address: string;
  /** Only what lies in this thread; null: wherever it lies. */
  readonly threadId: string | null;
  /** Proven or not: others who see it as well. Only what each of them may see is there. */
  readonly also?: readonly string[];
} | null;

/** With the place of the mail that it belongs to, where a run wrote it and the viewer may not see that mail; and its files. */
export type SeenMessage = StoredMessage & {
  readonly asked_seq?: number | null;
  readonly files?: readonly StoredAttachment[];
};

/** What is looked for in earlier mail; all that is given has to hold. */
export interface MailSearch {
  /** Words, of which more are better; null: whatever was written, newest first. */
  readonly query: string | null;
  /** A name, an address or a part of one, of who wrote it. */
  readonly from?: string | undefined;
  /** The same of those to whom it went, in To or Cc. */
  readonly to?: string | undefined;
  /** When it was written, in Unix ms: not before this. */
  readonly since?: number | undefined;
  /** Earlier than this. */
  readonly before?: number | undefined;
  readonly direction?: 'in' | 'out' | undefined;
  readonly hasAttachment?: boolean | undefined;
  readonly threadId?: string | undefined;
  /** Message-ID of a mail that is not looked for. */
  readonly except?: string | null | undefined;
  readonly limit: number;
  readonly viewer: Viewer;
}

export interface FoundMessages {
  /** Best first, or newest first where there is nothing to rank by. */
  readonly messages: readonly FoundMessage[];
  readonly order: 'best' | 'newest';
  /** How many there are, these included. */
  readonly total: number;
  /** Whether the total is only as far as was counted. */
  readonly more: boolean;
}

export interface FoundMessage
  extends Pick<
    StoredMessage,
    'message_id' | 'thread_id' | 'direction' | 'from_address' | 'from_name' | 'to' | 'cc' | 'subject' | 'tier'
  > {
  /** As its sender dated it, where that can be; else when it came. Unix ms. */
  readonly written_at: number;
  readonly attachments: readonly Pick<StoredAttachment, 'id' | 'name'>[];
  /** About 300 characters around what was found. */
  readonly snippet: string;
}

export interface OpenedMessage {
  readonly message: StoredMessage;
  readonly attachments: readonly StoredAttachment[];
}

/** The DKIM signatures that prove a mail. Each is good for one mail: whoever has it can put new headers above it. */
export interface UsedSignatures {
  /** SHA-256 of each. */
  readonly signatures: readonly string[];
  readonly messageId: string;
  /** No signature that was used before then proves anything any more, so nobody needs to remember it. */
  readonly forgottenBefore: number;
  readonly now: number;
}

/** What of an arriving letter is counted, so that two programs cannot answer each other for ever. Hashes: no name and no word stands here. */
export interface CountedAs {
  /** Mail that somebody is proven to have written is counted apart from mail that says so. */
  readonly proven: number;
  /** The address without its plus-tag. */
  readonly sender: string;
  /** The same for all addresses that differ only in numbers, plus-tags or the first label of the host. */
  readonly family: string;
  readonly subject: string;
  /** Of what it says (`lib/text/likeness.ts`). */
  readonly sketch: Uint8Array;
}

/** A letter that was counted. */
export interface CountedLetter extends CountedAs, Added<'counted_letters'> {
  readonly seq: number;
  /** The run that answers it; null where none does. */
  readonly run_id: string | null;
  readonly thread_id: string | null;
  /** `later`: its run begins at `until`; `stopped`: it is not answered, and neither is what is counted with it. */
  readonly state: 'answered' | 'later' | 'stopped';
  /** Stopped for what it says: whatever else its sender writes is answered. */
  readonly for_words: number;
  /** How many answers to ours in a row it ends. */
  readonly in_row: number;
  /** How many mails of its sender in a row, each soon after an answer of ours, it ends. */
  readonly pace: number;
  /** Its sender is told, and is the how manyth of those that are counted together; 0: not told. */
  readonly told: number;
  readonly until: number | null;
  readonly at: number;
  /** When our answer to it was written. */
  readonly replied_at: number | null;
}

export type NewCountedLetter = Omit<CountedLetter, 'seq' | 'replied_at' | 'at'>;

/** Mail that no message is about and whose bytes are kept: an owner's answers and orders, reports that changed something. */
export interface KeptMail extends Added<'kept_mail'> {
  readonly raw_sha256: string;
  readonly code: string;
  readonly message_id: string;
  readonly bytes: number;
  readonly at: number;
}

/** A page of a listing. */
export interface RowPage {
  /** Ids are listed newest first; the next page starts after this id. */
  readonly after?: string | undefined;
  readonly limit: number;
}
