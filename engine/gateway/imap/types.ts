import type { Log } from '#contract';
import type { MailboxConfig } from '../../config/types.ts';
import type { Clock } from '../../lib/clock.ts';
import type { PassCrashPoint } from '../../lib/crash-points.ts';
import type { Login } from '../../mailbox/login/login.ts';
import type { Tuning } from './tuning.ts';

/** Location of a mail. UIDVALIDITY is a string: it is a BigInt on the wire, and JSON has none. */
export interface MailSource {
  readonly mailbox: string;
  readonly uidValidity: string;
  readonly uid: number;
  /** When the server got it, ms UTC (INTERNALDATE). */
  readonly internalDate: number;
}

/** Every UID up to `uid` has been settled or is on record as left for later. */
export interface MailboxCursor {
  readonly uidValidity: string;
  readonly uid: number;
  /**
   * INTERNALDATE of the newest mail that lay there at a first connect with `now`, or about when that was. When UIDVALIDITY
   * changes, all UIDs are new; this keeps mail from before our time from being answered then. Absent: nothing is left out.
   */
  readonly since?: number | undefined;
}

/** `needs_login`: nothing is tried before somebody has logged in at the provider. */
export type MailboxState = 'connected' | 'retrying' | 'auth_failed' | 'needs_login' | 'disabled';

export interface MailboxStatus {
  readonly state: MailboxState;
  /** One line for the owner; null while connected. */
  readonly error: string | null;
}

export interface RefusedOften {
  readonly since: number;
  /** The cause, and what helps. */
  readonly error: string;
}

export type ReceiveOutcome = 'settled' | 'untouched' | 'later';

export interface MailboxDeps {
  readonly mailbox: MailboxConfig;
  readonly login: Login;
  readonly maxMessageBytes: number;
  /**
   * Commits one mail durably, or records why not. `untouched`: recorded, and the mailbox is to show no trace of it
   * (an unknown recipient's mail may be somebody else's). `later`: it could not be settled now, a `deferred` row exists,
   * and `recheck` will ask for it again. Never throws for a bad mail; a throw means that nothing can be stored
   * now, and the mail is offered again.
   */
  receive(raw: Uint8Array, source: MailSource): Promise<ReceiveOutcome>;
  /** The same for a mail over the size limit: its first bytes (headers, at most 64 KiB) and its size. */
  oversized(head: Uint8Array, source: MailSource, bytes: number): Promise<ReceiveOutcome>;
  /** What came shortly before the first connect: on record as not taken in. */
  justBefore(raw: Uint8Array, source: MailSource): Promise<void>;
  /** What was in hand more than once when the process died, of this UIDVALIDITY. */
  suspects(uidValidity: string): Promise<readonly number[]>;
  /**
   * The server lists this mail and cannot say now what it is: on record as left for later, and asked for again by `recheck`
   * until it is given up. Committed when it resolves.
   */
  withheld(source: MailSource, said: Withheld): Promise<void>;
  /** Listed as left there: it is from before the first connect, or somebody threw it away. Ends what was left for later. */
  leaveAlone(source: MailSource, left: LeftAlone): Promise<void>;
  /** Waits for what the owners say, who are asked by `askAboutHeld` about all of them together. */
  hold(source: MailSource, head: Uint8Array | null): Promise<void>;
  askAboutHeld(uidValidity: string, mails: number): Promise<void>;
  /** Whether a mail with this Message-ID has come to an end here. */
  isKnown(messageId: string): Promise<boolean>;
  /** The server goes back behind UIDs that it gave: each of them may be another mail's by now. */
  renumbered(uidValidity: string): Promise<void>;
  /** A mail asked for by `recheck` is no longer there, as it seems now. */
  gone(source: Omit<MailSource, 'internalDate'>): Promise<void>;
  readonly cursor: {
    load(): Promise<MailboxCursor | null>;
    save(cursor: MailboxCursor): Promise<void>;
  };
  readonly clock: Clock;
  readonly log: Log;
  random(): number;
  onState(status: MailboxStatus): void;
  /** The server has refused the login several times in a row. Only somebody who has something to log in with is told here. */
  onRefusedOften?(refused: RefusedOften): void;
  readonly pass?: PassCrashPoint;
  readonly tuning?: Partial<Tuning>;
}

export interface LeftAlone {
  readonly code: 'before_first_connect' | 'marked_deleted';
  readonly head: Uint8Array | null;
}

export interface Withheld {
  /** What the server did instead, in words. */
  readonly why: string;
  /** Some of its headers, where it handed out those; else null. */
  readonly head: Uint8Array | null;
}

/** A mail that was left for later, as its `deferred` row names it. */
export interface Deferred {
  readonly uidValidity: string;
  readonly uid: number;
}
