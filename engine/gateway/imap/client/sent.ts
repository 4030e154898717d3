import { EngineError, type Log } from '#contract';
import type { MailboxConfig } from '../../../config/types.ts';
import { classifyFailure, describe } from './failure.ts';
import { type Line, type OpenLine, select } from './line.ts';
import { required, searchUids } from './session.ts';

export interface SentFolder {
  /** Whether a mail with this Message-ID lies in the Sent folder. Throws EngineError `network` or `auth` when it cannot look. */
  findInSent(messageId: string): Promise<boolean>;
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
  line: Line;
  log: Log;
}): SentFolder {
  const { mailbox, line, log } = options;
  const host = (mailbox.smtp ?? mailbox.imap)?.host ?? '';
  return {
    async findInSent(messageId) {
      try {
        return await line.use(async (opened) => isIn(opened, await sentPath(opened), messageId));
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

async function isIn({ session }: OpenLine, path: string, messageId: string): Promise<boolean> {
  await select(session, path);
  return (await searchUids(session, { header: { 'message-id': messageId } })).length > 0;
}

async function file(opened: OpenLine, path: string, messageId: string, raw: Uint8Array): Promise<'filed' | 'present'> {
  if (await isIn(opened, path, messageId)) return 'present';
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const appended = await opened.session.call(
    'APPEND',
    (client) => client.append(path, bytes, ['\\Seen']),
    bytes.length,
  );
  required(appended, 'APPEND');
  return 'filed';
}
