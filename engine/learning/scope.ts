import type { LoadedRun } from '../storage/ports/runs.ts';
import type { PlaybookScope } from './places.ts';

/** What a playbook may look at of the mail that a run answers. */
export type MailScope = Pick<PlaybookScope, 'mail' | 'thread'>;

export function scopeOfMail({ run, message, thread, attachments }: LoadedRun): MailScope {
  const from = (run.sender ?? message.from_address ?? '').toLowerCase();
  return {
    mail: {
      from,
      domain: from.slice(from.lastIndexOf('@') + 1),
      name: message.from_name,
      subject: message.subject,
      text: message.new_text,
      tier: run.tier,
      attachments: attachments.length,
    },
    thread: { subject: thread.subject, mails: thread.message_count },
  };
}
