import type { ImapConfig } from '../../../config/types.ts';
import type { Login } from '../../../mailbox/login/login.ts';
import { DEFAULT_TUNING } from '../tuning.ts';
import { openFolder } from './folder.ts';
import { listMail, readAnswer } from './listing.ts';
import { describe, fetchByUid, type ImapSession, logInAt, searchUids } from './session.ts';

/** A mail that lies in a mailbox, fetched by itself; or why there is none. */
type FetchedAgain =
  | {
      readonly kind: 'is';
      readonly raw: Uint8Array;
      readonly uidValidity: string;
      readonly uid: number;
      readonly internalDate: number;
    }
  | { readonly kind: 'is_not' | 'cannot_say' | 'too_large'; readonly why: string };

interface Wanted {
  readonly uidValidity: string;
  readonly uid: number;
  /** By which it is looked for where all UIDs have changed; null where it is not known. */
  readonly messageId: string | null;
}

/** Connects for one mail, by its UID, and changes nothing there. Never throws. */
export async function fetchAgain(
  imap: ImapConfig,
  wanted: Wanted,
  { login, maxMessageBytes, now }: { readonly login: Login; readonly maxMessageBytes: number; readonly now: number },
): Promise<FetchedAgain> {
  let session: ImapSession | undefined;
  try {
    session = await logInAt({ imap, login, maxMessageBytes, tuning: { ...DEFAULT_TUNING, connectMs: 10_000 } });
    const { uidValidity } = await openFolder(session, imap.folder);
    const uid = uidValidity === wanted.uidValidity ? wanted.uid : await uidOf(session, wanted.messageId);
    if (uid === null) return { kind: 'is_not', why: 'all mail of the folder has other numbers now' };
    const listed = (await listMail(session, String(uid), now))[0] ?? { uid, bytes: 0, internalDate: now };
    if (listed.bytes > maxMessageBytes) return { kind: 'too_large', why: `it has ${listed.bytes} bytes` };
    const [mail] = await fetchByUid(session, String(uid), { source: true }, listed.bytes);
    const said = await readAnswer(session, listed, mail?.source, Number.POSITIVE_INFINITY);
    if (said.kind === 'is_not') return { kind: 'is_not', why: 'it is not in the mailbox any more' };
    if (said.kind === 'cannot_say') return said;
    return { kind: 'is', raw: said.raw, uidValidity, uid, internalDate: listed.internalDate };
  } catch (error) {
    return { kind: 'cannot_say', why: describe(error) };
  } finally {
    await session?.end();
  }
}

async function uidOf(session: ImapSession, messageId: string | null): Promise<number | null> {
  if (messageId === null) return null;
  const [only, ...others] = await searchUids(session, { header: { 'message-id': messageId } });
  // Whoever writes a mail chooses its Message-ID: of two nobody can say which is meant.
  return others.length > 0 ? null : (only ?? null);
}
