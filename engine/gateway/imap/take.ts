import { describe, isRefusedByServer } from './failure.ts';
import { chunks, inBatches, type Listed, listMail, newUids } from './listing.ts';
import { markProcessed } from './mark.ts';
import { fetchByUid, noop, type Session, searchUids } from './session.ts';
import type { Trouble } from './trouble.ts';
import { HEAD_BYTES, type Tuning } from './tuning.ts';
import type { Deferred, MailboxCursor, MailboxDeps } from './types.ts';

/** What one mailbox remembers between two connections. */
export interface Progress {
  cursor: MailboxCursor;
  /**
   * The last UID of a folder that is looked at again as a whole; 0 when none is. Until it is reached the cursor
   * is not stored, so that a restart begins the resync anew (duplicates are known by Message-ID).
   */
  resyncUntil: number;
  readonly trouble: Trouble;
  /** Taken, but the connection broke before the server could be told. */
  readonly unmarked: Set<number>;
  readonly rechecks: Map<string, Deferred>;
}

export interface Desk {
  readonly session: Session;
  readonly deps: MailboxDeps;
  readonly tuning: Tuning;
  readonly processed: Parameters<typeof markProcessed>[1];
  readonly progress: Progress;
  /** Aborted when the gateway stops: the mail in hand is finished, no other is begun. */
  readonly stopping: AbortSignal;
}

/**
 * Takes all mail past the cursor, oldest first. The first look of a connection asks for UIDs alone (a resync may
 * list a hundred thousand); later looks save a round trip.
 */
export async function takeNewMail(desk: Desk, { isFirst }: { isFirst: boolean }): Promise<void> {
  const { session, deps, progress, tuning } = desk;
  await markSettled(desk);
  const after = progress.cursor.uid;
  if (!isFirst) {
    const listed = await listMail(session, `${after + 1}:*`, deps.clock.now());
    return takeListed(
      desk,
      listed.filter(({ uid }) => uid > after),
      true,
    );
  }
  for (const uids of chunks(await newUids(session, after), tuning.batchMessages)) {
    if (desk.stopping.aborted) return;
    const listed = await listMail(session, uids.join(','), deps.clock.now());
    await takeListed(desk, listed, true);
  }
  if (!desk.stopping.aborted && progress.resyncUntil > 0) await endResync(desk);
}

async function endResync({ progress, deps }: Desk): Promise<void> {
  progress.cursor = { ...progress.cursor, uid: Math.max(progress.cursor.uid, progress.resyncUntil) };
  progress.resyncUntil = 0;
  await deps.cursor.save(progress.cursor);
}

/** Offers mail again that was left for later. What is no longer there is reported as gone. */
export async function takeRechecks(desk: Desk): Promise<void> {
  const { deps, progress, session } = desk;
  // What another client has expunged meanwhile still answers a FETCH until the server was free to say so.
  await noop(session);
  const { uidValidity } = progress.cursor;
  const mailbox = deps.mailbox.id;
  for (const [key, deferred] of [...progress.rechecks]) {
    if (desk.stopping.aborted) return;
    const isOurs = deferred.uidValidity === uidValidity;
    const listed = isOurs ? await listMail(session, String(deferred.uid), deps.clock.now()) : [];
    // After a change of UIDVALIDITY it has been offered again under its new UID.
    if (listed.length === 0) await deps.gone({ mailbox, ...deferred });
    else await takeListed(desk, listed, false);
    progress.rechecks.delete(key);
  }
}

async function takeListed(desk: Desk, listed: readonly Listed[], advances: boolean): Promise<void> {
  const { progress, tuning } = desk;
  const batches = inBatches(listed, {
    messages: tuning.batchMessages,
    bytes: tuning.batchBytes,
    isTroubled: progress.trouble.has,
  });
  for (const batch of batches) {
    if (desk.stopping.aborted) return;
    await takeBatch(desk, batch, advances);
  }
}

async function takeBatch(desk: Desk, batch: readonly Listed[], advances: boolean): Promise<void> {
  const { progress, deps } = desk;
  const hopeless = batch.find(({ uid }) => progress.trouble.isHopeless(uid));
  if (hopeless) {
    await deps.unreadable(sourceOf(desk, hopeless), 'the server does not hand it over');
    progress.trouble.clear(hopeless.uid);
    return advance(desk, hopeless.uid, advances);
  }
  let bodies: Map<number, Uint8Array>;
  try {
    bodies = await fetchBodies(desk, batch);
  } catch (error) {
    const isRefused = isRefusedByServer(error) && !desk.session.closed.aborted;
    progress.trouble.note(
      batch.map(({ uid }) => uid),
      isRefused && batch.length === 1 ? 'refused' : 'line',
    );
    deps.log.warn({ uids: batch.length, first: batch[0]?.uid, error: describe(error) }, 'mail could not be fetched');
    // One bad mail makes some servers refuse the whole command: find out which.
    if (!isRefused || batch.length === 1) throw error;
    for (const mail of batch) await takeBatch(desk, [mail], advances);
    return;
  }
  await settleBatch(desk, batch, bodies, advances);
}

/** The bodies of those within the size limit; the others' first bytes. */
async function fetchBodies(desk: Desk, batch: readonly Listed[]): Promise<Map<number, Uint8Array>> {
  const { session, deps } = desk;
  const bodies = new Map<number, Uint8Array>();
  const fitting = batch.filter(({ bytes }) => bytes <= deps.maxMessageBytes);
  const fetchInto = async (mails: readonly Listed[], source: true | { maxLength: number }, bytes: number) => {
    if (mails.length === 0) return;
    const range = mails.map(({ uid }) => uid).join(',');
    for (const message of await fetchByUid(session, range, { source }, bytes)) {
      if (message.source) bodies.set(message.uid, message.source);
    }
  };
  await fetchInto(
    fitting,
    true,
    fitting.reduce((sum, { bytes }) => sum + bytes, 0),
  );
  for (const mail of batch) {
    if (mail.bytes > deps.maxMessageBytes) await fetchInto([mail], { maxLength: HEAD_BYTES }, HEAD_BYTES);
    // A mail that fell out of the common answer is asked for by itself before it counts as expunged.
    else if (!bodies.has(mail.uid)) await fetchInto([mail], true, mail.bytes);
  }
  return bodies;
}

async function settleBatch(
  desk: Desk,
  batch: readonly Listed[],
  bodies: ReadonlyMap<number, Uint8Array>,
  advances: boolean,
): Promise<void> {
  let reached: number | null = null;
  try {
    for (const mail of batch) {
      if (desk.stopping.aborted) break;
      const isSettled = await settle(desk, mail, bodies.get(mail.uid), advances);
      desk.deps.pass?.('imap.received');
      desk.progress.trouble.clear(mail.uid);
      if (isSettled) desk.progress.unmarked.add(mail.uid);
      reached = mail.uid;
    }
  } finally {
    // Also after a throw: what has been committed must not be offered again.
    if (reached !== null) await advance(desk, reached, advances);
  }
}

/** True when it may be marked in the mailbox. */
async function settle(desk: Desk, mail: Listed, body: Uint8Array | undefined, isNew: boolean): Promise<boolean> {
  const { deps, progress } = desk;
  const source = sourceOf(desk, mail);
  if (isNew && isFromBeforeOurTime(progress, mail)) return false;
  if (body === undefined) {
    const isThere = (await searchUids(desk.session, { uid: String(mail.uid) })).includes(mail.uid);
    if (isThere) await deps.unreadable(source, 'the server lists it and sends no content');
    else if (!isNew) await deps.gone(source);
    return false;
  }
  if (mail.bytes > deps.maxMessageBytes || body.byteLength > deps.maxMessageBytes) {
    const bytes = Math.max(mail.bytes, body.byteLength);
    return (await deps.oversized(body.subarray(0, HEAD_BYTES), source, bytes)) === 'settled';
  }
  return (await deps.receive(body, source)) === 'settled';
}

function isFromBeforeOurTime({ cursor, resyncUntil }: Progress, { uid, internalDate }: Listed): boolean {
  return uid <= resyncUntil && cursor.since !== undefined && internalDate <= cursor.since;
}

/** Tells the server, then stores the cursor: after a crash in between, the mail is offered and marked again. */
async function advance(desk: Desk, uid: number, advances: boolean): Promise<void> {
  const { progress, deps } = desk;
  await markSettled(desk);
  if (!advances) return;
  progress.cursor = { ...progress.cursor, uid: Math.max(progress.cursor.uid, uid) };
  if (uid < progress.resyncUntil) return;
  await deps.cursor.save(progress.cursor);
  deps.pass?.('imap.cursor_saved');
}

async function markSettled({ session, processed, progress, deps }: Desk): Promise<void> {
  try {
    const warning = await markProcessed(session, processed, [...progress.unmarked]);
    if (warning !== null) deps.log.warn({ warning }, 'mail could not be marked in the mailbox');
    progress.unmarked.clear();
  } catch (error) {
    // The next connection tells the server; the cursor need not wait for that.
    deps.log.debug({ error: describe(error) }, 'marking waits for the next connection');
  }
}

function sourceOf({ deps, progress }: Desk, { uid, internalDate }: Listed) {
  return { mailbox: deps.mailbox.id, uidValidity: progress.cursor.uidValidity, uid, internalDate };
}
