import type { Log } from '#contract';
import type { SmtpConfig } from '../config/types.ts';
import type { Login } from '../mailbox/login/login.ts';
import { DEFAULT_TIMEOUTS, openConnection, type Timeouts } from './transport/connection.ts';
import { type Message, sendOver, type Transaction } from './transport/one-message.ts';
import { decideOutcome, type Ending, type Outcome, type Rejection } from './transport/outcome.ts';
import { createPool } from './transport/pool.ts';

export type { Outcome, RecipientOutcome, RecipientState } from './transport/outcome.ts';

export interface SmtpTransport {
  /** One attempt, bytes as given. Never throws, always settles (see `Timeouts`). `from` may be empty (`<>`). */
  send(message: Message): Promise<Outcome>;
  /** Connects and logs in without sending; for `mailbox test` and `doctor`. Never throws. */
  verify(): Promise<{ ok: true } | { ok: false; kind: 'retry' | 'auth' | 'held'; smtp: string }>;
  /** Cuts all connections; mail in flight settles at once as `retry` or, after the final dot, as `unknown`. */
  close(): Promise<void>;
}

const MAX_CONNECTIONS = 2;
const IDLE_MS = 30_000;

/**
 * SMTP by nodemailer's connection layer. Its mail layer is left out on purpose: it reports a drop before DATA
 * and one after the final dot alike, may requeue by itself, and composes (files, URLs); we have finished bytes.
 */
export function createSmtpTransport(options: {
  smtp: SmtpConfig;
  /** Asked at each connection. */
  login: Login;
  /** Our name for EHLO. */
  helo: string;
  log: Log;
  timeouts?: Partial<Timeouts>;
}): SmtpTransport {
  const { smtp, log } = options;
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const closing = new AbortController();
  const pool = createPool({
    open: () => openConnection({ smtp, login: options.login, helo: options.helo, timeouts }),
    maxConnections: MAX_CONNECTIONS,
    idleMs: IDLE_MS,
  });

  const attempt = async (message: Message, fresh: boolean): Promise<Transaction & { stale: boolean }> => {
    const leased = await pool.acquire({ fresh });
    if (!leased.ok) return { ending: { kind: 'broken', ...leased }, rejected: [], stale: false };
    const { connection, reused, release } = leased.lease;
    // To connect takes the longest: whoever was stopped meanwhile must not send what another process has by now.
    const mayGoOn = await (message.beforeData?.() ?? Promise.resolve()).then(() => true).catch(() => false);
    if (!mayGoOn) {
      release(true);
      return { ending: broken('the mail was taken over'), rejected: [], stale: false };
    }
    const late = new AbortController();
    const timer = setTimeout(
      () => late.abort(new Error(`the whole attempt took longer than ${timeouts.deadlineMs} ms`)),
      timeouts.deadlineMs,
    );
    const transaction = await sendOver(connection, message, AbortSignal.any([late.signal, closing.signal]));
    clearTimeout(timer);
    release(transaction.ending.kind === 'accepted');
    return { ...transaction, stale: reused && isLostBeforeData(transaction.ending) };
  };

  return {
    async send(message) {
      const unfit = message.to.filter((address) => !isSendable(address)).map(refused);
      const fit = message.to.filter(isSendable);
      if (closing.signal.aborted) return decideOutcome(message.to, unfit, broken('the gateway is stopping'));
      if (fit.length === 0) return decideOutcome(message.to, unfit, broken('nobody to send to'));
      let done = await attempt({ ...message, to: fit }, false);
      // A kept connection that the server had given up says nothing about this mail: once more, on a new one.
      if (done.stale && !closing.signal.aborted) done = await attempt({ ...message, to: fit }, true);
      const outcome = decideOutcome(message.to, [...unfit, ...done.rejected], done.ending);
      log.debug({ host: smtp.host, kind: outcome.kind, smtp: outcome.smtp }, 'smtp attempt ended');
      return outcome;
    },
    async verify() {
      const leased = await pool.acquire({ fresh: true });
      if (leased.ok) {
        leased.lease.release(true);
        return { ok: true };
      }
      const { kind, smtp: words } = decideOutcome(['verify'], [], { kind: 'broken', ...leased });
      return { ok: false, kind: kind === 'auth' || kind === 'held' ? kind : 'retry', smtp: words };
    },
    async close() {
      closing.abort(new Error('the gateway is stopping'));
      pool.close();
    },
  };
}

const broken = (text: string): Ending => ({ kind: 'broken', phase: 'connect', reply: { code: null, text } });

function isLostBeforeData(ending: Ending): boolean {
  if (ending.kind === 'accepted' || ending.phase === 'after_dot') return false;
  return ending.reply.code === null || ending.reply.code === 421;
}

/** One `@`, nothing that could end the command or name a second address. */
function isSendable(address: string): boolean {
  return /^[^\s@<>,;:"()[\]\\\p{Cc}]+@[^\s@<>,;:"()\\\p{Cc}]+$/u.test(address) && address.length <= 320;
}

const refused = (address: string): Rejection => ({ address, code: 553, text: '553 5.1.3 not a mail address' });
