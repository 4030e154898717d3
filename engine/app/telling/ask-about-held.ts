import type { MailboxConfig } from '../../config/types.ts';
import { NOT_TAKEN } from '../../languages/to-owners/not-taken/not-taken.ts';
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
    words: (language) => {
      const words = NOT_TAKEN[language];
      const [take, leave] = [`epistle mailbox resync ${id} --take`, `epistle mailbox resync ${id} --leave`];
      return { subject: words.heldSubject(mails), text: words.held(mails, imap?.user ?? id, { take, leave }) };
    },
  });
}
