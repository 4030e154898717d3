import type { Log } from '#contract';
import type { GatewayConfig, MailboxConfig } from '../config/types.ts';
import { rebuiltOnChange } from '../lib/rebuilt-on-change.ts';
import { createSmtpTransport, type SmtpTransport } from './smtp-transport.ts';

/** The look into a Sent folder, and the copy there. */
export interface SentCopies {
  find(messageId: string): Promise<boolean>;
  append(messageId: string, raw: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** How mail leaves: a mailbox's SMTP server, and its Sent folder where it has one. */
export interface OutboundRoute {
  readonly id: string;
  readonly transport: SmtpTransport;
  /** Null where the mailbox has no IMAP, or the provider files sent mail itself. */
  readonly sent: SentCopies | null;
}

export interface OutboundRoutes {
  /** The mailbox with this id, or the first that can send; null where there is none. */
  to(mailbox: string | null): OutboundRoute | null;
  close(): Promise<void>;
}

/** The routes of `mailboxes` as they are configured now. */
export function createOutboundRoutes(deps: {
  gateway(): GatewayConfig;
  secretOf(name: string): string | undefined;
  sentOf(mailbox: MailboxConfig): SentCopies | null;
  log: Log;
}): OutboundRoutes {
  const opened: OutboundRoute[] = [];
  const open = (mailbox: MailboxConfig, helo: string): OutboundRoute[] => {
    const { id, smtp } = mailbox;
    if (!smtp) return [];
    const password = () => deps.secretOf(smtp.secret_env);
    const transport = createSmtpTransport({ smtp, password, helo, log: deps.log });
    return [{ id, transport, sent: mailbox.save_sent ? deps.sentOf(mailbox) : null }];
  };
  const current = rebuiltOnChange(
    () => ({ mailboxes: deps.gateway().mailboxes, helo: deps.gateway().domain }),
    ({ mailboxes, helo }) => {
      const routes = mailboxes.flatMap((mailbox) => open(mailbox, helo));
      // Those of before are closed with the gateway: a mail may be on its way through one, and idle lines close anyway.
      opened.push(...routes);
      return routes;
    },
  );
  return {
    to: (mailbox) => (mailbox === null ? current()[0] : current().find(({ id }) => id === mailbox)) ?? null,
    async close() {
      await Promise.all(opened.flatMap(({ transport, sent }) => [transport.close(), sent?.close()]));
    },
  };
}
