import type { ImapConfig } from '../../../config/types.ts';
import type { Login } from '../../../mailbox/login/login.ts';
import { DEFAULT_TUNING } from '../tuning.ts';
import { folderFor } from './drafts.ts';
import { openFolder } from './folder.ts';
import type { ImapSession } from './session.ts';
import { classifyFailure, logInAt, responseOf } from './session.ts';

type ProbeResult =
  | {
      readonly ok: true;
      readonly idle: boolean;
      readonly messages: number;
      /** The folders for drafts and for sent mail; null where there is none, or nobody wanted to know. */
      readonly drafts: string | null;
      readonly sent: string | null;
      /** The folder to which answered mail is to be moved, where it is not there. */
      readonly missingTarget: string | null;
      /** The share of its room that is used, 0 to 1; null where the server names no limit. */
      readonly used: number | null;
    }
  | {
      readonly ok: false;
      readonly kind: 'network' | 'auth';
      readonly message: string;
      readonly stage: 'login' | 'folder';
      /** The server's response code (RFC 5530) and its words, where it said any. */
      readonly response: { readonly code: string | null; readonly text: string };
    };

/**
 * Connects, logs in, selects the folder, looks for those that are needed beside it and for room, and leaves again; for
 * `mailbox test` and `doctor`. Never throws.
 */
export async function probeMailbox(
  imap: ImapConfig,
  options: { readonly login: Login; readonly keepsDrafts: boolean; readonly filesSent?: boolean },
): Promise<ProbeResult> {
  const { login, keepsDrafts, filesSent = false } = options;
  let session: ImapSession | undefined;
  try {
    session = await logInAt({ imap, login, maxMessageBytes: 0, tuning: { ...DEFAULT_TUNING, connectMs: 10_000 } });
    const { exists } = await openFolder(session, imap.folder);
    const { client } = session;
    const target = imap.processed.startsWith('move:') ? imap.processed.slice('move:'.length) : null;
    const isListed = keepsDrafts || filesSent || target !== null;
    const folders = isListed ? await session.call('LIST', () => client.list()) : [];
    const quota = client.capabilities.has('QUOTA')
      ? await session.call('QUOTA', () => client.getQuota(imap.folder))
      : false;
    const { usage, limit } = (quota ? quota.storage : undefined) ?? { usage: 0, limit: 0 };
    return {
      ok: true,
      idle: client.capabilities.has('IDLE'),
      messages: exists,
      drafts: folderFor('\\Drafts', folders),
      sent: folderFor('\\Sent', folders),
      missingTarget: target === null || folders.some(({ path }) => path === target) ? null : target,
      used: Number(limit) > 0 ? Number(usage) / Number(limit) : null,
    };
  } catch (error) {
    const { kind, message } = classifyFailure(error);
    return { ok: false, kind, message, stage: session ? 'folder' : 'login', response: responseOf(error) };
  } finally {
    await session?.end();
  }
}
