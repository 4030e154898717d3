import { parseMailDate } from '../../mail/mime/date.ts';
import { firstHeader, type HeaderLine, readHeaders } from '../../mail/mime/headers.ts';
import { ownMessageId } from '../../mail/mime/message-ids.ts';
import { chunks, inBatches, type Listed, listMail, newUids, readAnswer } from './client/listing.ts';
import { markProcessed } from './client/mark.ts';
import { describe, fetchByUid, type ImapSession, isRefusedByServer, noop } from './client/session.ts';
import { leave, leaveDeleted, leaveUnlisted, sourceOf, unlisted } from './leave.ts';
import { finish, finishGone, type Progress, reached, throwFailure } from './progress.ts';
import { HEAD_BYTES, type Tuning } from './tuning.ts';
import type { Deferred, MailboxDeps } from './types.ts';

export interface FetchContext {
  readonly session: ImapSession;
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
export async function fetchNewMail(context: FetchContext, { isFirst }: { isFirst: boolean }): Promise<void> {
  const { session, deps, progress, tuning } = context;
  await advance(context);
  const after = progress.cursor.uid;
  const isUnknown = (uid: number) => uid > after && !progress.done.has(uid) && !progress.inHand.has(uid);
  if (!isFirst) {
    const listed = await listMail(session, `${after + 1}:*`, deps.clock.now());
    const unknown = listed.filter(({ uid }) => isUnknown(uid));
    // What is left out of the list may be there all the same, and the cursor would pass it with the others.
    const isNews = unknown.length > 0 || progress.owed.size > 0;
    const named = isNews ? await newUids(session, after) : [];
    finishGone(progress, new Set([...listed.map(({ uid }) => uid), ...named]));
    return takeNew(context, named.filter(isUnknown), unknown);
  }
  const all = await newUids(session, after);
  finishGone(progress, new Set(all));
  const unknown = all.filter(isUnknown);
  const before = progress.resyncUntil;
  const again = await sortOutResync(
    context,
    unknown.filter((uid) => uid <= before),
  );
  for (const uids of chunks([...again, ...unknown.filter((uid) => uid > before)], tuning.batchMessages)) {
    if (context.stopping.aborted) return;
    const listed = await listMail(session, uids.join(','), deps.clock.now());
    await takeNew(context, uids, listed);
  }
  if (!context.stopping.aborted && progress.resyncUntil > 0) await endResync(context);
}

/** `named`: by a search; `listed`: what there is to fetch of it. Whatever comes of one, the cursor waits for those before it. */
async function takeNew(context: FetchContext, named: readonly number[], listed: readonly Listed[]): Promise<void> {
  for (const uid of [...named, ...listed.map((mail) => mail.uid)]) context.progress.owed.add(uid);
  await unlisted(context, named, listed);
  const isAgain = listed.some(({ uid }) => uid <= context.progress.resyncUntil);
  await fetchListed(context, isAgain ? listed : await sortOutMany(context, listed), true);
}

async function endResync(context: FetchContext): Promise<void> {
  const { progress, deps } = context;
  await settleAll(context);
  progress.cursor = { ...progress.cursor, uid: Math.max(progress.cursor.uid, progress.resyncUntil) };
  progress.resyncUntil = 0;
  await deps.cursor.save(progress.cursor);
}

/** Waits for all mail in hand, and tells the server what came of it. Throws when some could not be stored. */
export async function settleAll(context: FetchContext): Promise<void> {
  await context.progress.inHand.room();
  await advance(context);
  throwFailure(context.progress);
}

/**
 * Begins a few of the mails that were left for later; what comes of them is known when they have ended. What is no
 * longer there is reported as gone.
 */
export async function fetchRechecks(context: FetchContext): Promise<void> {
  const { deps, progress, session, tuning } = context;
  const { rechecks, inHand } = progress;
  if (rechecks.size === 0 || inHand.count(false) >= tuning.maxRechecks) return;
  // What another client has expunged meanwhile still answers a FETCH until the server was free to say so.
  await noop(session);
  for (const [key, deferred] of [...rechecks].slice(0, tuning.maxRechecks)) {
    if (context.stopping.aborted || inHand.count(false) >= tuning.maxRechecks) return;
    // What is left of this round is due in the next one: between them there is time for other things.
    if (deps.clock.now() >= progress.roundEndsAt) return rechecks.clear();
    // Whatever it ends with: what is not settled then is due again by its own time, and not because the connection broke.
    rechecks.delete(key);
    await fetchRecheck(context, deferred);
  }
}

async function fetchRecheck(context: FetchContext, deferred: Deferred): Promise<void> {
  const { deps, progress, session } = context;
  // After a change of UIDVALIDITY it has been offered again under its new UID.
  if (deferred.uidValidity !== progress.cursor.uidValidity) return deps.gone({ mailbox: deps.mailbox.id, ...deferred });
  if (progress.inHand.has(deferred.uid)) return;
  const listed = await listMail(session, String(deferred.uid), deps.clock.now());
  if (listed.length === 0) await leaveUnlisted(context, deferred.uid);
  else await fetchListed(context, listed, false);
}

async function fetchListed(context: FetchContext, listed: readonly Listed[], isNew: boolean): Promise<void> {
  const { progress, tuning } = context;
  const there: Listed[] = [];
  for (const mail of listed) {
    if (mail.isDeleted) await leaveDeleted(context, mail, isNew);
    else there.push(mail);
  }
  const batches = inBatches(there, {
    messages: tuning.batchMessages,
    bytes: tuning.batchBytes,
    hasFailed: progress.fetchFailures.has,
  });
  for (const batch of batches) {
    if (context.stopping.aborted) return;
    await fetchBatch(context, batch, isNew);
  }
}

async function fetchBatch(context: FetchContext, batch: readonly Listed[], isNew: boolean): Promise<void> {
  const { progress } = context;
  const hopeless = batch.find(({ uid }) => progress.fetchFailures.isHopeless(uid));
  if (hopeless) {
    await leave(context, hopeless, 'the server refuses to hand it over, or ends the connection instead', isNew);
    return advance(context);
  }
  let bodies: Map<number, Uint8Array>;
  try {
    bodies = await fetchBodies(context, batch);
  } catch (error) {
    return afterFault(context, batch, { error, isNew });
  }
  await settleBatch(context, batch, bodies, isNew);
}

async function afterFault(
  context: FetchContext,
  batch: readonly Listed[],
  { error, isNew }: { readonly error: unknown; readonly isNew: boolean },
): Promise<void> {
  const isRefused = isRefusedByServer(error) && !context.session.closed.aborted;
  context.progress.fetchFailures.note(
    batch.map(({ uid }) => uid),
    isRefused && batch.length === 1 ? 'refused' : 'line',
  );
  const said = describe(error);
  context.deps.log.warn({ uids: batch.length, first: batch[0]?.uid, error: said }, 'mail could not be fetched');
  // What is asked for again has a time for that: a connection that breaks each time is no reason to try at once.
  if (!isNew) for (const mail of batch) await leave(context, mail, said, isNew);
  if (!isNew && isRefused) return;
  // One bad mail makes some servers refuse the whole command: find out which.
  if (!isRefused || batch.length === 1) throw error;
  for (const mail of batch) await fetchBatch(context, [mail], isNew);
}

/** The bodies of those within the size limit; the others' first bytes. */
async function fetchBodies(context: FetchContext, batch: readonly Listed[]): Promise<Map<number, Uint8Array>> {
  const { session, deps } = context;
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
  context: FetchContext,
  batch: readonly Listed[],
  bodies: ReadonlyMap<number, Uint8Array>,
  isNew: boolean,
): Promise<void> {
  try {
    for (const mail of batch) {
      if (context.stopping.aborted) break;
      await settle(context, mail, bodies.get(mail.uid), isNew);
      throwFailure(context.progress);
    }
  } finally {
    // Also after a throw: what has been committed must not be offered again.
    await advance(context);
  }
}

/** Puts the mail in hand, and waits a while for what becomes of it. */
async function settle(
  context: FetchContext,
  mail: Listed,
  body: Uint8Array | undefined,
  isNew: boolean,
): Promise<void> {
  const { deps, progress, tuning } = context;
  const { inHand } = progress;
  const source = sourceOf(context, mail);
  const most = mail.bytes > deps.maxMessageBytes ? HEAD_BYTES : Number.POSITIVE_INFINITY;
  const said = await readAnswer(context.session, mail, body, most);
  if (said.kind === 'is_not' && !isNew) return deps.gone(source);
  // New mail that was listed a moment ago: whether it is gone is known when it is asked for again.
  if (said.kind === 'is_not') return leave(context, mail, 'the server listed it, and then it was not there', isNew);
  if (said.kind === 'cannot_say') return leave(context, mail, said.why, isNew);
  const isSuspect = progress.suspects.has(mail.uid);
  const { raw } = said;
  await inHand.room(isSuspect ? undefined : raw.byteLength);
  if (context.stopping.aborted) return;
  const isOversized = mail.bytes > deps.maxMessageBytes || raw.byteLength > deps.maxMessageBytes;
  const work = async (): Promise<boolean> => {
    const size = Math.max(mail.bytes, raw.byteLength);
    const taken = isOversized
      ? await deps.oversized(raw.subarray(0, HEAD_BYTES), source, size)
      : await deps.receive(raw, source);
    deps.pass?.('imap.received');
    return taken === 'settled';
  };
  const patienceMs = inHand.count(true) > 0 ? tuning.overtakeMs : tuning.patienceMs;
  const ms = isSuspect ? tuning.receiveMs : isNew ? patienceMs : 0;
  await inHand.take({ uid: mail.uid, isNew, bytes: raw.byteLength, work }, ms);
  progress.suspects.delete(mail.uid);
}

/** Tells the server, then stores the cursor: after a crash in between, the mail is offered and marked again. */
async function advance(context: FetchContext): Promise<void> {
  const { progress, deps } = context;
  // Before the server is told: what ends meanwhile has not been marked yet.
  const uid = reached(progress);
  await markSettled(context);
  for (const one of progress.done) if (one <= uid) progress.done.delete(one);
  if (uid === progress.cursor.uid) return;
  progress.cursor = { ...progress.cursor, uid };
  if (uid < progress.resyncUntil) return;
  await deps.cursor.save(progress.cursor);
  deps.pass?.('imap.cursor_saved');
}

async function markSettled({ session, processed, progress, deps }: FetchContext): Promise<void> {
  const uids = [...progress.unmarked];
  try {
    const warning = await markProcessed(session, processed, uids);
    if (warning !== null) deps.log.warn({ warning }, 'mail could not be marked in the mailbox');
    // Not what was taken while the server was told.
    for (const uid of uids) progress.unmarked.delete(uid);
  } catch (error) {
    // The next connection tells the server; the cursor need not wait for that.
    deps.log.debug({ error: describe(error) }, 'marking waits for the next connection');
  }
}

/** So many mails that nobody has seen may be worked after a folder got other numbers; for more of them its owners are asked. */
const MOST_UNASKED = 20;
const AT_ONCE = 100;

interface Sorting {
  readonly session: ImapSession;
  readonly deps: MailboxDeps;
  readonly progress: Progress;
  readonly stopping: AbortSignal;
}

/** A mail's own dates can only make it older than its server says: a server that was moved dates all mail anew. Pure. */
const isBefore = (since: number | undefined, { internalDate }: Listed, ownDate: number | null): boolean =>
  since !== undefined && Math.min(internalDate, ownDate ?? internalDate) <= since;

/**
 * Which mails of a folder that is looked at again as a whole are to be taken. What is from before the first connect is
 * listed and left there; of what nobody has seen, more than a few wait until its owners have said what is to become of it.
 */
async function sortOutResync(context: Sorting, uids: readonly number[]): Promise<readonly number[]> {
  const { progress, deps, session, stopping } = context;
  const { since, uidValidity } = progress.cursor;
  const [taken, unseen] = [[] as number[], [] as { mail: Listed; head: Headed | undefined }[]];
  let held = 0;
  const hold = async () => {
    for (const { mail, head } of unseen.splice(0)) {
      held += 1;
      await deps.hold(sourceOf(context, mail), head?.head ?? null);
      finish(progress, mail.uid);
    }
  };
  for (const some of chunks(uids, AT_ONCE)) {
    if (stopping.aborted) return [];
    const listed = await listMail(session, some.join(','), deps.clock.now());
    const heads = await headsOf(session, some);
    const missing = some.filter((uid) => !listed.some((mail) => mail.uid === uid));
    taken.push(...missing);
    for (const mail of listed) {
      const head = heads.get(mail.uid);
      if (isBefore(since, mail, head?.ownDate ?? null)) await leaveThere(context, mail, head);
      else if (head?.messageId && (await deps.isKnown(head.messageId))) taken.push(mail.uid);
      else unseen.push({ mail, head });
    }
    if (held + unseen.length > MOST_UNASKED) await hold();
  }
  if (held > 0) {
    await hold();
    await deps.askAboutHeld(uidValidity, held);
  }
  return [...taken, ...unseen.map(({ mail }) => mail.uid)].toSorted((one, other) => one - other);
}

/**
 * Of many mails that are new in one look: those that are not from before the first connect. Somebody has copied an archive
 * into the folder; a single old mail was put there to be answered.
 */
async function sortOutMany(context: Sorting, listed: readonly Listed[]): Promise<readonly Listed[]> {
  const { since } = context.progress.cursor;
  if (since === undefined || listed.length <= MOST_UNASKED) return listed;
  const heads = await headsOf(
    context.session,
    listed.map(({ uid }) => uid),
  );
  const isOld = (mail: Listed) => isBefore(since, mail, heads.get(mail.uid)?.ownDate ?? null);
  const old = listed.filter(isOld);
  if (old.length <= MOST_UNASKED) return listed;
  for (const mail of old) await leaveThere(context, mail, heads.get(mail.uid));
  return listed.filter((mail) => !isOld(mail));
}

async function leaveThere(context: Sorting, mail: Listed, head: Headed | undefined): Promise<void> {
  await context.deps.leaveAlone(sourceOf(context, mail), { code: 'before_first_connect', head: head?.head ?? null });
  finish(context.progress, mail.uid);
}

/** What the headers of a mail say, without its body. */
interface Headed {
  readonly head: Uint8Array;
  /** Null where it has none that can be read. */
  readonly messageId: string | null;
  /** When the last server passed it on, else when it was written; null where neither can be read. */
  readonly ownDate: number | null;
}

const FIELDS = ['message-id', 'from', 'to', 'cc', 'subject', 'date', 'received'];

/** By UID; those of which the server hands out no headers are missing. */
async function headsOf(session: ImapSession, uids: readonly number[]): Promise<ReadonlyMap<number, Headed>> {
  if (uids.length === 0) return new Map();
  const found = await fetchByUid(session, uids.join(','), { headers: FIELDS });
  const heads = found.flatMap(({ uid, headers }) => (headers ? [[uid, headed(headers)] as const] : []));
  return new Map(heads.filter(([, { lines }]) => lines.length > 0));
}

function headed(head: Buffer): Headed & { readonly lines: readonly HeaderLine[] } {
  const { lines } = readHeaders(head);
  return { head, lines, messageId: ownMessageId(firstHeader(lines, 'message-id')), ownDate: ownDateIn(lines) };
}

/**
 * The topmost Received is of the server that had it last, and a copy keeps it (RFC 5321 section 4.4: the date stands behind
 * the last semicolon). Pure.
 */
function ownDateIn(lines: readonly HeaderLine[]): number | null {
  const received = firstHeader(lines, 'received') ?? '';
  const passedOn = received.includes(';') ? parseMailDate(received.slice(received.lastIndexOf(';') + 1)) : null;
  return passedOn ?? parseMailDate(firstHeader(lines, 'date') ?? '');
}
