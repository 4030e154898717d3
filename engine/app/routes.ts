import { draftsMailbox } from '../config/mailboxes/drafts-mailbox.ts';
import { mailboxToSendBy, senderOf } from '../config/mailboxes/sending-mailbox.ts';
import type { MailboxConfig } from '../config/types.ts';
import { createOutboundRoutes, type MailboxFolders, type OutboundRoutes } from '../delivery/outbound-routes.ts';
import { createDraftsFolder } from '../gateway/imap/client/drafts.ts';
import { createLine } from '../gateway/imap/client/line.ts';
import { createSentFolder, givesOtherIds } from '../gateway/imap/client/sent.ts';
import { DEFAULT_TUNING } from '../gateway/imap/tuning.ts';
import type { Workspace } from '../workspace.ts';

/** How mail leaves the workspace, as it is configured now. */
export const routesOf = (workspace: Workspace): OutboundRoutes =>
  createOutboundRoutes({
    gateway: () => workspace.live.current().gateway,
    loginOf: (mailbox) => workspace.logins.of(mailbox, 'smtp'),
    foldersOf: (mailbox) => foldersOf(workspace, mailbox),
    boxOf: (use, mail) => boxOf(workspace, use, mail),
    log: workspace.log,
  });

/** What names none leaves by the mailbox that its persona has now. */
function boxOf(
  { live }: Pick<Workspace, 'live'>,
  use: 'sending' | 'drafts',
  { mailbox, personaId }: { readonly mailbox: string | null; readonly personaId: string },
): string | null {
  const { mailboxes } = live.current().gateway;
  const entry = live.personas().get(personaId);
  const persona = entry ? senderOf(entry) : { address: '', aliases: [], mailbox: null };
  const sender = { ...persona, mailbox: mailbox ?? persona.mailbox };
  return use === 'drafts' ? (draftsMailbox(mailboxes, sender)?.id ?? null) : mailboxToSendBy(mailboxes, sender);
}

/** Both folders of a mailbox share one connection: providers count them. */
function foldersOf({ logins, log }: Workspace, mailbox: MailboxConfig): MailboxFolders | null {
  const { imap, id } = mailbox;
  if (!imap) return null;
  const line = createLine({ imap, login: logins.of(mailbox, 'imap'), tuning: DEFAULT_TUNING });
  const host = (mailbox.smtp ?? imap).host;
  const sent = createSentFolder({ mailbox, line, log: log.child({ mailbox: id }) });
  return {
    sent: {
      find: sent.findInSent,
      append: async (messageId, raw) => {
        await sent.appendToSent({ messageId, raw });
      },
    },
    givesOtherIds: givesOtherIds(host),
    drafts: createDraftsFolder(line),
    close: line.close,
  };
}
