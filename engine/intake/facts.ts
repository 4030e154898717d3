import type { Persona, SecurityConfig } from '../config/types.ts';
import type { FoundToken } from '../mail/approval/approval-answer.ts';
import type { OwnerCommand } from '../mail/approval/owner-command.ts';
import type { Identity, ParsedMail, SilenceCode } from '../mail/mime/types.ts';
import type { ArrivalQuery, ArrivalRows, QuotableMail } from '../storage/ports/mail.ts';
import type { Waiting } from '../storage/ports/waiting.ts';
import type { Approval, ApprovalNotice, Offered, UndoItem } from '../storage/types/approvals.ts';
import type { SenderQuestion, ToolQuestion } from '../storage/types/gateway.ts';
import type { SaidByOwner } from '../suspensions/answers/read-answer.ts';
import type { Unreadable } from './incoming.ts';
import type { Admission } from './rules/admit.ts';

/** What is known of a mail for one persona before its rows are read. */
export interface MailFacts {
  readonly persona: Persona;
  /** The address that named the persona. */
  readonly recipient: string;
  readonly raw: Uint8Array;
  /** The part of the mail that is proven. */
  readonly mail: ParsedMail;
  readonly unreadable: Unreadable | null;
  readonly identity: Identity;
  /** What the access rules say of the sender. */
  readonly admission: Admission;
  /** Why it is never answered. */
  readonly silence: SilenceCode | null;
  /** Its subject is one that programs give to what they answer by themselves, and whether it names a mail of ours; else null. */
  readonly automatic: { readonly namesOurs: boolean } | null;
  /** Whether who wrote it may still be proven, and since when that is waited for. */
  readonly proof: { readonly mayCome: boolean; readonly since: number | null };
  /** Said by a proven owner. */
  readonly command: OwnerCommand | null;
  /** Token of a notice, found in the addresses, the subject or the text. */
  readonly token: FoundToken | null;
  /** A proven owner who is no persona: what a persona writes is a model's word, and no model approves anything. */
  readonly mayAnswer: boolean;
  /** How often mail may still travel between personas, once it is answered; below 0: it has done so as often as it may. */
  readonly recursion: number;
  readonly loopGuard: SecurityConfig['loop_guard'];
  /** An owner wants this very mail taken in: how many came before it does not stop it. */
  readonly isAsked: boolean;
  /** Who has it taken in after all, an address or `cli`; null: it came by itself. */
  readonly askedBy: string | null;
  readonly now: number;
}

/** A notice to owners that the mail answers. */
export interface NoticeFacts {
  readonly notice: ApprovalNotice;
  /** The held calls that it asks about. */
  readonly items: readonly Approval[];
  /** What it says can be taken back; only where it asks about nothing. */
  readonly undo: readonly UndoItem[];
  /** What it offers to do once more; null: nothing. */
  readonly again: Offered | null;
  /** The senders that it asks about; only where it asks about nothing else. */
  readonly senders: readonly SenderQuestion[];
  /** The tools of a server that it asks about; null where it asks about something else. */
  readonly tools: ToolQuestion | null;
  /** This very mail answered it before. */
  readonly isAnswered: boolean;
  /** What of the mail its sender typed, and what beside it may change that. */
  readonly said: SaidByOwner;
}

/** What the rows say, read at one time. */
export interface RowFacts {
  readonly query: ArrivalQuery;
  readonly arrival: ArrivalRows;
  /** Mails of the thread that its sender wrote or was sent. */
  readonly quotable: readonly QuotableMail[];
  /** The signature of an owner's command was used before. */
  readonly isCommandUsed: boolean;
  /** A line of the mail that may change the owner's command. */
  readonly besideCommand: string | null;
  readonly notice: NoticeFacts | null;
  /** The open questions about requests of its sender that its first line takes back; nobody else's line does. */
  readonly takesBack: readonly Approval[];
  /** Why its run is not to begin yet. */
  readonly waiting: Waiting | null;
  /** What this gateway answered within the hour, all personas together. */
  readonly answersOfAll: number;
}

export type Facts = MailFacts & RowFacts;
