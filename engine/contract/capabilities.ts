import type { CalendarCapability } from './capabilities/calendar.ts';
import type { CallbackCapability } from './capabilities/callback.ts';
import type { DelegationCapability } from './capabilities/delegation.ts';
import type { KnowledgeCapability } from './capabilities/knowledge.ts';
import type { MemoryCapability } from './capabilities/memory.ts';
import type { OwnersCapability } from './capabilities/owners.ts';
import type { PlaybooksCapability } from './capabilities/playbooks.ts';
import type { RulesCapability } from './capabilities/rules.ts';
import type { TablesCapability } from './capabilities/tables.ts';
import type { WaitingCapability } from './capabilities/waiting.ts';
import type { WebCapability } from './capabilities/web.ts';
import type { Preview } from './preview.ts';

/** What a tool may ask for, in its `uses` and in its manifest. The one list of these names. */
export const CAPABILITY_NAMES = [
  'mail',
  'files',
  'web',
  'outgoing',
  'artifacts',
  'schedule',
  'shell',
  'tables',
  'knowledge',
  'calendar',
  'memory',
  'delegation',
  'playbooks',
  'rules',
  'owners',
  'callback',
  'waiting',
] as const;

export type CapabilityName = (typeof CAPABILITY_NAMES)[number];

/**
 * What a tool may do to the world. Each is handed over only when the manifest's `capabilities` asks for it. A tool that
 * says what it `uses` finds these keys alone on its context; to one that does not, touching another throws
 * `unsupported_runtime_action`.
 */
export interface Capabilities extends Record<CapabilityName, object> {
  readonly mail: MailCapability;
  readonly files: FilesCapability;
  readonly web: WebCapability;
  readonly outgoing: OutgoingCapability;
  readonly artifacts: ArtifactsCapability;
  readonly schedule: ScheduleCapability;
  readonly shell: ShellCapability;
  readonly tables: TablesCapability;
  readonly knowledge: Omit<KnowledgeCapability, 'whole'>;
  readonly calendar: CalendarCapability;
  readonly memory: MemoryCapability;
  readonly delegation: DelegationCapability;
  readonly playbooks: PlaybooksCapability;
  readonly rules: RulesCapability;
  readonly owners: OwnersCapability;
  readonly callback: CallbackCapability;
  readonly waiting: WaitingCapability;
}

/** One change of a persona's tasks. What is left out stays as it is, or keeps its default. */
export interface TaskChange {
  readonly action: 'create' | 'change' | 'remove' | 'pause' | 'resume';
  /** The id, which is the file's name. */
  readonly task: string;
  readonly schedule?: string | undefined;
  readonly prompt?: string | undefined;
  readonly name?: string | undefined;
  readonly timezone?: string | undefined;
  readonly deliver?: string | undefined;
  readonly missed?: string | undefined;
  readonly window?: string | undefined;
  readonly overlap?: string | undefined;
  readonly thread?: string | undefined;
  readonly condition?: string | undefined;
}

/** The persona's own tasks. Throws `invalid_arguments` with what is wrong, and for anybody but an owner. */
export interface ScheduleCapability {
  /** The file as it would be, its next runs and what they may cost. */
  preview(change: TaskChange): Promise<Preview>;
  /** Makes the change; `next` are the next runs in the task's zone, with offset. */
  apply(change: TaskChange): Promise<{ readonly task: string; readonly state: string; readonly next: string[] }>;
}

/** Mail to anybody but the sender of the current mail. */
export interface OutgoingCapability {
  /** What stands behind the names in `attachments` now; null where there are none. Throws `invalid_arguments` for what is no address. */
  preview(mail: WrittenMail): Promise<Preview | null>;
  /**
   * Puts a mail into the outbox, in the same transaction as the tool's result: it can be neither lost nor doubled.
   * What an owner approved by `preview` is sent with those very bytes, or not at all. Throws `invalid_arguments`,
   * `outbound_transport_not_configured`.
   */
  send(mail: WrittenMail): Promise<{ readonly message_id: string }>;
}

export interface WrittenMail {
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly subject: string;
  /** Markdown. */
  readonly body: string;
  /** Paths in `files/`, or ids of attachments. */
  readonly attachments: readonly string[];
  /**
   * Message-ID of an earlier mail to or from the same people: this one goes on in its thread. It begins one of its own
   * where that mail is none that was sent for whoever asks now, or not all recipients have a part in it.
   */
  readonly in_reply_to?: string | undefined;
}

/** Commands in a sandbox: no network, a scrubbed environment, and nothing to write to but the persona's files. */
export interface ShellCapability {
  /**
   * Ends with everything that the command started, at its time at the latest. One command at a time works in a persona's
   * files. Throws `tool_failed` without a sandbox, as root, and where `files/` is full.
   */
  run(options: {
    readonly command: string;
    readonly timeoutMs: number;
    readonly signal: AbortSignal;
  }): Promise<ShellResult>;
}

export interface ShellResult {
  /** Null when it was ended. */
  readonly exit_code: number | null;
  /** Why it was ended before it was done; null when it was not. */
  readonly ended: 'timeout' | 'too much output' | 'too much written' | 'too much memory' | null;
  /** The beginning of what it wrote; the whole length stands beside it. */
  readonly stdout: string;
  readonly stderr: string;
  readonly stdout_bytes: number;
  readonly stderr_bytes: number;
  readonly truncated: boolean;
}

/** Results of this thread's calls that were too large to be shown whole. */
export interface ArtifactsCapability {
  /** Pages count from 1 and together are the whole. Throws `not_found`, `invalid_arguments` past the last one. */
  readPage(options: { readonly ref: string; readonly page: number }): Promise<ArtifactPage>;
  /**
   * Keeps a file of `files/` as it is now, or an attachment by its id. The answer of the run carries it where the tool `attach`
   * returns this as its result. Throws as reading a file does, `invalid_arguments` for more files than a mail can have.
   */
  attach(path: string): Promise<KeptFile>;
}

export interface ArtifactPage {
  readonly ref: string;
  readonly page: number;
  readonly pages: number;
  readonly total_chars: number;
  /** Without secrets and hidden characters, else word for word. */
  readonly text: string;
  readonly next_page: number | null;
}

/** Earlier mail of this persona that the sender of the current mail may see. */
export interface MailCapability {
  search(options: { readonly query: string; readonly limit: number }): Promise<readonly FoundMail[]>;
  /** The same by more than words, with who got it. Throws `invalid_arguments` for a date that is none. */
  find(wanted: MailQuery): Promise<FoundMails>;
  /** Conversations, the newest first, with what each waits for. Throws `invalid_arguments` for a date that is none. */
  threads(wanted: ThreadsQuery): Promise<FoundThreads>;
  /** One mail, a page of one part of it at a time. Throws `not_found`, `invalid_arguments` past the last page. */
  read(options: {
    readonly message_id: string;
    /** Absent: what its sender wrote now, or what there is instead. */
    readonly part?: MailPart | undefined;
    readonly page?: number | undefined;
  }): Promise<OpenedMail>;
  /**
   * A stretch of one attachment's text. `page` counts pages, slides or sheets, `offset` and `limit` characters; without
   * either it begins at the beginning. `part` is a file within it. Throws `not_found`, `tool_failed` for what cannot be
   * read, `invalid_arguments` past the last page.
   */
  readAttachment(options: {
    readonly id: string;
    readonly part?: string | undefined;
    readonly page?: number | undefined;
    readonly offset?: number | undefined;
    readonly limit: number;
  }): Promise<AttachmentPage>;
}

export interface FoundMail {
  readonly message_id: string;
  readonly thread_id: string;
  readonly direction: 'in' | 'out';
  readonly from: string;
  readonly subject: string;
  /** When it was written, ISO 8601. */
  readonly date: string;
  readonly snippet: string;
}

/** All that is given has to hold. */
export interface MailQuery {
  /** Absent: newest first. */
  readonly query?: string | undefined;
  /** A name, an address or a part of one. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** ISO dates or times; without an offset in the persona's zone. `before` itself is not included. */
  readonly since?: string | undefined;
  readonly before?: string | undefined;
  readonly direction?: 'in' | 'out' | undefined;
  readonly has_attachment?: boolean | undefined;
  /** The id of a thread. */
  readonly thread?: string | undefined;
  readonly limit: number;
}

export interface ThreadsQuery {
  /** ISO date or time; without an offset in the persona's zone. Absent: as far back as there is mail. */
  readonly since?: string | undefined;
  /** Only those that wait for somebody. */
  readonly open?: boolean | undefined;
  readonly limit: number;
}

export interface FoundThreads {
  readonly threads: readonly ThreadHit[];
  /** There are more of them. */
  readonly more: boolean;
  /** Whose mail was refused, since then or in the last week; absent where not owners alone read the answer. */
  readonly refused?: readonly RefusedSender[];
  readonly more_refused?: boolean;
}

/** Somebody whose mail was not taken in, by what they wrote of themselves. */
export interface RefusedSender {
  readonly from: string;
  /** The name beside the address, which anybody can write there. */
  readonly calls_itself: string;
  /** The owner or member whose name that is. */
  readonly has_the_name_of?: string;
  /** It is written as an answer, and nothing was written to them. */
  readonly written_as_an_answer_to_nothing?: true;
  readonly mails: number;
  /** Of the newest. */
  readonly subject: string;
  readonly last_at: string;
  readonly why: string;
}

export interface ThreadHit {
  readonly thread_id: string;
  readonly subject: string;
  /** Who wrote in it, the last one first. */
  readonly people: readonly string[];
  readonly mails: number;
  /** `you`, or who wrote the newest mail. */
  readonly last_by: string;
  /** When that was, in the persona's zone. */
  readonly last_at: string;
  /** For whom or what, in words; null: for nobody. */
  readonly waits_for: string | null;
}

export interface FoundMails {
  readonly total: number;
  readonly messages: readonly MailHit[];
  /** How to get at what is not among them, in words; null when all are. */
  readonly next: string | null;
  /** Whose mail was not searched, in words; absent: all was. */
  readonly note?: string;
}

export interface MailHit extends FoundMail {
  readonly from_name: string;
  /** To and Cc. */
  readonly to: readonly string[];
  /** Names of its attachments. */
  readonly attachments: readonly string[];
  /** The same files with the ids by which they are read and go along with other mail. */
  readonly files: readonly { readonly id: string; readonly name: string }[];
  /** False: anybody could have written it under that address. */
  readonly proven: boolean;
}

/** What its sender wrote, what came forwarded with it, and what is quoted in it. */
export type MailPart = 'new' | 'forwarded' | 'quoted';

export interface OpenedMail extends Omit<MailHit, 'snippet' | 'files'> {
  /** The whole of those of its attachments, or of the files in them, that are small; absent: none is, or the run may not read them. */
  readonly texts?: readonly { readonly id: string; readonly part?: string; readonly text: string }[];
  readonly cc: readonly string[];
  readonly part: MailPart;
  /** Without secrets and hidden characters, else word for word. */
  readonly text: string;
  readonly page: number;
  readonly pages: number;
  /** Pages of the other parts that the mail has. */
  readonly other_parts: readonly { readonly part: MailPart; readonly pages: number }[];
}

export interface AttachmentPage {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
  /** The file within it that was asked for. */
  readonly part: string | null;
  readonly title: string | null;
  readonly text: string;
  /** Characters of the whole text before it. */
  readonly offset: number;
  readonly total_chars: number;
  readonly next_offset: number | null;
  /** Pages, slides or sheets that it shows and how many there are, such as `3-5 of 12`; null where there are none. */
  readonly pages: string | null;
  /** Files within it, by the names that `part` takes. */
  readonly parts: readonly { readonly name: string; readonly type: string; readonly bytes: number }[];
  /** What of it could not be read, in words. */
  readonly note: string | null;
}

/** The persona's `files/` folder. Paths are relative to it; anything that leaves it throws `invalid_arguments`. */
export interface FilesCapability {
  list(
    path: string,
  ): Promise<readonly { readonly path: string; readonly type: 'file' | 'folder'; readonly bytes: number }[]>;
  /** UTF-8 text. Throws `not_found`, or `tool_failed` for a file that is not text or is over 10 MiB. */
  read(path: string): Promise<string>;
  /** What a file says: UTF-8 text as it stands, and of a document (PDF, office files) its text. Throws as `read` does. */
  text(path: string): Promise<string>;
  /**
   * Atomic: written under another name and renamed. `isNew`: throws `invalid_arguments` where a file with other content has
   * come there meanwhile.
   */
  write(
    path: string,
    content: string,
    options?: { readonly isNew?: boolean },
  ): Promise<{ readonly path: string; readonly bytes: number }>;
  /** Takes the file away; for seven days it can be brought back. The same call again returns the same. */
  remove(path: string): Promise<{ readonly path: string; readonly bytes: number; readonly sha256: string }>;
  /** Brings back what `remove` took away. Throws `tool_failed` when something else stands there by now. */
  restore(path: string, sha256: string): Promise<{ readonly path: string }>;
  /** What would change if the file had this content, or were gone (null): lines with `-` and `+`, cut with what is missing said. */
  compare(path: string, content: string | null): Promise<Preview>;
  /** Absent, made by this persona and unchanged since, or somebody else's. */
  owner(path: string): Promise<'absent' | 'persona' | 'other'>;
}

/** A file as it was when it was attached; `path` in its shortest form. */
export interface KeptFile {
  readonly path: string;
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
  readonly sha256: string;
}
