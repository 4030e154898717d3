import type { Persona } from '../../config/types.ts';
import type { FinishBatch, LoadedRun } from '../../storage/ports/runs.ts';
import { queuedMail } from '../../storage/queued-mail.ts';
import type { OutboxMode, OutgoingMail } from '../../storage/types/outbox.ts';

import type { ReplyRecipients } from './recipients.ts';

export { keptInOrder } from '../../mail/compose/directions.ts';

/** How the mail lies in its conversation. */
export interface ReplyHeaders {
  readonly kind: 'reply' | 'task';
  readonly subject: string;
  readonly inReplyTo: string | null;
  readonly references: readonly string[];
  readonly quote: { attribution: string; text: string } | null;
}

/** A run has one `final`; or what it could say `so_far`, and the rest as its `follow_up`. */
export type ReplyPurpose = 'final' | 'so_far' | 'follow_up';

/** The rows of a reply, and the mail itself. */
export type ComposedReply = NonNullable<FinishBatch['reply']> & { readonly mail: OutgoingMail };

/** The rows of an answer: the message of its thread, and what is to be delivered. */
export function replyRows(
  reply: {
    readonly id: string;
    readonly messageId: string;
    readonly raw: Uint8Array;
    readonly subject: string;
    readonly inReplyTo: string | null;
    readonly references: readonly string[];
    readonly text: string;
    /** As later runs of the thread see it, JSON. */
    readonly rendered: string;
    /** Nothing but trusted words was shown to the run that wrote it. */
    readonly clean?: boolean;
    readonly recipients: ReplyRecipients;
  },
  {
    loaded,
    persona,
    now,
    mode = 'send',
    purpose = 'final',
  }: {
    readonly loaded: LoadedRun;
    readonly persona: Pick<Persona, 'name' | 'address' | 'mailbox'>;
    readonly now: number;
    readonly mode?: OutboxMode;
    readonly purpose?: ReplyPurpose;
  },
): ComposedReply {
  const { run } = loaded;
  const { id, messageId, recipients } = reply;
  return {
    message: {
      id,
      thread_id: run.thread_id,
      direction: 'out',
      message_id: messageId,
      duplicate_key: null,
      linked_to: null,
      run_id: run.id,
      from_address: persona.address.toLowerCase(),
      from_name: persona.name,
      to: recipients.to,
      cc: recipients.cc,
      reply_to: null,
      subject: reply.subject,
      in_reply_to: reply.inReplyTo,
      references: reply.references,
      date: now,
      received_at: now,
      tier: null,
      text: reply.text,
      new_text: reply.text,
      raw_sha256: null,
      rendered_json: reply.rendered,
      clean: reply.clean ? 1 : null,
    },
    mail: {
      row: queuedMail({
        id,
        messageId,
        now,
        persona,
        runId: run.id,
        threadId: run.thread_id,
        raw: reply.raw,
        purpose,
        mode,
        kind: run.kind === 'task' ? 'task' : 'reply',
        inReplyTo: reply.inReplyTo,
      }),
      recipients: [...recipients.to, ...recipients.cc],
    },
    participants: recipients.to,
  };
}
