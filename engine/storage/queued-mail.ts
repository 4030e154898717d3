import type { MailKind, NewOutboxMail, OutboxMode } from './types/outbox.ts';

/** The outbox row of a mail that is to leave at once. */
export const queuedMail = (mail: {
  id: string;
  messageId: string;
  /** Empty for mail that no run wrote. */
  runId: string;
  purpose: string;
  kind: MailKind;
  /** Absent: it is sent. */
  mode?: OutboxMode;
  inReplyTo: string | null;
  threadId: string | null;
  raw: Uint8Array;
  now: number;
  persona: { readonly mailbox: string | null; readonly address: string };
}): NewOutboxMail => ({
  id: mail.id,
  run_id: mail.runId,
  purpose: mail.purpose,
  ordinal: 0,
  thread_id: mail.threadId,
  message_id: mail.messageId,
  in_reply_to: mail.inReplyTo,
  kind: mail.kind,
  mode: mail.mode ?? 'send',
  mailbox: mail.persona.mailbox,
  envelope_from: mail.persona.address,
  raw: mail.raw,
  state: 'queued',
  next_attempt_at: mail.now,
  created_at: mail.now,
  updated_at: mail.now,
});
