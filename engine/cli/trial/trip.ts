import { setTimeout as wait } from 'node:timers/promises';
import type { ImapConfig, MailboxConfig, SmtpConfig } from '../../config/types.ts';
import { createSmtpTransport } from '../../delivery/smtp-transport.ts';
import { openFolder } from '../../gateway/imap/client/folder.ts';
import {
  fetchByUid,
  type ImapSession,
  logInAt,
  noop,
  responseOf,
  searchUids,
} from '../../gateway/imap/client/session.ts';
import { DEFAULT_TUNING } from '../../gateway/imap/tuning.ts';
import { silentLog } from '../../lib/log/log.ts';
import { type HeaderLine, readHeaders } from '../../mail/mime/headers.ts';
import { type Fault, fault } from '../../mailbox/faults/fault.ts';
import { faultOf } from '../../mailbox/faults/fault-of.ts';
import { sideOf } from '../../mailbox/faults/side.ts';
import type { Login } from '../../mailbox/login/login.ts';

export interface Traveller {
  readonly mailbox: MailboxConfig & { readonly imap: ImapConfig; readonly smtp: SmtpConfig };
  /** To whom and from whom; an address that the mailbox receives. */
  readonly address: string;
  loginOf(side: 'imap' | 'smtp'): Login;
  /** The servers that take mail for a domain from outside (MX); empty where nobody says. */
  exchangesOf(domain: string): Promise<readonly string[]>;
  /** Servers that are trusted to pass mail on as things are (security.json `trusted_received`). */
  readonly trusted: readonly string[];
  readonly helo: string;
  /** How long the mail may be on its way. */
  readonly ms: number;
}

export type Trip =
  | { readonly ok: true; readonly lines: readonly HeaderLine[]; readonly tookMs: number }
  | { readonly ok: false; readonly fault: Fault };

const POLL_MS = 500;
const MAX_HEADER_BYTES = 256 * 1024;

/**
 * Sends these bytes through the mailbox's SMTP server to the mailbox itself, waits until they lie in its folder, and takes
 * them away again. Never throws.
 */
export async function travel(
  traveller: Traveller,
  mail: { readonly messageId: string /** MAIL FROM. */; readonly from: string; readonly raw: Buffer },
): Promise<Trip> {
  const { mailbox, address } = traveller;
  const begun = Date.now();
  const refused = await submit(traveller, mail);
  if (refused) return { ok: false, fault: refused };
  let session: ImapSession | undefined;
  try {
    session = await logInAt({
      imap: mailbox.imap,
      login: traveller.loginOf('imap'),
      maxMessageBytes: MAX_HEADER_BYTES,
      tuning: DEFAULT_TUNING,
    });
    await openFolder(session, mailbox.imap.folder);
    while (Date.now() - begun < traveller.ms) {
      const lines = await take(session, mail.messageId);
      if (lines) return { ok: true, lines, tookMs: Date.now() - begun };
      await wait(POLL_MS);
      await noop(session);
    }
    const cure = `look into the folder for spam, and whether ${address} is an address of this mailbox`;
    return {
      ok: false,
      fault: fault(
        'not_arrived',
        `a mail to ${address} was accepted and has not arrived in ${mailbox.imap.folder}`,
        cure,
      ),
    };
  } catch (error) {
    const said = { stage: session ? 'folder' : 'login', ...responseOf(error) } as const;
    return { ok: false, fault: faultOf({ side: sideOf('imap', mailbox.imap), seen: null, said }, mailbox.imap.folder) };
  } finally {
    await session?.end();
  }
}

async function submit(
  { mailbox, address, loginOf, helo, ms }: Traveller,
  { from, raw }: { readonly from: string; readonly raw: Buffer },
): Promise<Fault | null> {
  const { smtp } = mailbox;
  const timeouts = { connectMs: ms, greetingMs: ms, silenceMs: ms, deadlineMs: ms };
  const transport = createSmtpTransport({ smtp, login: loginOf('smtp'), helo, log: silentLog, timeouts });
  try {
    const { kind, smtp: text } = await transport.send({ from, to: [address], raw });
    if (kind === 'delivered') return null;
    const stage = kind === 'auth' ? 'login' : 'send';
    return faultOf({ side: sideOf('smtp', smtp), seen: null, said: { stage, code: null, text } });
  } finally {
    await transport.close();
  }
}

/** The header of the mail, once it lies there; it is deleted where the server can delete one mail alone (RFC 4315). */
async function take(session: ImapSession, messageId: string): Promise<readonly HeaderLine[] | null> {
  const [uid] = await searchUids(session, { header: { 'message-id': messageId } });
  if (uid === undefined) return null;
  const [mail] = await fetchByUid(session, String(uid), { source: { maxLength: MAX_HEADER_BYTES } }, MAX_HEADER_BYTES);
  if (!mail?.source) return null;
  const { client } = session;
  if (client.capabilities.has('UIDPLUS'))
    await session.call('EXPUNGE', () => client.messageDelete(String(uid), { uid: true }));
  return readHeaders(mail.source).lines;
}
