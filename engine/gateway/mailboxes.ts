import { isDeepStrictEqual } from 'node:util';
import type { Log } from '#contract';
import type { MailboxConfig, PersonaEntry } from '../config/types.ts';
import type { IncomingMail, Intake, Location, MailResult } from '../intake/incoming.ts';
import type { Clock } from '../lib/clock.ts';
import type { PassCrashPoint } from '../lib/crash-points.ts';
import type { Login } from '../mailbox/login/login.ts';
import type { GatewayStore } from '../storage/ports/gateway.ts';
import type { Tuning } from './imap/tuning.ts';
import type { LeftAlone, MailboxDeps, MailSource, ReceiveOutcome, RefusedOften } from './imap/types.ts';
import { createMailboxWatcher, type MailboxWatcher } from './imap/watcher.ts';
import { holdBack, leaveAbsent, leaveWithheld } from './withheld.ts';

export interface Mailboxes {
  /** Resolves when each mailbox has fixed its cursor or failed once, `waitMs` at most. */
  start(waitMs: number): Promise<void>;
  /** Follows the configuration: what came is watched, what went is let go, what changed is connected anew. */
  refresh(): Promise<void>;
  stop(): Promise<void>;
  /** A mailbox that rests after a failure is connected at once. */
  hurry(id: string): void;
  states(): readonly ({ readonly id: string } & ReturnType<MailboxWatcher['state']>)[];
}

/** One watcher per mailbox with IMAP, each on its own; deferred mail is offered again on a timer. */
export function createMailboxes(deps: {
  /** The mailboxes with IMAP, as they are configured now. */
  orders(): readonly Order[];
  loginOf(mailbox: MailboxConfig): Login;
  intake: Intake;
  findByAddress(address: string): PersonaEntry | undefined;
  gateway: GatewayStore;
  clock: Clock;
  log: Log;
  random: () => number;
  pass: PassCrashPoint;
  /** Other times than the usual ones, for tests. */
  tuning?: Partial<Tuning>;
  /** So many mails wait for what the owners of a mailbox say, after its folder got other numbers. */
  onHeld(mailbox: MailboxConfig, held: { readonly uidValidity: string; readonly mails: number }): Promise<void>;
  /** The server of a mailbox goes on refusing its login. */
  onRefusedOften(mailbox: MailboxConfig, refused: RefusedOften): void;
}): Mailboxes {
  const tries = createTries(deps);
  const watch = (order: Order): Watched => ({ order, watcher: createMailboxWatcher(watcherDeps(deps, order, tries)) });
  let watchers: readonly Watched[] = deps.orders().map(watch);
  const stopping = new AbortController();
  let following: Promise<void> = Promise.resolve();

  const follow = async () => {
    const now = deps.orders();
    const kept = watchers.filter(({ order }) => now.some((other) => isDeepStrictEqual(other, order)));
    const gone = watchers.filter((one) => !kept.includes(one));
    // Two watchers of one mailbox would both move its cursor.
    await Promise.all(gone.map(({ watcher }) => watcher.stop()));
    const come = now.filter((other) => !kept.some(({ order }) => isDeepStrictEqual(order, other))).map(watch);
    watchers = [...kept, ...come];
    for (const { watcher } of come) void watcher.start();
  };

  const recheck = async () => {
    for (const {
      order: { mailbox },
      watcher,
    } of watchers) {
      const cursor = await deps.gateway.loadCursor(mailbox.id);
      if (!cursor) continue;
      const folder = { mailbox: mailbox.id, uidvalidity: cursor.uidvalidity };
      const uids = await dueUids(deps, folder, deps.clock.now());
      if (uids.length > 0) watcher.recheck(uids.map((uid) => ({ uidValidity: cursor.uidvalidity, uid })));
    }
  };

  const keepRechecking = async () => {
    for (;;) {
      await deps.clock.sleep(RECHECK_MS, stopping.signal);
      await recheck().catch((error: unknown) =>
        deps.log.error({ error: String(error) }, 'deferred mail could not be read'),
      );
    }
  };

  return {
    async start(waitMs) {
      const enough = new AbortController();
      const late = deps.clock.sleep(waitMs, enough.signal).catch(() => {});
      await Promise.race([Promise.all(watchers.map(({ watcher }) => watcher.start())), late]);
      enough.abort();
      keepRechecking().catch(() => {});
    },
    refresh() {
      following = following.then(follow);
      return following;
    },
    async stop() {
      stopping.abort();
      await following;
      await Promise.all(watchers.map(({ watcher }) => watcher.stop()));
      await tries.forgive();
    },
    hurry(id) {
      for (const { order, watcher } of watchers) if (order.mailbox.id === id) watcher.hurry();
    },
    states: () => watchers.map(({ order, watcher }) => ({ id: order.mailbox.id, ...watcher.state() })),
  };
}

/** What one watcher was told when it was made. */
interface Order {
  readonly mailbox: MailboxConfig;
  readonly maxMessageBytes: number;
}

interface Watched {
  readonly order: Order;
  readonly watcher: MailboxWatcher;
}

type Deps = Parameters<typeof createMailboxes>[0];

function watcherDeps(deps: Deps, { mailbox, maxMessageBytes }: Order, tries: Tries): MailboxDeps {
  const { gateway, clock, log, pass } = deps;
  const placeOf = ({ uidValidity, uid }: Pick<MailSource, 'uidValidity' | 'uid'>): Location => ({
    mailbox: mailbox.id,
    uidvalidity: uidValidity,
    uid,
  });
  const letterbox = {
    arrival: { door: 'imap' as const, authservId: mailbox.imap?.authserv_id ?? null },
    account: mailbox.imap?.user ?? null,
    envelope: { returnPath: null, recipients: null },
  };
  const offer = async (incoming: IncomingMail & { readonly place: Location }): Promise<ReceiveOutcome> => {
    const outcome = await tries.take(incoming.place, async () => (await deps.intake.receive(incoming)).results);
    if (outcome.kind === 'later') return 'later';
    if (outcome.kind === 'hopeless') {
      const { raw } = incoming;
      await deps.intake.setAside(incoming.place, { code: 'unparsable', reason: outcome.reason, raw, head: null });
      return 'untouched';
    }
    // Refused mail is not ours to mark as read: it may be somebody else's, or a person's that we may not answer.
    return outcome.results.every(({ decision }) => decision === 'refused') ? 'untouched' : 'settled';
  };
  return {
    mailbox,
    login: deps.loginOf(mailbox),
    maxMessageBytes,
    async receive(raw, source) {
      const place = placeOf(source);
      // After a crash between commit and cursor the same UID comes again; its row says that it is done.
      if (await gateway.isPlaceSettled(place)) return 'settled';
      return offer({ ...letterbox, raw, place, arrivedAt: source.internalDate });
    },
    async oversized(head, source, bytes) {
      const place = placeOf(source);
      if (await gateway.isPlaceSettled(place)) return 'settled';
      const message = `it has ${bytes} bytes and the limit is ${maxMessageBytes}`;
      const unreadable = { ok: false, code: 'message_too_large', message } as const;
      return offer({ ...letterbox, raw: head, place, arrivedAt: source.internalDate, unreadable });
    },
    async justBefore(raw, source) {
      const place = placeOf(source);
      await deps.intake.receive({ ...letterbox, raw, place, arrivedAt: source.internalDate, fate: 'not_taken' });
    },
    async suspects(uidvalidity) {
      const folder = { mailbox: mailbox.id, uidvalidity };
      await gateway.forgetOtherTries(folder);
      return gateway.brokenUids(folder, SUSPECT);
    },
    withheld: (source, said) => leaveWithheld(deps, placeOf(source), said),
    leaveAlone: (source, { code, head }) => leaveAlone(deps, mailbox, placeOf(source), { code, head }),
    hold: (source, head) => holdBack(deps, placeOf(source), head),
    askAboutHeld: (uidValidity, mails) => deps.onHeld(mailbox, { uidValidity, mails }),
    async isKnown(messageId) {
      const rows = await gateway.seenByMessageId(messageId);
      return rows.some(({ direction, decision }) => direction === 'in' && decision !== 'deferred');
    },
    renumbered: (uidvalidity) => gateway.forgetPlaces({ mailbox: mailbox.id, uidvalidity }),
    gone: (source) => leaveAbsent(deps, placeOf(source)),
    cursor: {
      async load() {
        const row = await gateway.loadCursor(mailbox.id);
        return row ? { uidValidity: row.uidvalidity, uid: row.uid, since: row.since ?? undefined } : null;
      },
      async save({ uidValidity, uid, since }) {
        await gateway.saveCursor(mailbox.id, { uidvalidity: uidValidity, uid, since: since ?? null });
      },
    },
    clock,
    log,
    random: deps.random,
    onState: ({ state, error }) => log.info({ mailbox: mailbox.id, state, ...(error ? { error } : {}) }, 'mailbox'),
    onRefusedOften: (refused) => deps.onRefusedOften(mailbox, refused),
    pass,
    ...(deps.tuning ? { tuning: deps.tuning } : {}),
  };
}

/** Nobody answers it, and it can be seen that nobody does. */
function leaveAlone(
  { intake }: Deps,
  { imap }: MailboxConfig,
  place: Location,
  { code, head }: LeftAlone,
): Promise<void> {
  if (code === 'marked_deleted') {
    return intake.leaveThere(place, {
      decision: 'recorded',
      code,
      head,
      reason: 'it is marked as deleted in the mailbox',
    });
  }
  const account = imap?.user ?? null;
  const reason = 'it is older than the first connect';
  return intake.leaveThere(place, { decision: 'refused', code, head, account, reason });
}

/** Unfinished attempts after which a mail is tried alone. */
const SUSPECT = 2;
/** Unfinished attempts after which the mail counts as the cause. */
const MOST_BEGUN = 5;
/** Left for later so often because it could not be taken in: a week, at one try an hour. */
const MOST_DEFERRALS = 180;
const UNLESS_TOLD_MS = 3_600_000;

type Tried =
  | { readonly kind: 'settled'; readonly results: readonly MailResult[] }
  /** On record as left for later. */
  | { readonly kind: 'later' }
  /** It is not to be tried again, for this reason. */
  | { readonly kind: 'hopeless'; readonly reason: string };

interface Tries {
  take(place: Location, receive: () => Promise<readonly MailResult[]>): Promise<Tried>;
  /** The gateway stops: what is in hand could not come to its end. */
  forgive(): Promise<void>;
}

/**
 * Keeps on record how often each mail of a mailbox was taken up, before it is: one that ends the process would
 * otherwise be fetched again after each start, for ever, and nothing behind it would be read.
 */
export function createTries(deps: { gateway: GatewayStore; clock: Clock; log: Log }): Tries {
  const { gateway, clock, log } = deps;
  const inHand = new Set<Location>();

  const afterFault = async (
    place: Location,
    { begun, deferrals }: { begun: number; deferrals: number },
    error: unknown,
  ): Promise<Tried> => {
    // At first it is the disk, which concerns every mail: then nothing else is begun either.
    if (begun < MOST_BEGUN && deferrals === 0) throw error;
    const reason = `it could not be taken in: ${String(error)}`;
    log.error({ ...place, error: String(error) }, 'a mail could not be taken in, others go first');
    if (deferrals >= MOST_DEFERRALS) return { kind: 'hopeless', reason };
    await gateway.putOff(place, { nextAt: clock.now() + laterBy(deferrals), deferrals: deferrals + 1 });
    return { kind: 'later' };
  };

  return {
    async take(place, receive) {
      const known = await gateway.beginTry(place, clock.now() + UNLESS_TOLD_MS);
      if (known.begun > MOST_BEGUN) {
        return { kind: 'hopeless', reason: `the gateway ended ${MOST_BEGUN} times while it was taken in` };
      }
      inHand.add(place);
      try {
        const results = await receive();
        const later = nextLook(results, { deferrals: known.deferrals, now: clock.now() });
        if (!later) return { kind: 'settled', results };
        await gateway.putOff(place, later);
        return { kind: 'later' };
      } catch (error) {
        return await afterFault(place, known, error);
      } finally {
        inHand.delete(place);
      }
    },
    async forgive() {
      await Promise.all([...inHand].map((place) => gateway.forgiveTry(place)));
    },
  };
}

/** How often deferred mail is asked for that may be looked at again. */
export const RECHECK_MS = 15_000;

const FIRST_MS = 60_000;
const MAX_MS = 3_600_000;
/** Mails of each kind that are checked at a time. */
const MOST = 50;
/** Codes of mail that waits for the world outside: only time can tell. */
const BY_TIME: ReadonlySet<string | null> = new Set(['auth_failed', 'dns']);

/** When mail that waits for the world outside is looked at again: after a minute, then twice as long each time. Pure. */
const laterBy = (deferrals: number): number => Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(deferrals, 30));

/**
 * When the mail is looked at again and how often it has been left by then; null when it is settled. What waits for
 * something here, a persona in error, is looked at as soon as that is over (`dueUids`); its time is only a last
 * resort. Pure.
 */
function nextLook(
  results: readonly MailResult[],
  { deferrals, now }: { deferrals: number; now: number },
): { nextAt: number; deferrals: number } | null {
  const deferred = results.filter(({ decision }) => decision === 'deferred');
  if (deferred.length === 0) return null;
  return deferred.some(({ code }) => BY_TIME.has(code))
    ? { nextAt: now + laterBy(deferrals), deferrals: deferrals + 1 }
    : { nextAt: now + MAX_MS, deferrals };
}

/**
 * The deferred mail of a folder that is worth fetching now: what waited for a persona that is no longer in error, and
 * what is due by time, in turns. One kind must not keep the other waiting, however much there is of it.
 */
async function dueUids(
  deps: { gateway: GatewayStore; findByAddress(address: string): PersonaEntry | undefined },
  folder: { mailbox: string; uidvalidity: string },
  now: number,
): Promise<readonly number[]> {
  const ready: number[] = [];
  for (const { persona, recipient } of await deps.gateway.waitedFor(folder)) {
    if (recipient !== null && deps.findByAddress(recipient)?.state === 'error') continue;
    ready.push(...(await deps.gateway.uidsWaitingFor(folder, persona, MOST)));
  }
  const byTime = await deps.gateway.dueUids(folder, now, MOST);
  const inTurns = Array.from({ length: Math.max(ready.length, byTime.length) }, (_unused, at) => [
    ready[at],
    byTime[at],
  ]);
  return [...new Set(inTurns.flat())].filter((uid) => uid !== undefined);
}
