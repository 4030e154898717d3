import { describe } from './client/failure.ts';
import { listMail } from './client/listing.ts';
import { fetchByUid, type Session, searchUids } from './client/session.ts';
import type { MailboxCursor, MailboxDeps } from './types.ts';

/** Whoever sent a mail so shortly before the first connect may wait for an answer to it. */
const RECENT_MS = 15 * 60_000;
const MOST_MAILS = 20;
const MOST_BYTES = 256 * 1024;
const DAY_MS = 24 * 3_600_000;

/**
 * Puts on record what came into the folder shortly before the first connect: it is not answered, and its owner can see
 * that it was not. Never throws; without it the mail is where it was.
 */
export async function recordJustBefore(session: Session, deps: MailboxDeps, cursor: MailboxCursor): Promise<void> {
  const { uid, uidValidity } = cursor;
  const now = deps.clock.now();
  if (uid === 0) return;
  try {
    // Servers compare dates in a zone of theirs.
    const found = await searchUids(session, { uid: `1:${uid}`, since: new Date(now - RECENT_MS - DAY_MS) });
    if (found.length === 0) return;
    const listed = await listMail(session, found.slice(-MOST_MAILS).join(','), now);
    for (const { uid: one, bytes, internalDate } of listed) {
      if (now - internalDate > RECENT_MS || bytes > MOST_BYTES) continue;
      const [mail] = await fetchByUid(session, String(one), { source: true }, bytes);
      const source = { mailbox: deps.mailbox.id, uidValidity, uid: one, internalDate };
      if (mail?.source) await deps.justBefore(mail.source, source);
    }
  } catch (error) {
    deps.log.warn({ error: describe(error) }, 'mail from shortly before the first connect could not be put on record');
  }
}
