import { EngineError, type Log } from '#contract';
import type { MailboxConfig } from '../../../config/types.ts';
import { DEFAULT_TUNING, type Tuning } from '../tuning.ts';
import { classifyFailure, describe } from './failure.ts';
import { openFolder } from './folder.ts';
import { openSession, required, type Session, searchUids } from './session.ts';

export interface SentFolder {
  /** Whether a mail with this Message-ID lies in the Sent folder. Throws EngineError `network` or `auth` when it cannot look. */
  findInSent(messageId: string): Promise<boolean>;
  /**
   * Files the same bytes that were sent, once. Never throws: a missing copy is a warning and never a reason to
   * send again. `provider`: the provider files sent mail itself.
   */
  appendToSent(mail: { messageId: string; raw: Uint8Array }): Promise<'filed' | 'present' | 'provider' | 'failed'>;
  close(): Promise<void>;
}

/** Services that put a copy into Sent themselves; a second one would be a duplicate. */
const FILES_ITSELF = /(^|\.)(gmail\.com|googlemail\.com|office365\.com|outlook\.com|mail\.me\.com|icloud\.com)$/i;

/** The connection is kept this long after a use: providers count logins. */
const IDLE_MS = 15_000;

/** One lazily opened connection beside the watcher's; its users wait in line. null when the mailbox has no IMAP. */
export function createSentFolder(options: {
  mailbox: MailboxConfig;
  password(): string | undefined;
  log: Log;
  tuning?: Partial<Tuning>;
}): SentFolder | null {
  const { imap, smtp, id } = options.mailbox;
  if (!imap) return null;
  const log = options.log.child({ mailbox: id });
  const tuning = { ...DEFAULT_TUNING, ...options.tuning };
  const state: { open: Opened | null; line: Promise<unknown>; timer: NodeJS.Timeout | undefined } = {
    open: null,
    line: Promise.resolve(),
    timer: undefined,
  };

  const open = async (): Promise<Opened> => {
    if (state.open && !state.open.session.closed.aborted) return state.open;
    const secret = options.password();
    if (imap.auth !== 'none' && !secret) throw new EngineError('auth', `${imap.secret_env} is not set`);
    const session = await openSession({ imap, secret, maxMessageBytes: 64 * 1024 * 1024, tuning });
    try {
      const path = await sentPath(session);
      await openFolder(session, path);
      state.open = { session, path };
      return state.open;
    } catch (error) {
      await session.end();
      throw error;
    }
  };
  const hangUp = async () => {
    clearTimeout(state.timer);
    const { open: opened } = state;
    state.open = null;
    await opened?.session.end();
  };
  const inLine = <Result>(work: (opened: Opened) => Promise<Result>): Promise<Result> => {
    const turn = state.line.then(async () => {
      clearTimeout(state.timer);
      try {
        return await work(await open());
      } catch (error) {
        await hangUp();
        throw error;
      } finally {
        state.timer = setTimeout(() => void hangUp(), IDLE_MS).unref();
      }
    });
    state.line = turn.catch(() => {});
    return turn;
  };

  return {
    async findInSent(messageId) {
      try {
        return await inLine(({ session }) => isIn(session, messageId));
      } catch (error) {
        if (error instanceof EngineError) throw error;
        const { kind, message } = classifyFailure(error);
        throw new EngineError(kind, message, { retry: { afterMs: 60_000 }, cause: error });
      }
    },
    async appendToSent({ messageId, raw }) {
      if (FILES_ITSELF.test((smtp ?? imap).host)) return 'provider';
      try {
        return await inLine(({ session, path }) => file(session, path, messageId, raw));
      } catch (error) {
        log.warn({ messageId, error: describe(error) }, 'no copy in the Sent folder');
        return 'failed';
      }
    },
    async close() {
      clearTimeout(state.timer);
      await state.line;
      await hangUp();
    },
  };
}

interface Opened {
  readonly session: Session;
  readonly path: string;
}

/** By SPECIAL-USE (RFC 6154), else by imapflow's list of localized names, else a new folder `Sent`. */
async function sentPath(session: Session): Promise<string> {
  const folders = await session.call('LIST', (client) => client.list());
  const sent = folders.find((folder) => folder.specialUse === '\\Sent');
  if (sent) return sent.path;
  const made = await session.call('CREATE', (client) => client.mailboxCreate('Sent'));
  return made.path;
}

async function isIn(session: Session, messageId: string): Promise<boolean> {
  // Another client may have filed it since SELECT; the server tells of that with a command's answer.
  await session.call('NOOP', (client) => client.noop());
  return (await searchUids(session, { header: { 'message-id': messageId } })).length > 0;
}

async function file(session: Session, path: string, messageId: string, raw: Uint8Array): Promise<'filed' | 'present'> {
  if (await isIn(session, messageId)) return 'present';
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const appended = await session.call('APPEND', (client) => client.append(path, bytes, ['\\Seen']), bytes.length);
  required(appended, 'APPEND');
  return 'filed';
}
