import { isDeepStrictEqual } from 'node:util';
import type { Log } from '#contract';
import type { MailboxConfig, PersonaEntry } from '../config/types.ts';
import type { IncomingMail, Intake, Location } from '../intake/incoming.ts';
import type { Clock } from '../lib/clock.ts';
import type { PassCrashPoint } from '../lib/crash-points.ts';
import type { Login } from '../mailbox/login/login.ts';
import type { GatewayStore } from '../storage/ports/gateway.ts';

import type { Tuning } from './imap/tuning.ts';
import type { LeftAlone, MailboxDeps, MailSource, ReceiveOutcome, RefusedOften } from './imap/types.ts';
import { createMailboxWatcher, type MailboxWatcher } from './imap/watcher.ts';
import { dueUids, RECHECK_MS } from './rechecks.ts';
import { createTries, SUSPECT, type Tries } from './tries.ts';
import { holdBack, leaveAbsent, leaveWithheld } from './withheld.ts';

export interface Mailboxes {
  /** Resolves when each mailbox has fixed its cursor or failed once, `waitMs` at most. */
  start(waitMs: number): Promise<void>;
  /** Follows the configuration: what came is watched, what went is let go, what changed is connected anew. */
  refresh(): Promise<void>;
  stop(): Promise<void>;
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
    states: () => watchers.map(({ order, watcher }) => ({ id: order.mailbox.id, ...watcher.state() })),
  };
}

/** What one watcher was told when it was made. */
export interface Order {
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
