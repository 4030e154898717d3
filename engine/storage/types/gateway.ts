import type { Tier } from './mail.ts';
import type { Optional } from './optional.ts';

// What all personas share: work that is announced, mail that was seen, mail that was not understood.

/** `dueAt`: when the persona may have work. `generation` grows with every bump. */
export interface Wakeup {
  readonly personaId: string;
  readonly dueAt: number;
  readonly generation: number;
}

/** How an owner has put a persona to rest: `stopped` by STOP, so that its mail does not leave either; null: it works. */
export type Pause = 'paused' | 'stopped' | null;

export type SeenDecision =
  | 'accepted'
  | 'duplicate'
  | 'recorded'
  | 'refused'
  | 'dead_letter'
  | 'deferred'
  // Of mail that left.
  | 'sent'
  | 'failed'
  | 'unknown';

export interface SeenMail {
  readonly id: number;
  readonly message_id: string;
  readonly persona_id: string | null;
  readonly recipient: string | null;
  readonly direction: 'in' | 'out';
  readonly decision: SeenDecision;
  readonly code: string | null;
  readonly from_address: string | null;
  readonly tier: Tier | null;
  readonly detail: string | null;
  readonly subject: string;
  readonly received_at: number;
  readonly thread_id: string | null;
  readonly run_id: string | null;
  readonly mailbox: string | null;
  readonly uidvalidity: string | null;
  readonly uid: number | null;
  /** Of the mail that was kept when this row was written, which may be let go since; null: none was. */
  readonly kept_sha256: string | null;
}

export type NewSeenMail = Optional<
  Omit<SeenMail, 'id'>,
  | 'persona_id'
  | 'recipient'
  | 'code'
  | 'from_address'
  | 'tier'
  | 'detail'
  | 'thread_id'
  | 'run_id'
  | 'mailbox'
  | 'uidvalidity'
  | 'uid'
  | 'kept_sha256'
>;

/** Where in a mailbox a mail lies; UIDVALIDITY as text, it may exceed 2^53. */
export interface MailPlace {
  readonly mailbox: string;
  readonly uidvalidity: string;
  readonly uid: number;
}

export type MailFolder = Omit<MailPlace, 'uid'>;

/** Up to where a mailbox was read. */
export interface Cursor {
  readonly uidvalidity: string;
  readonly uid: number;
  readonly since: number | null;
}

/** A mail of a mailbox that was taken up and is not settled. */
export interface MailTry {
  /** How often it was taken up since it last came to an end, this time included. */
  readonly begun: number;
  /** How often it was left for later by what takes longer each time. */
  readonly deferrals: number;
}

/** Of mail that nobody answers and whose sender is nobody's: how old it may grow, and how much of it there may be. */
export interface SeenLimits {
  readonly olderThan: number;
  readonly rows: number;
  /** Rows that are removed in one transaction. */
  readonly batch: number;
}

/** A refused mail, kept for a while so that it can be taken in once its sender is allowed or proven. */
export interface RefusedMail {
  readonly raw_sha256: string;
  readonly message_id: string;
  readonly at: number;
  readonly bytes: number;
  readonly door: 'submission' | 'relay' | 'stranger' | 'imap';
  /** The mailbox in which it lay; null where it came over SMTP. */
  readonly mailbox: string | null;
  /** The border server that the door believed when it came. */
  readonly authserv_id: string | null;
  /** What the other side of the connection was and said, where it was a stranger. */
  readonly ip: string | null;
  readonly helo: string | null;
  readonly mail_from: string | null;
  /** As in the envelope; null where there was none. */
  readonly return_path: string | null;
  readonly recipients: readonly string[] | null;
  /**
   * Whose mail it counts as where room is short: the proven domain, else what connected. `TAKEN` stands before that where the
   * mail was taken in and a limit stopped it: its server holds it no more, so it is let go only for others of its kind.
   */
  readonly counted_as: string;
  readonly raw: Uint8Array;
}

export const TAKEN = 'taken ';

/** How much mail of one kind, refused or taken in, may lie there; the oldest goes first. */
export interface RefusedLimits {
  readonly mails: number;
  readonly bytes: number;
}

/** Which received mail is asked for; of text a part is enough, in any case of letters. */
export interface SeenWanted {
  readonly limit: number;
  /** Older than this row. */
  readonly before?: number | undefined;
  readonly persona?: string | undefined;
  readonly decision?: SeenDecision | undefined;
  readonly from?: string | undefined;
  readonly subject?: string | undefined;
  readonly since?: number | undefined;
}

/** Which mail is looked at, in and out alike; of text a part is enough, in any case of letters. */
export interface SeenLook {
  readonly limit: number;
  /** Older than this row. */
  readonly before?: number | undefined;
  /** Mail of these personas alone. An empty text stands for mail of none. */
  readonly personas: readonly string[];
  readonly direction?: SeenMail['direction'] | undefined;
  readonly decision?: SeenDecision | undefined;
  /** A part of the address that wrote it, or of the one that it went to. */
  readonly who?: string | undefined;
  /** A part of that, or of the subject. */
  readonly text?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** Of everybody who wrote only their newest mail. */
  readonly newestOfEach?: boolean | undefined;
}

/** `before`: where to go on; null: nothing is left. A look ends after so many rows, so there may be more although few were found. */
export interface SeenPage {
  readonly rows: readonly SeenMail[];
  readonly before: number | null;
}

/** Mail of one person with one persona, over the newest mails of that person. */
export interface SeenOfPerson {
  readonly persona_id: string | null;
  readonly direction: SeenMail['direction'];
  readonly decision: SeenDecision;
  readonly tier: Tier | null;
  readonly mails: number;
  readonly first_at: number;
  readonly last_at: number;
}

/** Whose mail was refused for the first time of which there is a row, for one persona and one reason. */
export interface NewlyRefused {
  readonly persona_id: string;
  readonly from_address: string;
  readonly code: 'sender_not_allowed' | 'auth_failed';
  readonly mails: number;
  /** Of the newest. */
  readonly message_id: string;
  readonly subject: string;
}

/** What an owner says of somebody whose mail was refused. */
export type SenderVerdict = 'allow' | 'once' | 'block';

/** One sender of a digest of refused mail: whether they may write is asked of the owner whom it was mailed to. */
export interface SenderQuestion {
  readonly notice_id: string;
  /** Its number in the digest. */
  readonly number: number;
  readonly persona_id: string;
  /** The key of the address. */
  readonly sender: string;
  readonly code: NewlyRefused['code'];
  readonly mails: number;
  readonly subject: string;
  readonly asked_at: number;
  /** Until when it can be answered. */
  readonly until: number;
  readonly verdict: SenderVerdict | null;
  readonly decided_by: string | null;
  readonly decided_at: number | null;
  /** The answer that decided it. */
  readonly answer_id: string | null;
}

export type NewSenderQuestion = Omit<SenderQuestion, 'verdict' | 'decided_by' | 'decided_at' | 'answer_id'>;

/** Who decided a question, and how. */
export interface SenderDecision {
  readonly verdict: SenderVerdict;
  readonly by: string;
  readonly at: number;
  readonly answerId: string;
}

/** `changed`: allowed, and the server showed others by then, so that nothing was pinned. */
export type ToolsVerdict = 'allow' | 'leave' | 'changed';

/** Whether the tools of an MCP server may be used as it shows them, as owners were asked it. */
export interface ToolQuestion {
  readonly notice_id: string;
  /** Who asks, in whose name. */
  readonly persona_id: string;
  readonly server: string;
  /** All of its tools as the mail showed them: JSON, and what tells it from another list. */
  readonly offer: string;
  readonly offer_sha256: string;
  readonly asked_at: number;
  /** Until when it can be answered. */
  readonly until: number;
  readonly verdict: ToolsVerdict | null;
  readonly decided_by: string | null;
  readonly decided_at: number | null;
  /** The answer that decided it. */
  readonly answer_id: string | null;
}

export type NewToolQuestion = Omit<ToolQuestion, 'verdict' | 'decided_by' | 'decided_at' | 'answer_id'>;

export interface ToolsDecision {
  readonly verdict: ToolsVerdict;
  readonly by: string;
  readonly at: number;
  readonly answerId: string;
}

export interface DeadLetter {
  readonly id: string;
  readonly persona_id: string | null;
  readonly message_id: string;
  readonly stage: string;
  readonly code: string;
  readonly message: string;
  readonly raw_path: string | null;
  /** Of what is kept of it. */
  readonly bytes: number;
  readonly at: number;
}

/** What a link of `epistle console` begins a session with, once; only its hash is kept. */
export interface ConsoleCode {
  readonly code_sha256: string;
  /** Whose session it begins, and what that may do. */
  readonly address: string;
  readonly role: string;
  readonly made_at: number;
  readonly until: number;
  /** When it began one, or was taken back. */
  readonly used_at: number | null;
  readonly came_by: ConsoleWay;
}

/** How somebody got in: by a link of `epistle console`, by one that was mailed or another provider, which prove less, or by a passkey. */
type ConsoleWay = 'link' | 'mail' | 'passkey' | 'oidc';

/** Somebody has asked for a mail that lets them in; whether the address is an owner's is not known yet. */
export interface ConsoleLogIn {
  readonly id: string;
  readonly address: string;
  /** Of the cookie of the browser in which it was asked, which is only there. */
  readonly browser_sha256: string;
  readonly asked_at: number;
  /** Until when what is mailed lets somebody in. */
  readonly until: number;
  /** Of what was mailed; the mail itself is nowhere. */
  readonly code_sha256: string | null;
  /** When it was about to be handed over; null: nobody has tried yet, or the server took nothing. */
  readonly mailed_at: number | null;
}

/** Somebody who looks at the console in one browser. The cookie itself is only there. */
export interface ConsoleSession {
  readonly token_sha256: string;
  readonly id: string;
  readonly address: string;
  readonly role: string;
  readonly made_at: number;
  /** When it last asked for something, as good as a minute. */
  readonly seen_at: number;
  /** Over then, however often it asks. */
  readonly until: number;
  readonly ended_at: number | null;
  /** `cli`, `timer`, or the address that ended it. */
  readonly ended_by: string | null;
  readonly came_by: ConsoleWay;
}

/** A key on a device by which somebody comes into the console (WebAuthn). Its secret half is only there. */
export interface ConsolePasskey {
  readonly id: string;
  /** As the device names it: base64url. */
  readonly credential_id: string;
  /** Whose sessions it begins, and what they may do. */
  readonly address: string;
  readonly role: string;
  /** As its owner calls it. */
  readonly name: string;
  /** COSE (RFC 9052), as base64url. */
  readonly public_key: string;
  /** How often the device says that it was used; 0 for ever: it does not count. */
  readonly counter: number;
  /** The host for which it was made, and for no other. */
  readonly rp_id: string;
  readonly made_at: number;
  readonly used_at: number | null;
}

export type NewConsolePasskey = Omit<ConsolePasskey, 'used_at'>;

/** What was decided or done of what belongs to no persona, as the audit log of a persona has it of the others. */
export interface GatewayAudit {
  readonly id: string;
  readonly at: number;
  /** An address, `cli`, `timer`, `engine`, or `unproven`. */
  readonly actor: string;
  readonly event: string;
  readonly decision: string | null;
  readonly detail: { readonly address: string | null } & Readonly<Record<string, unknown>>;
}

/** The event of a change of settings that may have led the mail about it elsewhere: that had not left before. */
export const TOLD_LATE = 'setting_told_late';

export type NewConsoleSession = Pick<ConsoleSession, 'token_sha256' | 'id' | 'until'>;
