import type { MailboxConfig } from '../../config/types.ts';
import { say } from '../../languages/say.ts';
import { noticeTo, type Telling } from './tell-owners.ts';

/** One question, ever, for each time that a folder got other numbers: what is to become of the mail in it that nobody has seen. */
export async function askAboutHeld(
  parts: Telling,
  { id, imap }: MailboxConfig,
  { uidValidity, mails }: { readonly uidValidity: string; readonly mails: number },
): Promise<void> {
  parts.workspace.log.warn({ mailbox: id, mails }, 'mail waits for its owners: the folder has other numbers now');
  await noticeTo(parts, () => false, {
    id: `notice:mailbox_renumbered:${id}:${uidValidity}`,
    words: (language) => ({
      subject: say(language, 'notTaken.heldSubject', { mails }),
      text: say(language, 'notTaken.held', { mails, mailbox: imap?.user ?? id }),
    }),
    again: { mailbox: id },
  });
}
