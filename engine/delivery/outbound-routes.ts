import type { Log } from '#contract';
import type { GatewayConfig, MailboxConfig } from '../config/types.ts';
import { rebuiltOnChange } from '../lib/kept-value.ts';
import type { Login } from '../mailbox/login/login.ts';
import type { DraftsFolder } from '../storage/types/drafts.ts';
import { createSmtpTransport, type SmtpTransport } from './smtp-transport.ts';

/** The look into a Sent folder, and the copy there. */
interface SentCopies {
  /** The Message-ID under which it lies there, which may be another; null: it does not. */
  find(messageId: string): Promise<string | null>;
  append(messageId: string, raw: Uint8Array): Promise<void>;
}

/** The folders of a mailbox that has IMAP. */
export interface MailboxFolders {
  readonly sent: SentCopies;
  /** The server files what it sends by itself, under Message-IDs of its own. */
  readonly givesOtherIds: boolean;
  readonly drafts: DraftsFolder;
  close(): Promise<void>;
}

/** How mail leaves: a mailbox's SMTP server, and its Sent folder where it has one. */
export interface OutboundRoute {
  readonly id: string;
  readonly transport: SmtpTransport;
  /** Null where the mailbox has no IMAP, or the provider files sent mail itself. */
  readonly sent: SentCopies | null;
  /** Where it is looked up under which other Message-ID a mail was filed; null where servers keep ours. */
  readonly otherIds: Pick<SentCopies, 'find'> | null;
}

/** The Drafts folder for answers that a person is to send. */
export interface DraftsRoute {
  /** The mailbox. */
  readonly id: string;
  readonly folder: DraftsFolder;
}

export interface OutboundRoutes {
  /** The mailbox that a mail names, else the one by which its persona sends; null where there is none. */
  to(mailbox: string | null, personaId: string): OutboundRoute | null;
  /** Whether there is a mailbox with this id, whatever it can do. */
  has(mailbox: string): boolean;
  /** The mailbox that a mail names, else the one whose Drafts its persona uses; null where it has no IMAP. */
  drafts(mailbox: string | null, personaId: string): DraftsRoute | null;
  close(): Promise<void>;
}

/** The routes of `mailboxes` as they are configured now. */
export function createOutboundRoutes(deps: {
  gateway(): GatewayConfig;
  loginOf(mailbox: MailboxConfig): Login;
  /** Null where the mailbox has no IMAP. */
  foldersOf(mailbox: MailboxConfig): MailboxFolders | null;
  /** The id of the one by which a persona sends, or in whose Drafts its answers lie. `mailbox`: as the mail names it. */
  boxOf(
    use: 'sending' | 'drafts',
    mail: { readonly mailbox: string | null; readonly personaId: string },
  ): string | null;
  log: Log;
}): OutboundRoutes {
  const opened: { close(): Promise<void> }[] = [];
  const open = (mailbox: MailboxConfig, helo: string) => {
    const { id, smtp } = mailbox;
    const folders = deps.foldersOf(mailbox);
    if (folders) opened.push(folders);
    if (!smtp) return { id, folders, route: null };
    const transport = createSmtpTransport({ smtp, login: deps.loginOf(mailbox), helo, log: deps.log });
    opened.push(transport);
    const sent = mailbox.save_sent && folders ? folders.sent : null;
    return { id, folders, route: { id, transport, sent, otherIds: folders?.givesOtherIds ? folders.sent : null } };
  };
  // Those of before are closed with the gateway: a mail may be on its way through one, and idle lines close anyway.
  const current = rebuiltOnChange(
    deps.gateway,
    ({ mailboxes, domain }) => ({ mailboxes, helo: domain }),
    ({ mailboxes, helo }) => mailboxes.map((mailbox) => open(mailbox, helo)),
  );
  return {
    to(mailbox, personaId) {
      const box = deps.boxOf('sending', { mailbox, personaId });
      return current().find(({ id }) => id === box)?.route ?? null;
    },
    has: (mailbox) => deps.gateway().mailboxes.some(({ id }) => id === mailbox),
    drafts(mailbox, personaId) {
      const id = deps.boxOf('drafts', { mailbox, personaId });
      const folders = current().find((one) => one.id === id)?.folders;
      return id && folders ? { id, folder: folders.drafts } : null;
    },
    async close() {
      await Promise.all(opened.map((one) => one.close()));
    },
  };
}
