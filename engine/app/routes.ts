import { createOutboundRoutes, type OutboundRoutes, type SentCopies } from '../delivery/outbound-routes.ts';
import { createSentFolder, type SentFolder } from '../gateway/imap/client/sent.ts';
import type { Workspace } from '../workspace.ts';

/** How mail leaves the workspace, as it is configured now. */
export const routesOf = ({ live, environment, log }: Workspace): OutboundRoutes =>
  createOutboundRoutes({
    gateway: () => live.current().gateway,
    secretOf: environment.secretOf,
    sentOf(mailbox) {
      const password = () => (mailbox.imap ? environment.secretOf(mailbox.imap.secret_env) : undefined);
      const folder = createSentFolder({ mailbox, password, log });
      return folder && sentOf(folder);
    },
    log,
  });

const sentOf = (folder: SentFolder): SentCopies => ({
  find: folder.findInSent,
  append: async (messageId, raw) => {
    await folder.appendToSent({ messageId, raw });
  },
  close: folder.close,
});
