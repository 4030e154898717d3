import type { Added } from '../schema/persona.ts';
import type { Optional } from './optional.ts';

// Mail that leaves.

export type MailKind = 'reply' | 'wait' | 'approval' | 'clarify' | 'notice' | 'task' | 'relay' | 'weekly';
/** `draft`: it lies in Drafts, and nobody has got it; `deleted`: it lay there, and nobody sent it. */
/** Of mail that has not left. */
export const UNSENT_STATES = [
  'queued',
  'sending',
  'failed',
  'unknown',
  'draft',
] as const satisfies readonly OutboxState[];

export type OutboxState = 'queued' | 'sending' | 'sent' | 'failed' | 'unknown' | 'dropped' | 'draft' | 'deleted';
/** Whether it leaves by SMTP, or is put into Drafts for a person to send. */
export type OutboxMode = 'send' | 'draft';

export interface OutboxMail extends Added<'outbox'> {
  readonly seq: number;
  readonly id: string;
  /** Empty for mail that no run wrote. */
  readonly run_id: string;
  readonly purpose: string;
  readonly ordinal: number;
  readonly thread_id: string | null;
  readonly message_id: string;
  readonly in_reply_to: string | null;
  readonly kind: MailKind;
  readonly mode: OutboxMode;
  readonly mailbox: string | null;
  readonly envelope_from: string;
  readonly raw: Uint8Array;
  readonly state: OutboxState;
  readonly attempts: number;
  readonly leased_by: string | null;
  readonly next_attempt_at: number;
  /** The first attempt, or the first since an owner had it tried again; null before that. */
  readonly trying_since: number | null;
  readonly unknown_since: number | null;
  readonly last_error: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

export type NewOutboxMail = Optional<
  Omit<OutboxMail, 'seq'>,
  | 'mode'
  | 'thread_id'
  | 'in_reply_to'
  | 'mailbox'
  | 'attempts'
  | 'leased_by'
  | 'trying_since'
  | 'unknown_since'
  | 'last_error'
>;

/** What lists show of it. */
export type OutboxEntry = Pick<
  OutboxMail,
  | 'seq'
  | 'id'
  | 'run_id'
  | 'thread_id'
  | 'message_id'
  | 'in_reply_to'
  | 'kind'
  | 'state'
  | 'attempts'
  | 'next_attempt_at'
  | 'last_error'
  | 'purpose'
  | 'created_at'
>;

export interface OutboxRecipient extends Added<'outbox_recipients'> {
  readonly outbox_id: string;
  readonly address: string;
  readonly state: 'queued' | 'sent' | 'failed' | 'unknown';
  readonly smtp: string | null;
}

export interface OutgoingMail {
  readonly row: NewOutboxMail;
  readonly recipients: readonly string[];
  /** The same for those who read another language: rows of their own, made with it. */
  readonly also?: readonly Omit<OutgoingMail, 'also'>[];
}

/** `crashed`: a dead process held it while sending, so whether it left is unknown. */
export type ClaimedMail = OutboxMail & {
  readonly crashed: boolean;
  readonly recipients: readonly OutboxRecipient[];
};
