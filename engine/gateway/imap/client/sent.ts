import { EngineError, type Log } from '#contract';
import type { MailboxConfig } from '../../../config/types.ts';
import { firstHeader, headerValues, readHeaders } from '../../../mail/mime/headers.ts';
import { messageIds, ownMessageId } from '../../../mail/mime/message-ids.ts';
import { type ImapLine, type OpenLine, select } from './line.ts';
import { classifyFailure, describe, fetchByUid, required, searchUids } from './session.ts';

export interface SentFolder {
  /**
   * The Message-ID under which this mail of ours lies in the Sent folder: its own, or the one that the server has given it;
   * null where it does not lie there. Throws EngineError `network` or `auth` when it cannot look.
   */
  findInSent(messageId: string): Promise<string | null>;
  /**
   * Files the same bytes that were sent, once. Never throws: a missing copy is a warning and never a reason to
   * send again. `provider`: the provider files sent mail itself.
   */
  appendToSent(mail: { messageId: string; raw: Uint8Array }): Promise<'filed' | 'present' | 'provider' | 'failed'>;
}

/** Services that put a copy into Sent themselves; a second one would be a duplicate. */
const FILES_ITSELF = /(^|\.)(gmail\.com|googlemail\.com|office365\.com|outlook\.com|mail\.me\.com|icloud\.com)$/i;

/** The Sent folder at the end of `line`. */
export function createSentFolder(options: {
  mailbox: Pick<MailboxConfig, 'imap' | 'smtp'>;
  line: ImapLine;
  log: Log;
}): SentFolder {
  const { mailbox, line, log } = options;
  const host = (mailbox.smtp ?? mailbox.imap)?.host ?? '';
  return {
    async findInSent(messageId) {
      try {
        return await line.use(async (opened) => idIn(opened, await sentPath(opened), messageId));
      } catch (error) {
        throw asEngineError(error);
      }
    },
    async appendToSent({ messageId, raw }) {
      if (FILES_ITSELF.test(host)) return 'provider';
      try {
        return await line.use(async (opened) => file(opened, await sentPath(opened), messageId, raw));
      } catch (error) {
        log.warn({ messageId, error: describe(error) }, 'no copy in the Sent folder');
        return 'failed';
      }
    },
  };
}

/** What a room that is not ours can tell apart. */
export function asEngineError(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  const { kind, message } = classifyFailure(error);
  return new EngineError(kind, message, { retry: { afterMs: 60_000 }, cause: error });
}

/** By SPECIAL-USE (RFC 6154), else by imapflow's list of localized names, else a new folder `Sent`. */
async function sentPath({ session, folders }: OpenLine): Promise<string> {
  const sent = (await folders()).find((folder) => folder.specialUse === '\\Sent');
  if (sent) return sent.path;
  const made = await session.call('CREATE', (client) => client.mailboxCreate('Sent'));
  return made.path;
}

/** Of mails that name ours its copy is the first: those after it are answers in the same conversation. */
const FIRST = 20;

async function idIn({ session }: OpenLine, path: string, messageId: string): Promise<string | null> {
  await select(session, path);
  if ((await searchUids(session, { header: { 'message-id': messageId } })).length > 0) return messageId;
  const naming = (await searchUids(session, { header: { references: messageId } })).slice(0, FIRST);
  if (naming.length === 0) return null;
  const headers = ['message-id', 'references'];
  for (const { headers: bytes } of await fetchByUid(session, naming.join(','), { headers })) {
    const { lines } = readHeaders(bytes ?? Buffer.alloc(0));
    // Our mails name themselves last (`composeMail`).
    if (messageIds(headerValues(lines, 'references')).at(-1) === messageId)
      return ownMessageId(firstHeader(lines, 'message-id'));
  }
  return null;
}

async function file(opened: OpenLine, path: string, messageId: string, raw: Uint8Array): Promise<'filed' | 'present'> {
  if ((await idIn(opened, path, messageId)) !== null) return 'present';
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const appended = await opened.session.call(
    'APPEND',
    (client) => client.append(path, bytes, ['\\Seen']),
    bytes.length,
  );
  required(appended, 'APPEND');
  return 'filed';
}
