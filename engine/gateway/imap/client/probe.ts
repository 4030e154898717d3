import type { ImapConfig } from '../../../config/types.ts';
import { DEFAULT_TUNING } from '../tuning.ts';
import { folderFor } from './drafts.ts';
import { classifyFailure } from './failure.ts';
import { openFolder } from './folder.ts';
import { openSession, type Session } from './session.ts';

export type ProbeResult =
  | { readonly ok: true; readonly idle: boolean; readonly messages: number; readonly drafts: string | null }
  | { readonly ok: false; readonly kind: 'network' | 'auth'; readonly message: string };

/**
 * Connects, logs in, selects the folder, looks for the one for drafts where drafts are kept, and leaves again; for
 * `mailbox test` and `doctor`. Never throws.
 */
export async function probeMailbox(
  imap: ImapConfig,
  { secret, keepsDrafts }: { readonly secret: string | undefined; readonly keepsDrafts: boolean },
): Promise<ProbeResult> {
  if (imap.auth !== 'none' && !secret) return { ok: false, kind: 'auth', message: `${imap.secret_env} is not set` };
  let session: Session | undefined;
  try {
    session = await openSession({ imap, secret, maxMessageBytes: 0, tuning: { ...DEFAULT_TUNING, connectMs: 10_000 } });
    const { exists } = await openFolder(session, imap.folder);
    const { client } = session;
    const folders = keepsDrafts ? await session.call('LIST', () => client.list()) : [];
    const drafts = folderFor('\\Drafts', folders);
    return { ok: true, idle: client.capabilities.has('IDLE'), messages: exists, drafts };
  } catch (error) {
    const { kind, message } = classifyFailure(error);
    return { ok: false, kind, message };
  } finally {
    await session?.end();
  }
}
