import type { Piece } from '#contract';

/** An address as compared and stored: local part as written, domain in lower-case punycode. */
export interface Mailbox {
  readonly address: string;
  readonly name: string;
  /** Another reader could take it for one with another address. */
  readonly isUnsure?: true;
}

export interface ParsedAttachment {
  /** Base name only, control and bidi characters removed, at most 200 characters; never used as a path. */
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly content: Uint8Array;
  readonly contentId: string | null;
  readonly inline: boolean;
  /** The charset that its part declares. */
  readonly charset: string | null;
  /** Why it cannot be read (too large, encrypted, an Outlook container), in words; null when it can. Too large: no content. */
  readonly unreadable: string | null;
}

/** What a mail's own bytes say of how far they can be proven. */
export interface Provable {
  /** Why its header proves nobody, in words: malformed, or a field twice that stands once. Null when it may. */
  readonly fault: string | null;
  /** Whether the body could mean nothing else under another Content-Type. */
  readonly contentType: boolean;
  /** The same of Content-Transfer-Encoding. */
  readonly transferEncoding: boolean;
  /** The same of Content-Disposition. */
  readonly disposition: boolean;
  /** Over header and body as a persona's mail is sealed; null unless it claims to be one. */
  readonly seal: string | null;
}

export type FromHeader =
  | { readonly kind: 'one'; readonly mailbox: Mailbox }
  | { readonly kind: 'missing' }
  /** Two From headers, two mailboxes, a group, or an address that does not parse: nobody. */
  | { readonly kind: 'ambiguous' };

/** A mail as understood. Plain data: it crosses the worker's border by structured clone. */
export interface ParsedMail {
  /** sha256 of the raw bytes, hex. */
  readonly rawSha256: string;
  readonly rawBytes: number;
  /** With angle brackets; `<sha256-HEX32@content.invalid>` where the mail has none. */
  readonly messageId: string;
  readonly from: FromHeader;
  readonly provable: Provable;
  readonly to: readonly Mailbox[];
  readonly cc: readonly Mailbox[];
  readonly replyTo: readonly Mailbox[];
  /** Addresses of Delivered-To and X-Original-To, topmost first. */
  readonly deliveredTo: readonly string[];
  /** One line, decoded, without control characters. */
  readonly subject: string;
  /** The Date header in ms; null when absent or not a date (mailparser would say "now"). */
  readonly date: number | null;
  /** The Date header as written, trimmed; part of the duplicate key. */
  readonly dateHeader: string;
  /** Message-IDs with angle brackets, as written, in order, without repeats, at most 100. */
  readonly inReplyTo: readonly string[];
  readonly references: readonly string[];
  /** All headers in order, names in lower case, values unfolded and undecoded, each at most 8 KiB, 500 at most. */
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  /** A sign under a mail, as programs send it (RFC 9078), and no letter. */
  readonly reaction: boolean;
  /** Tokens of notices that stand in the new text, two at most; no text below holds any. */
  readonly typedTokens: readonly string[];
  /** The whole readable text (what a person would see), bounded. */
  readonly text: string;
  /** The pieces that the sender wrote now, joined. */
  readonly newText: string;
  readonly quotedText: string;
  readonly signature: string;
  readonly forwardedText: string;
  /** Every line of the text that is not blank, in reading order, as the mail itself tells whose it is. */
  readonly pieces: readonly Piece[];
  /** There is more text than was read. */
  readonly isCut: boolean;
  /** The lines of the version that was not read, of plain text and HTML, where its words are others; null where they are not. */
  readonly otherPieces: readonly Piece[] | null;
  /** Characters of hidden HTML text and invisible Unicode that were removed. */
  readonly hiddenCharacters: number;
  readonly attachments: readonly ParsedAttachment[];
  /** What could not be read or was cut, in words for the model and the person. */
  readonly limitations: readonly string[];
}

/** What has to be supposed of a mail of which a signature alone proves the sender, since somebody else may have changed it. */
export interface Supposed {
  /** It may be an answer: nobody signed that it names no earlier mail. */
  readonly isReply: boolean;
  /** It may hand on other mail: nobody signed its subject. */
  readonly isForward: boolean;
  /** Its HTML may be another part than a version of the text: nobody signed how its parts belong together. */
  readonly isPlainFirst: boolean;
}

export type ParseOutcome =
  | { readonly ok: true; readonly mail: ParsedMail }
  | {
      readonly ok: false;
      readonly code: 'unparsable' | 'mime_limit' | 'too_many_attachments';
      readonly message: string;
    };

/** Through which door a mail came, and what that door knows. */
export type Arrival =
  /** SMTP AUTH with the workspace's submission secret: From is believed. */
  | { readonly door: 'submission' }
  /** A configured border server whose own Authentication-Results count. */
  | {
      readonly door: 'relay';
      readonly authservId: string;
      /** MAIL FROM; empty for `<>`, null where it is not known. */
      readonly mailFrom: string | null;
    }
  /** Anybody else over SMTP; we check SPF, DKIM, DMARC and ARC ourselves. */
  | { readonly door: 'stranger'; readonly ip: string; readonly helo: string; readonly mailFrom: string }
  /** From a mailbox; `authservId` null: DKIM and DMARC alignment are checked on the raw bytes. */
  | { readonly door: 'imap'; readonly authservId: string | null };

/** DMARC, a signature of exactly the domain of From, or a login: here, or at a server that is believed about its logins. */
export type ProofGround = 'dmarc' | 'signature' | 'login';

/** Whether From is proven, and how. Anything else than `authenticated: true` gives no authority. */
export interface Identity {
  /** Lower-case address of the one From mailbox; null when missing or ambiguous. */
  readonly address: string | null;
  readonly authenticated: boolean;
  readonly method: 'submission' | 'seal' | 'authentication-results' | 'dmarc' | 'none';
  /** What it rests on, where that is enough for the mail to stand for an owner's yes; absent: it is not. */
  readonly ground?: ProofGround;
  /** Lower-case names of the headers that the proof covers; null when it covers the whole mail. */
  readonly covers: readonly string[] | null;
  /** SHA-256 of the DKIM signatures that prove it; each of them is good for one mail. */
  readonly signatures: readonly string[];
  /** One line for `why` and the log: what passed or failed. */
  readonly detail: string;
  /** A temporary DNS failure: under `enforce` the SMTP answer is 451 4.7.5, over IMAP the mail is looked at again, for a day. */
  readonly temporary: boolean;
}

/** Reasons for which a mail is recorded and never answered. */
export type SilenceCode =
  | 'auto_submitted'
  | 'null_return_path'
  | 'bounce'
  | 'delivery_report'
  | 'read_receipt'
  | 'mailing_list'
  | 'bulk'
  | 'calendar_reply'
  | 'no_reply_sender'
  | 'own_message'
  | 'log_in_mail'
  | 'hop_limit';
