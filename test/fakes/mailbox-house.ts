import { type ImapScript, startImapPeer } from './imap-peer.ts';
import { type HeardMail, type Script, startSmtpPeer } from './smtp-peer.ts';

/** What its border writes above a mail that was handed in; null: it does not arrive. */
export type Stamp = (mail: HeardMail) => string | null;

/** A mail server on loopback: what is handed in by SMTP lies in the INBOX, under what its border has written. */
export async function startMailboxHouse(stamp: Stamp, smtp: Script = {}) {
  const border = { stamp };
  const submission = await startSmtpPeer(smtp);
  const script: ImapScript = {
    get mails() {
      return submission.mails.flatMap((mail, index) => {
        const above = border.stamp(mail);
        return above === null ? [] : [{ uid: index + 1, raw: above + mail.raw }];
      });
    },
  };
  const imap = await startImapPeer(script);
  return {
    /** Change `stamp` between two mails. */
    border,
    /** All that was handed in. */
    handedIn: submission.mails,
    ports: { imap: imap.port, smtp: submission.port },
    async stop() {
      await imap.stop();
      await submission.stop();
    },
  };
}

export type MailboxHouse = Awaited<ReturnType<typeof startMailboxHouse>>;
