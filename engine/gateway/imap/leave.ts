import { firstHeader, readHeaders } from '../../mail/mime/headers.ts';
import type { Listed } from './client/listing.ts';
import { isListed } from './client/listing.ts';
import { fetchByUid, type ImapSession } from './client/session.ts';
import { finish, type Progress } from './progress.ts';
import type { MailboxDeps } from './types.ts';

interface Leaving {
  readonly session: ImapSession;
  readonly deps: MailboxDeps;
  readonly progress: Progress;
}

const UNLISTED = 'the server names it and leaves it out of its list';
const FIELDS = ['message-id', 'from', 'to', 'subject', 'date'];

/** The server cannot say now what this mail is: it is put on record as left for later, with what its headers say. */
export async function leave(context: Leaving, mail: Listed, why: string, isNew: boolean): Promise<void> {
  const { deps, progress } = context;
  const head = await headOf(context, mail.uid);
  await deps.withheld(sourceOf(context, mail), { why, head });
  progress.fetchFailures.clear(mail.uid);
  if (isNew) finish(progress, mail.uid);
}

/** Asked for by themselves, since the server may hand them out while it has no body; null where it does not. */
async function headOf({ session, deps }: Leaving, uid: number): Promise<Uint8Array | null> {
  if (session.closed.aborted) return null;
  try {
    const [mail] = await fetchByUid(session, String(uid), { headers: FIELDS });
    const head = mail?.headers ?? null;
    if (head === null) return null;
    const { lines } = readHeaders(head);
    return firstHeader(lines, 'message-id') === null && firstHeader(lines, 'from') === null ? null : head;
  } catch (error) {
    deps.log.debug({ uid, error: String(error) }, 'not even the headers of a mail could be fetched');
    return null;
  }
}

/** Somebody threw it away before it was taken: on record, and left alone. */
export async function leaveDeleted(context: Leaving, mail: Listed, isNew: boolean): Promise<void> {
  const { deps, progress } = context;
  const head = await headOf(context, mail.uid);
  await deps.leaveAlone(sourceOf(context, mail), { code: 'marked_deleted', head });
  if (isNew) finish(progress, mail.uid);
}

/** Deferred mail of which the list says nothing: another answer of the server tells whether it is gone. */
export async function leaveUnlisted(context: Leaving, uid: number): Promise<void> {
  const { session, deps } = context;
  const mail = { uid, bytes: 0, internalDate: deps.clock.now() };
  if (await isListed(session, uid)) return leave(context, mail, UNLISTED, false);
  await deps.gone(sourceOf(context, mail));
}

/** New mail that the server names and does not list: the cursor stays before it, and after some looks it is put on record. */
export async function unlisted(context: Leaving, named: readonly number[], listed: readonly Listed[]): Promise<void> {
  const { progress, deps } = context;
  const found = new Set(listed.map(({ uid }) => uid));
  for (const uid of named) {
    if (found.has(uid)) continue;
    progress.fetchFailures.note([uid], 'refused');
    if (!progress.fetchFailures.isHopeless(uid)) continue;
    await leave(context, { uid, bytes: 0, internalDate: deps.clock.now() }, UNLISTED, true);
  }
}

export function sourceOf({ deps, progress }: Leaving, { uid, internalDate }: Listed) {
  return { mailbox: deps.mailbox.id, uidValidity: progress.cursor.uidValidity, uid, internalDate };
}
