import type { ImapConfig } from '../../config/types.ts';
import { backoffMs } from '../../lib/backoff.ts';
import { DAY_MS } from '../../lib/time.ts';
import { fixCursor, openFolder } from './client/folder.ts';
import { listMail } from './client/listing.ts';
import { prepareTarget } from './client/mark.ts';
import {
  describe,
  failureOf,
  fetchByUid,
  type ImapSession,
  logInAt,
  noop,
  type SessionFailure,
  searchUids,
  stateAfter,
} from './client/session.ts';
import { type FetchContext, fetchNewMail, fetchRechecks, settleAll } from './fetch-new-mail.ts';
import { createProgress, forgetUids, type Progress, throwFailure } from './progress.ts';
import { DEFAULT_TUNING, type Tuning } from './tuning.ts';
import type { Deferred, MailboxCursor, MailboxDeps, MailboxStatus, RefusedOften } from './types.ts';
import { createWakeSignal, type WakeSignal } from './wake-signal.ts';

export interface MailboxWatcher {
  /** Resolves when the cursor is fixed, or the first attempt has failed (see `state`); retries go on by themselves. */
  start(): Promise<void>;
  /** The mail in hand is finished, then LOGOUT; after a few seconds the connection is cut all the same. */
  stop(): Promise<void>;
  /** `lookedAt`: when the server last answered a look at the folder; null before the first. */
  state(): MailboxStatus & { readonly lookedAt: number | null };
  /** Offers deferred mail to `receive` once more, as soon as there is a connection. */
  recheck(deferred: readonly Deferred[]): void;
  /** Where it rests after a failure it tries again at once. */
  hurry(): void;
}

/**
 * Watches one folder of one account for as long as it runs: one connection, IDLE as a hint, a full look at the
 * UIDs on a timer as the truth. Each mailbox has its own watcher, so that a broken one delays nobody.
 */
export function createMailboxWatcher(deps: MailboxDeps): MailboxWatcher {
  const { imap, id } = deps.mailbox;
  const status: { now: MailboxStatus } = {
    now: imap ? { state: 'retrying', error: null } : { state: 'disabled', error: null },
  };
  const looked: { at: number | null } = { at: null };
  const resting: WatcherContext['resting'] = { wake: null };
  const log = deps.log.child({ mailbox: id });
  const wakeSignal = createWakeSignal();
  const stopping = new AbortController();
  const cutting = new AbortController();
  const firstAttempt = Promise.withResolvers<void>();
  const tuning = { ...DEFAULT_TUNING, ...deps.tuning };
  const onFailedRecheck = (uid: number, error: unknown) =>
    log.warn({ uid, error: describe(error) }, 'deferred mail could not be taken in');
  const progress = createProgress(tuning, { wakeSignal, onFailedRecheck });
  const running: { loop: Promise<void> } = { loop: Promise.resolve() };

  const report = (next: MailboxStatus) => {
    status.now = next;
    deps.onState(next);
    firstAttempt.resolve();
  };
  const context = {
    deps: { ...deps, log },
    tuning,
    wakeSignal,
    progress,
    stopping: stopping.signal,
    cutting: cutting.signal,
    report,
    looked,
    resting,
    worked: { mark: null },
  };

  return {
    async start() {
      if (!imap) return;
      // Also what is in hand after the connection has gone.
      running.loop = keepWatching({ ...context, imap }).then(() => progress.inHand.room());
      await firstAttempt.promise;
    },
    async stop() {
      stopping.abort();
      wakeSignal.notify();
      const patience = Promise.withResolvers<void>();
      const timer = setTimeout(() => {
        cutting.abort();
        patience.resolve();
      }, context.tuning.stopMs);
      await Promise.race([running.loop, patience.promise]);
      clearTimeout(timer);
      firstAttempt.resolve();
    },
    state: () => ({ ...status.now, lookedAt: looked.at }),
    hurry: () => resting.wake?.(),
    recheck(deferred) {
      for (const one of deferred) progress.rechecks.set(`${one.uidValidity}:${one.uid}`, one);
      progress.roundEndsAt = deps.clock.now() + tuning.recheckRoundMs;
      wakeSignal.notify();
    },
  };
}

interface WatcherContext {
  readonly imap: ImapConfig;
  readonly deps: MailboxDeps;
  readonly tuning: Tuning;
  readonly wakeSignal: WakeSignal;
  readonly progress: Progress;
  readonly stopping: AbortSignal;
  /** Patience is over: every command fails at once. */
  readonly cutting: AbortSignal;
  report(status: MailboxStatus): void;
  readonly looked: { at: number | null };
  /** Ends the rest after a failure; null: it does not rest. */
  readonly resting: { wake: (() => void) | null };
  /** The secret with which the last login went well, as `login.mark` names it; null: none did since the process started. */
  readonly worked: { mark: string | null };
}

async function keepWatching(context: WatcherContext): Promise<void> {
  const { deps, tuning, stopping } = context;
  const retries = createRetries(tuning, deps.random);
  while (!stopping.aborted) {
    const mark = deps.login.mark();
    const begun: { at: number | null; hasLooked: boolean } = { at: null, hasLooked: false };
    const failure = await watchOnce(context, {
      onConnected() {
        begun.at = deps.clock.now();
        context.worked.mark = mark;
      },
      onLooked() {
        begun.hasLooked = true;
        context.looked.at = deps.clock.now();
      },
    });
    if (stopping.aborted) return;
    const now = deps.clock.now();
    const openMs = begun.at === null ? null : now - begun.at;
    const { waitMs, refused } = retries.after(failure, { openMs, hasLooked: begun.hasLooked }, now);
    context.report({ state: stateAfter(failure), error: failure.message });
    deps.log.warn({ error: failure.message, waitMs }, 'the mailbox is not connected');
    if (refused) deps.onRefusedOften?.(refused);
    await rest(context, waitMs, failure.kind === 'auth' || failure.isUnclear ? mark : null);
  }
}

/** Waits, but no longer than until the refused secret is another one: a renewed token should work at once. */
async function rest(
  { deps, stopping, resting }: WatcherContext,
  waitMs: number,
  refused: string | null,
): Promise<void> {
  const endsAt = deps.clock.now() + waitMs;
  const hurried = new AbortController();
  resting.wake = () => hurried.abort();
  const ended = AbortSignal.any([stopping, hurried.signal]);
  while (!ended.aborted && deps.clock.now() < endsAt) {
    if (refused !== null && deps.login.mark() !== refused) break;
    const slice = refused === null ? endsAt - deps.clock.now() : Math.min(2000, endsAt - deps.clock.now());
    await deps.clock.sleep(Math.max(slice, 1), ended).catch(() => {});
  }
  resting.wake = null;
}

/** One connection from login to its end. Never throws: how it ended is the result. */
async function watchOnce(
  context: WatcherContext,
  { onConnected, onLooked }: { onConnected(): void; onLooked(): void },
): Promise<SessionFailure> {
  const { deps, imap, tuning } = context;
  let session: ImapSession | undefined;
  try {
    const { maxMessageBytes } = deps;
    session = await logInAt({
      imap,
      login: deps.login,
      maxMessageBytes,
      tuning,
      signal: context.cutting,
      connecting: context.stopping,
    });
    const fetching = await openMailbox(context, session);
    onConnected();
    context.report({ state: 'connected', error: null });
    await work(context, fetching, onLooked);
    return { kind: 'network', message: 'stopped', waitMs: 0 };
  } catch (error) {
    return failureOf(error, imap, { hasWorked: await hasWorked(context) });
  } finally {
    await session?.end();
  }
}

/** Of a process that has just started: whether any secret has, since a cursor is there. */
async function hasWorked({ deps, worked }: WatcherContext): Promise<boolean> {
  if (worked.mark !== null) return worked.mark === deps.login.mark();
  return (await deps.cursor.load().catch(() => null)) !== null;
}

async function openMailbox(context: WatcherContext, session: ImapSession): Promise<FetchContext> {
  const { deps, imap, progress } = context;
  const folder = await openFolder(session, imap.folder);
  const fixed = await fixCursor(session, folder, {
    firstConnect: imap.first_connect,
    // What this process knows is never behind what it has stored.
    load: async () => (progress.cursor.uidValidity === '' ? deps.cursor.load() : progress.cursor),
    save: deps.cursor.save,
    now: deps.clock.now(),
    log: deps.log,
  });
  if (fixed.cursor.uidValidity !== progress.cursor.uidValidity || fixed.cursor.uid < progress.cursor.uid) {
    forgetUids(progress);
    if (fixed.isBehind) await deps.renumbered(fixed.cursor.uidValidity);
    for (const uid of await deps.suspects(fixed.cursor.uidValidity)) progress.suspects.add(uid);
  }
  progress.cursor = fixed.cursor;
  progress.resyncUntil = fixed.resyncUntil ?? progress.resyncUntil;
  if (fixed.isFirst) await recordJustBefore(session, deps, fixed.cursor);
  const warning = await prepareTarget(session, imap.processed);
  if (warning !== null) deps.log.warn({ warning }, 'processed mail cannot be moved');
  const { tuning, stopping } = context;
  return { session, deps, tuning, processed: imap.processed, progress, stopping };
}

async function work(context: WatcherContext, fetching: FetchContext, onLooked: () => void): Promise<void> {
  await lookAndWait(context, fetching, onLooked);
  await settleAll(fetching);
}

async function lookAndWait(
  { wakeSignal, tuning, stopping, progress }: WatcherContext,
  fetching: FetchContext,
  onLooked: () => void,
): Promise<void> {
  const { session } = fetching;
  session.client.on('exists', wakeSignal.notify);
  session.closed.addEventListener('abort', wakeSignal.notify, { once: true });
  let isFirst = true;
  while (!stopping.aborted) {
    session.closed.throwIfAborted();
    throwFailure(progress);
    await fetchNewMail(fetching, { isFirst });
    onLooked();
    isFirst = false;
    await fetchRechecks(fetching);
    if (stopping.aborted) return;
    // Some ended while others were fetched.
    if (progress.rechecks.size > 0 && progress.inHand.count(false) < tuning.maxRechecks) wakeSignal.notify();
    const wake = await waitForNews(session, wakeSignal, tuning);
    // IDLE may be late or lie, and without it the server tells of new mail with the next command.
    if (wake === 'time' && !stopping.aborted) await noop(session);
  }
}

async function waitForNews(session: ImapSession, wakeSignal: WakeSignal, tuning: Tuning) {
  const { client } = session;
  if (session.closed.aborted) return 'news';
  if (!client.capabilities.has('IDLE')) return wakeSignal.wait(tuning.pollMs);
  // Our own next command ends it (imapflow sends DONE first). Ended before that, the server did: then we poll.
  client
    .idle()
    .catch(() => undefined)
    .finally(() => wakeSignal.shorten(tuning.pollMs));
  return wakeSignal.wait(tuning.reconcileMs);
}

/** Whoever sent a mail so shortly before the first connect may wait for an answer to it. */
const RECENT_MS = 15 * 60_000;
const MOST_MAILS = 20;
const MOST_BYTES = 256 * 1024;

/**
 * Puts on record what came into the folder shortly before the first connect: it is not answered, and its owner can see
 * that it was not. Never throws; without it the mail is where it was.
 */
async function recordJustBefore(session: ImapSession, deps: MailboxDeps, cursor: MailboxCursor): Promise<void> {
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

/** How far one connection came. */
export interface Lasted {
  /** Ms since the folder was open; null: it never was. */
  readonly openMs: number | null;
  /** It has taken what was new at least once. */
  readonly hasLooked: boolean;
}

/** Logins in a row that a server has refused, over some minutes: it is no accident any more. */
const REFUSED_OFTEN = 4;
/** A refusal that names no cause is that of a busy server, for so long. */
const BUSY_MS = 3_600_000;
/** How far apart such logins are at most: a server that has another reason would lock the account. */
const MAX_UNCLEAR_MS = 900_000;

/** When a mailbox is tried again, by what happened so far. */
export function createRetries(tuning: Tuning, random: () => number) {
  const counts = { network: 0, auth: 0, cut: 0, unclear: 0 };
  const state = { refusedSince: 0, unclearSince: 0, isTold: false };
  const afterUnclear = (failure: SessionFailure, now: number) => {
    counts.unclear += 1;
    if (counts.unclear === 1) Object.assign(state, { unclearSince: now, isTold: false });
    const isOften = now - state.unclearSince >= BUSY_MS && !state.isTold;
    state.isTold ||= isOften;
    const backoff = { attempt: counts.unclear, firstMs: tuning.firstRetryMs, maxMs: MAX_UNCLEAR_MS, random: random() };
    const refused = isOften ? { since: state.unclearSince, error: failure.message } : null;
    return { waitMs: Math.max(failure.waitMs, backoffMs(backoff)), refused };
  };
  return {
    /** `refused`: only the first time of a row of refusals that is no accident any more. */
    after(failure: SessionFailure, lasted: Lasted, now: number): { waitMs: number; refused: RefusedOften | null } {
      if (lasted.openMs !== null) Object.assign(counts, { auth: 0, unclear: 0 });
      if (failure.isUnclear) return afterUnclear(failure, now);
      if (lasted.hasLooked) counts.network = 0;
      if ((lasted.openMs ?? 0) >= tuning.stableMs) counts.cut = 0;
      const kind = lasted.hasLooked && failure.kind === 'network' ? 'cut' : failure.kind;
      counts[kind] += 1;
      if (counts.auth === 1) state.refusedSince = now;
      const isOften = kind === 'auth' && counts.auth === REFUSED_OFTEN && failure.needsLogin !== true;
      return {
        waitMs: Math.max(failure.waitMs, retryMs(kind, counts[kind], tuning, random())),
        refused: isOften ? { since: state.refusedSince, error: failure.message } : null,
      };
    },
  };
}

/** `cut`: it worked, and broke off after a look at the folder. Then it is no worse than a server that is polled. */
function retryMs(kind: SessionFailure['kind'] | 'cut', attempt: number, tuning: Tuning, random: number): number {
  const { firstRetryMs, maxRetryMs, firstAuthRetryMs, maxAuthRetryMs, pollMs } = tuning;
  if (kind === 'auth') return backoffMs({ attempt, firstMs: firstAuthRetryMs, maxMs: maxAuthRetryMs, random });
  const maxMs = kind === 'cut' ? Math.min(pollMs, maxRetryMs) : maxRetryMs;
  return backoffMs({ attempt, firstMs: firstRetryMs, maxMs, random });
}
