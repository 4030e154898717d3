import type { ImapConfig } from '../../config/types.ts';
import { backoffMs } from '../../lib/backoff.ts';
import { classifyFailure, describe, type Failure } from './client/failure.ts';
import { fixCursor, openFolder } from './client/folder.ts';
import { prepareTarget } from './client/mark.ts';
import { noop, openSession, type Session } from './client/session.ts';
import { type Desk, endAll, takeNewMail, takeRechecks } from './fetch-new-mail.ts';
import { createProgress, forgetUids, type Progress, throwFailure } from './progress.ts';
import { DEFAULT_TUNING, type Tuning } from './tuning.ts';
import type { Deferred, MailboxDeps, MailboxStatus } from './types.ts';
import { type Bell, createBell } from './wake-signal.ts';

export interface MailboxWatcher {
  /** Resolves when the cursor is fixed, or the first attempt has failed (see `state`); retries go on by themselves. */
  start(): Promise<void>;
  /** The mail in hand is finished, then LOGOUT; after a few seconds the connection is cut all the same. */
  stop(): Promise<void>;
  state(): MailboxStatus;
  /** Offers deferred mail to `receive` once more, as soon as there is a connection. */
  recheck(deferred: readonly Deferred[]): void;
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
  const log = deps.log.child({ mailbox: id });
  const bell = createBell();
  const stopping = new AbortController();
  const cutting = new AbortController();
  const firstAttempt = Promise.withResolvers<void>();
  const tuning = { ...DEFAULT_TUNING, ...deps.tuning };
  const onFailedRecheck = (uid: number, error: unknown) =>
    log.warn({ uid, error: describe(error) }, 'deferred mail could not be taken in');
  const progress = createProgress(tuning, { bell, onFailedRecheck });
  const running: { loop: Promise<void> } = { loop: Promise.resolve() };

  const report = (next: MailboxStatus) => {
    status.now = next;
    deps.onState(next);
    firstAttempt.resolve();
  };
  const shift = {
    deps: { ...deps, log },
    tuning,
    bell,
    progress,
    stopping: stopping.signal,
    cutting: cutting.signal,
    report,
  };

  return {
    async start() {
      if (!imap) return;
      // Also what is in hand after the connection has gone.
      running.loop = keepWatching({ ...shift, imap }).then(() => progress.hands.room());
      await firstAttempt.promise;
    },
    async stop() {
      stopping.abort();
      bell.ring();
      const patience = Promise.withResolvers<void>();
      const timer = setTimeout(() => {
        cutting.abort();
        patience.resolve();
      }, shift.tuning.stopMs);
      await Promise.race([running.loop, patience.promise]);
      clearTimeout(timer);
      firstAttempt.resolve();
    },
    state: () => status.now,
    recheck(deferred) {
      for (const one of deferred) progress.rechecks.set(`${one.uidValidity}:${one.uid}`, one);
      progress.roundEndsAt = deps.clock.now() + tuning.recheckRoundMs;
      bell.ring();
    },
  };
}

interface Shift {
  readonly imap: ImapConfig;
  readonly deps: MailboxDeps;
  readonly tuning: Tuning;
  readonly bell: Bell;
  readonly progress: Progress;
  readonly stopping: AbortSignal;
  /** Patience is over: every command fails at once. */
  readonly cutting: AbortSignal;
  report(status: MailboxStatus): void;
}

async function keepWatching(shift: Shift): Promise<void> {
  const { deps, tuning, stopping } = shift;
  const failures = { network: 0, auth: 0 };
  while (!stopping.aborted) {
    const secret = deps.password();
    const begun = { at: Number.POSITIVE_INFINITY };
    const failure = await watchOnce(shift, secret, () => {
      begun.at = deps.clock.now();
    });
    if (stopping.aborted) return;
    if (begun.at !== Number.POSITIVE_INFINITY) failures.auth = 0;
    if (deps.clock.now() - begun.at >= tuning.stableMs) failures.network = 0;
    failures[failure.kind] += 1;
    const waitMs = Math.max(failure.waitMs, retryMs(failure, failures[failure.kind], tuning, deps.random()));
    shift.report({ state: failure.kind === 'auth' ? 'auth_failed' : 'retrying', error: failure.message });
    deps.log.warn({ error: failure.message, waitMs }, 'the mailbox is not connected');
    await rest(shift, waitMs, failure.kind === 'auth' ? secret : null);
  }
}

function retryMs(failure: Failure, attempt: number, tuning: Tuning, random: number): number {
  return failure.kind === 'auth'
    ? backoffMs({ attempt, firstMs: tuning.firstAuthRetryMs, maxMs: tuning.maxAuthRetryMs, random })
    : backoffMs({ attempt, firstMs: tuning.firstRetryMs, maxMs: tuning.maxRetryMs, random });
}

/** Waits, but no longer than until the refused secret is another one: a renewed token should work at once. */
async function rest({ deps, stopping }: Shift, waitMs: number, refused: string | undefined | null): Promise<void> {
  const endsAt = deps.clock.now() + waitMs;
  while (!stopping.aborted && deps.clock.now() < endsAt) {
    if (refused !== null && deps.password() !== refused) return;
    const slice = refused === null ? endsAt - deps.clock.now() : Math.min(2000, endsAt - deps.clock.now());
    await deps.clock.sleep(Math.max(slice, 1), stopping).catch(() => {});
  }
}

/** One connection from login to its end. Never throws: how it ended is the result. */
async function watchOnce(shift: Shift, secret: string | undefined, onConnected: () => void): Promise<Failure> {
  const { deps, imap, tuning } = shift;
  if (imap.auth !== 'none' && !secret) {
    return { kind: 'auth', message: `the environment variable ${imap.secret_env} is not set`, waitMs: 0 };
  }
  let session: Session | undefined;
  try {
    const { maxMessageBytes } = deps;
    session = await openSession({
      imap,
      secret,
      maxMessageBytes,
      tuning,
      signal: shift.cutting,
      connecting: shift.stopping,
    });
    const desk = await sitDown(shift, session);
    onConnected();
    shift.report({ state: 'connected', error: null });
    await work(shift, desk);
    return { kind: 'network', message: 'stopped', waitMs: 0 };
  } catch (error) {
    return classifyFailure(error);
  } finally {
    await session?.end();
  }
}

async function sitDown(shift: Shift, session: Session): Promise<Desk> {
  const { deps, imap, progress } = shift;
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
    for (const uid of await deps.suspects(fixed.cursor.uidValidity)) progress.suspects.add(uid);
  }
  progress.cursor = fixed.cursor;
  progress.resyncUntil = fixed.resyncUntil ?? progress.resyncUntil;
  const warning = await prepareTarget(session, imap.processed);
  if (warning !== null) deps.log.warn({ warning }, 'processed mail cannot be moved');
  const { tuning, stopping } = shift;
  return { session, deps, tuning, processed: imap.processed, progress, stopping };
}

async function work(shift: Shift, desk: Desk): Promise<void> {
  await lookAndWait(shift, desk);
  await endAll(desk);
}

async function lookAndWait({ bell, tuning, stopping, progress }: Shift, desk: Desk): Promise<void> {
  const { session } = desk;
  session.client.on('exists', bell.ring);
  session.closed.addEventListener('abort', bell.ring, { once: true });
  let isFirst = true;
  while (!stopping.aborted) {
    session.closed.throwIfAborted();
    throwFailure(progress);
    await takeNewMail(desk, { isFirst });
    isFirst = false;
    await takeRechecks(desk);
    if (stopping.aborted) return;
    // Some ended while others were fetched.
    if (progress.rechecks.size > 0 && progress.hands.count(false) < tuning.maxRechecks) bell.ring();
    const wake = await waitForNews(session, bell, tuning);
    // IDLE may be late or lie, and without it the server tells of new mail with the next command.
    if (wake === 'time' && !stopping.aborted) await noop(session);
  }
}

async function waitForNews(session: Session, bell: Bell, tuning: Tuning) {
  const { client } = session;
  if (session.closed.aborted) return 'news';
  if (!client.capabilities.has('IDLE')) return bell.wait(tuning.pollMs);
  // Our own next command ends it (imapflow sends DONE first). Ended before that, the server did: then we poll.
  client
    .idle()
    .catch(() => undefined)
    .finally(() => bell.hurry(tuning.pollMs));
  return bell.wait(tuning.reconcileMs);
}
