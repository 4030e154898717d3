import { isAscii } from 'node:buffer';
import { Readable } from 'node:stream';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { SMTPConnectionEnvelope, SMTPEnvelope } from 'nodemailer/lib/smtp-connection';
import type { Log } from '#contract';
import type { SmtpConfig } from '../config/types.ts';
import type { Login } from '../mailbox/login/login.ts';
import {
  DEFAULT_TIMEOUTS,
  type DialoguePhase,
  decideOutcome,
  type Ending,
  type MailOutcome,
  type OpenedConnection,
  oneLine,
  openConnection,
  type Rejection,
  replyOf,
  type Timeouts,
} from './transport/connection.ts';

export type { MailOutcome, RecipientOutcome, RecipientState } from './transport/connection.ts';

export interface SmtpTransport {
  /** One attempt, bytes as given. Never throws, always settles (see `Timeouts`). `from` may be empty (`<>`). */
  send(message: Message): Promise<MailOutcome>;
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

interface Lease {
  readonly connection: SMTPConnection;
  /** It has carried a mail before, so the server may have dropped it without our notice. */
  readonly reused: boolean;
  /** Gives it back for the next mail, or closes it when it broke or answered with an error. */
  release(keep: boolean): void;
}

type Leased = { readonly ok: true; readonly lease: Lease } | Exclude<OpenedConnection, { ok: true }>;

/** A few kept connections: logging in for each mail runs into providers' limits. */
function createPool(options: { open(): Promise<OpenedConnection>; maxConnections: number; idleMs: number }) {
  const idle = new Map<SMTPConnection, NodeJS.Timeout>();
  const leased = new Set<SMTPConnection>();
  const waiting: (() => void)[] = [];
  const state = { open: 0, closed: false };

  const free = () => {
    state.open -= 1;
    waiting.shift()?.();
  };
  const drop = (connection: SMTPConnection) => {
    const timer = idle.get(connection);
    if (!timer) return;
    clearTimeout(timer);
    idle.delete(connection);
    connection.quit();
    connection.close();
  };
  const lease = (connection: SMTPConnection, reused: boolean): Leased => {
    leased.add(connection);
    return {
      ok: true,
      lease: {
        connection,
        reused,
        release(keep) {
          leased.delete(connection);
          if (keep && !connection.destroyed && !state.closed) {
            const timer = setTimeout(() => drop(connection), options.idleMs).unref();
            idle.set(connection, timer);
          } else {
            connection.close();
          }
          free();
        },
      },
    };
  };

  return {
    async acquire({ fresh }: { fresh: boolean }): Promise<Leased> {
      while (state.open >= options.maxConnections) {
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
      state.open += 1;
      const kept = fresh ? undefined : [...idle.keys()].findLast((connection) => !connection.destroyed);
      if (kept) {
        clearTimeout(idle.get(kept));
        idle.delete(kept);
        return lease(kept, true);
      }
      const opened = await options.open();
      if (!opened.ok) {
        free();
        return opened;
      }
      opened.connection.once('end', () => drop(opened.connection));
      return lease(opened.connection, false);
    },
    /** Cuts everything; a mail in flight gets the outcome that its phase allows. */
    close() {
      state.closed = true;
      for (const connection of idle.keys()) drop(connection);
      for (const connection of leased) connection.close();
    },
  };
}

interface Message {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: Uint8Array;
  /** Called on the connection, before the mail is handed over; a rejection ends the attempt. */
  readonly beforeData?: (() => Promise<void>) | undefined;
}

interface Transaction {
  readonly ending: Ending;
  readonly rejected: readonly Rejection[];
}

const SLICE_BYTES = 64 * 1024;

/**
 * One MAIL FROM … final dot over an open connection. Never throws. When `signal` aborts, the connection is cut
 * and the phase decides whether the mail may have gone out.
 *
 * nodemailer's error for a connection that dropped is the same before DATA and after the final dot, so the
 * phase is watched here: the dot follows the last byte of the body at once, hence a body that was not read to
 * its end proves that no dot was sent.
 */
async function sendOver(connection: SMTPConnection, message: Message, signal: AbortSignal): Promise<Transaction> {
  const envelope: SMTPEnvelope & Partial<Pick<SMTPConnectionEnvelope, 'rejectedErrors'>> = {
    from: message.from,
    to: [...message.to],
    size: message.raw.byteLength,
    use8BitMime: !isAscii(message.raw),
  };
  const ending = await transact(connection, envelope, inSlices(message.raw), signal);
  return { ending, rejected: rejections(envelope.rejectedErrors ?? []) };
}

function transact(connection: SMTPConnection, envelope: SMTPEnvelope, body: Readable, signal: AbortSignal) {
  const { promise, resolve } = Promise.withResolvers<Ending>();
  const progress: { phase: DialoguePhase } = { phase: 'envelope' };
  body.once('end', () => {
    progress.phase = 'after_dot';
  });
  const broken = (error: unknown) => resolve({ kind: 'broken', phase: progress.phase, reply: verdict(error) });
  // nodemailer may close first and hand over the server's reply right after: the reply says more.
  const ended = () => setImmediate(() => broken(new Error('the server closed the connection')));
  const cut = () => {
    broken(signal.reason);
    connection.close();
  };
  connection.on('error', broken);
  connection.on('end', ended);
  signal.addEventListener('abort', cut, { once: true });
  connection.send(envelope, body, (error, info) => {
    if (error) return broken(error);
    resolve({ kind: 'accepted', text: oneLine(info.response), serverMessageId: info.serverMessageId ?? null });
  });
  if (signal.aborted) cut();
  return promise.finally(() => {
    connection.off('error', broken);
    connection.off('end', ended);
    signal.removeEventListener('abort', cut);
  });
}

/** The body in slices, so that a slow server holds a few of them and not a second copy of the mail. */
function inSlices(raw: Uint8Array): Readable {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const position = { at: 0 };
  return new Readable({
    read() {
      const slice = bytes.subarray(position.at, position.at + SLICE_BYTES);
      position.at += slice.length;
      this.push(slice.length > 0 ? slice : null);
    },
  });
}

/** Too large for the server's announced SIZE is decided by nodemailer itself; it is the server's 552 all the same. */
function verdict(error: unknown) {
  const reply = replyOf(error);
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const isOurs =
    reply.code === null && (code === 'EMESSAGE' || code === 'EENVELOPE') && /larger|Invalid/.test(reply.text);
  return isOurs ? { ...reply, code: code === 'EMESSAGE' ? 552 : 553 } : reply;
}

function rejections(errors: readonly Error[]): Rejection[] {
  return errors.flatMap((error) => {
    const address = 'recipient' in error && typeof error.recipient === 'string' ? error.recipient : null;
    return address === null ? [] : [{ address, ...replyOf(error) }];
  });
}
