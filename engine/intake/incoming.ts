import type { Arrival } from '../mail/mime/types.ts';
import type { MailPlace, SeenDecision } from '../storage/types/gateway.ts';
import type { Tier } from '../storage/types/mail.ts';

/** Location of a mail: mailbox, UIDVALIDITY, UID. */
export type Location = MailPlace;

/** Why a mail could not be read whole. */
export interface Unreadable {
  readonly ok: false;
  readonly code: 'unparsable' | 'mime_limit' | 'too_many_attachments' | 'message_too_large';
  readonly message: string;
}

export interface Envelope {
  /** MAIL FROM; null when the door knows none, empty for `<>`. */
  readonly returnPath: string | null;
  /** RCPT TO; null when the mail's own headers have to say. */
  readonly recipients: readonly string[] | null;
}

/** What a door hands in. */
export interface IncomingMail {
  readonly raw: Uint8Array;
  readonly arrival: Arrival;
  readonly envelope: Envelope;
  readonly place: Location | null;
  /** The account whose mailbox it lies in, for mail without an envelope. */
  readonly account?: string | null;
  /** When it came into that mailbox, ms; absent: now. */
  readonly arrivedAt?: number;
  /**
   * Absent: a mail that arrives.
   * `not_taken`: a mail that came before anybody waited for it. It is only put on record.
   * `again`: a mail that is kept since it was refused under these codes, and is tried once more. Refused under one of them
   * again, it leaves no trace.
   * `once`: the persona that an owner has take in this one mail, though no rule names its sender. It is a stranger's, and
   * who wrote it has to be proven all the same.
   * `asked`: the persona that an owner has take in this very mail. No count of mails stops it there; at the others it does.
   */
  readonly fate?: 'not_taken' | { readonly again: readonly string[]; readonly once?: string; readonly asked?: string };
  /**
   * Who has it taken in after all, an address or `cli`: that stands in the log of the persona that it is taken in for; `persona`
   * null: it came to none, so of each that it is with then.
   */
  readonly askedBy?: { readonly by: string; readonly persona: string | null };
  /** The door has only the first bytes of it, and why. */
  readonly unreadable?: Unreadable;
}

/** What became of a mail for one persona. */
export interface MailResult {
  readonly recipient: string | null;
  readonly persona: string | null;
  readonly decision: SeenDecision;
  readonly code: string | null;
  readonly tier: Tier | null;
  readonly threadId: string | null;
  readonly runId: string | null;
}

/** What a door is answered, and has to obey: `deferred` is offered again, everything else is settled. */
export interface Received {
  readonly messageId: string;
  readonly results: readonly MailResult[];
}

/** What is known of a mail that only its mailbox has. */
export interface SetAside {
  readonly code: 'unparsable' | 'not_handed_over';
  readonly reason: string;
  readonly raw: Uint8Array | null;
  /** Some of its headers, where they could be had by themselves. */
  readonly head: Uint8Array | null;
}

/** A mail that is not fetched: by its headers, where it has some, all that is known of it. */
export type LeftThere = { readonly reason: string; readonly head: Uint8Array | null } & (
  | { readonly decision: 'deferred'; readonly code: 'not_handed_over' | 'resync_held' }
  | { readonly decision: 'refused'; readonly code: 'before_first_connect'; readonly account: string | null }
  | { readonly decision: 'recorded'; readonly code: 'marked_deleted' }
);

/** The one way in, whatever door a mail came through. */
export interface Intake {
  /**
   * Resolves when everything is committed. Rejects when something could not be stored, and then nobody may
   * acknowledge the mail.
   */
  receive(incoming: IncomingMail): Promise<Received>;
  /**
   * Keeps a mail that a mailbox lists and that nobody can fetch or take in: a dead letter, with bytes if there are any. The
   * owners of the personas of that mailbox are told once.
   */
  setAside(place: Location, letter: SetAside): Promise<void>;
  /** Puts on record that a mail of a mailbox waits there, or is left there for good. */
  leaveThere(place: Location, left: LeftThere): Promise<void>;
}
