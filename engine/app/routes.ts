import { draftsMailbox } from '../config/drafts-mailbox.ts';
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
    draftsMailbox,
    log: workspace.log,
  });

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
