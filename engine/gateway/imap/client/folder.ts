import { EngineError, type Log } from '#contract';
import type { ImapConfig } from '../../../config/types.ts';
import { DAY_MS } from '../../../lib/time.ts';
import type { MailboxCursor } from '../types.ts';
import { fetchByUid, type ImapSession, searchUids } from './session.ts';

interface Folder {
  readonly uidValidity: string;
  /** 0 where the server does not say. */
  readonly uidNext: number;
  readonly exists: number;
}

/**
 * Selects the folder for the life of the session. By a lock, because imapflow takes a quiet connection without
 * one for dead (a mail may take longer to commit than the socket time-out).
 */
export async function openFolder(session: ImapSession, path: string): Promise<Folder> {
  await session.call('SELECT', (client) => client.getMailboxLock(path, { acquireTimeout: 60_000 }));
  const { mailbox } = session.client;
  if (!mailbox) throw new EngineError('network', `IMAP: ${path} could not be selected`, { retry: { afterMs: 0 } });
  return {
    uidValidity: String(mailbox.uidValidity ?? 0),
    uidNext: Number(mailbox.uidNext) || 0,
    exists: mailbox.exists,
  };
}

type CursorStart =
  | { readonly kind: 'known' }
  | { readonly kind: 'first' }
  /** All UIDs are new, or the server went back behind ours: the whole folder is offered again. */
  | { readonly kind: 'resync'; readonly why: string };

/** Pure. */
export function decideStart(known: MailboxCursor | null, folder: Folder): CursorStart {
  if (!known) return { kind: 'first' };
  if (known.uidValidity !== folder.uidValidity) {
    return { kind: 'resync', why: `UIDVALIDITY changed from ${known.uidValidity} to ${folder.uidValidity}` };
  }
  // Against RFC 3501, yet a restored backup can do it: new mail would get UIDs that we think are behind us.
  if (folder.uidNext > 0 && known.uid >= folder.uidNext) {
    return { kind: 'resync', why: `UIDNEXT ${folder.uidNext} is behind our cursor ${known.uid}` };
  }
  return { kind: 'known' };
}

/**
 * The cursor to go on from. A first one is made durable before any mail is looked at; after a resync it is stored
 * once `resyncUntil` is reached. null: as before. `isBehind`: under the same UIDVALIDITY.
 */
export async function fixCursor(
  session: ImapSession,
  folder: Folder,
  options: {
    firstConnect: ImapConfig['first_connect'];
    load(): Promise<MailboxCursor | null>;
    save(cursor: MailboxCursor): Promise<void>;
    now: number;
    log: Log;
  },
): Promise<{ cursor: MailboxCursor; resyncUntil: number | null; isFirst: boolean; isBehind?: boolean }> {
  const known = await options.load();
  const first = decideStart(known, folder);
  // Some servers name a UIDNEXT that is too low: what lies in the folder is asked before that is believed.
  const isBehind = known !== null && first.kind === 'resync' && known.uidValidity === folder.uidValidity;
  const start = isBehind && (await highestUid(session)) >= known.uid ? ({ kind: 'known' } as const) : first;
  if (known && start.kind === 'known') return { cursor: known, resyncUntil: null, isFirst: false };
  if (known && start.kind === 'resync') {
    options.log.warn({ why: start.why }, 'the whole folder is looked at again');
    const cursor = { ...known, uidValidity: folder.uidValidity, uid: 0 };
    return { cursor, resyncUntil: await lastUid(session, folder), isFirst: false, isBehind };
  }
  const cursor = await firstCursor(session, folder, options.firstConnect, options.now);
  await options.save(cursor);
  return { cursor, resyncUntil: 0, isFirst: true };
}

/** A UIDNEXT that is too low would make new mail of all that lies there. */
const lastUid = async (session: ImapSession, folder: Folder): Promise<number> =>
  Math.max(folder.uidNext - 1, await highestUid(session));

/** `*` is the last mail of the folder. */
const highestUid = async (session: ImapSession): Promise<number> =>
  (await searchUids(session, { uid: '*' })).at(-1) ?? 0;

async function firstCursor(
  session: ImapSession,
  folder: Folder,
  firstConnect: ImapConfig['first_connect'],
  now: number,
): Promise<MailboxCursor> {
  const { uidValidity } = folder;
  if (firstConnect === 'all') return { uidValidity, uid: 0 };
  const newest = folder.exists > 0 ? (await fetchByUid(session, '*', { internalDate: true })).at(-1) : undefined;
  const uid = await lastUid(session, folder);
  // The server's own clock, so that ours need not agree with it; of an empty folder ours, with as much room as clocks need.
  return { uidValidity, uid, since: newest ? Math.min(dateOf(newest.internalDate, now), now) : now - DAY_MS };
}

/** imapflow hands a date that it cannot read through as text. */
export function dateOf(internalDate: Date | string | undefined, otherwise: number): number {
  const ms = internalDate === undefined ? Number.NaN : new Date(internalDate).getTime();
  return Number.isNaN(ms) ? otherwise : ms;
}
