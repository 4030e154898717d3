import { firstHeader, type HeaderLine, headerValues } from '../../../mail/mime/headers.ts';
import { messageIds } from '../../../mail/mime/message-ids.ts';

/** By what an answer in Drafts is known again, whatever a mail program has made of it. */
export interface DraftMarks {
  readonly messageId: string;
  /** The mail that it answers. */
  readonly inReplyTo: string | null;
  readonly runId: string;
}

const AUTOMATIC = /^\s*auto-/i;

/**
 * Whether a mail in Drafts or Sent is this draft, perhaps changed. Mail programs replace a draft by a new message, often
 * under a new Message-ID; what stays is which mail it answers (RFC 5322 section 3.6.4). Drafts of other runs are not it,
 * and neither is what a program answered by itself.
 */
export function isVersionOf({ messageId, inReplyTo, runId }: DraftMarks, head: readonly HeaderLine[]): boolean {
  if (firstHeader(head, 'message-id')?.trim() === messageId) return true;
  if (AUTOMATIC.test(firstHeader(head, 'auto-submitted') ?? '')) return false;
  const run = firstHeader(head, 'x-epistle-run')?.trim() ?? '';
  if (run !== '') return run === runId;
  if (inReplyTo === null) return false;
  const answers = messageIds(headerValues(head, 'in-reply-to'));
  // Some programs keep References alone; the last of them is the mail that is answered.
  return answers.length > 0
    ? answers.includes(inReplyTo)
    : messageIds(headerValues(head, 'references')).at(-1) === inReplyTo;
}
