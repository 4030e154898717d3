import type { Log } from '#contract';
import type { ParsedMail } from '../mail/mime/types.ts';
import type { MailResult } from './incoming.ts';

const MOST = 200;

/** One line for each persona that a mail is for, so that whoever looks at the log sees it come and what became of it. */
export function logArrival(
  log: Log,
  { messageId, subject, from }: Pick<ParsedMail, 'messageId' | 'subject' | 'from'>,
  results: readonly MailResult[],
): void {
  const sender = from.kind === 'one' ? from.mailbox.address : from.kind;
  for (const { decision, code, persona, recipient } of results) {
    const fields = {
      ...(code === null || code === decision ? {} : { code }),
      from: plain(sender),
      to: persona ?? plain(recipient ?? 'nobody'),
      subject: plain(subject),
      message_id: plain(messageId),
    };
    log.info(fields, `mail ${decision}`);
  }
}

/** Words of others in a line: cut, and without what turns a line round or hides in it. */
const plain = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}]/gu, '').slice(0, MOST);
