import { readFile } from 'node:fs/promises';
import type { FetchQueryObject, ImapFlow, ImapFlowOptions } from 'imapflow';
import { EngineError } from '#contract';
import type { ImapConfig } from '../../../config/types.ts';
import { withDeadline } from '../../../lib/deadline.ts';
import type { Fault } from '../../../mailbox/faults/fault.ts';
import { faultOf } from '../../../mailbox/faults/fault-of.ts';
import { sideOf } from '../../../mailbox/faults/side.ts';
import type { Login } from '../../../mailbox/login/login.ts';
import { EACH_ENDED, MOST_TOKENS } from '../../../mailbox/login/login.ts';
import type { Tuning } from '../tuning.ts';
import type { MailboxState } from '../types.ts';

/**
 * One IMAP connection, used once. Every command has a deadline that destroys the connection, and imapflow's
 * falsy answers (which it gives for dead connections too) are errors.
 */
export interface ImapSession {
  readonly client: ImapFlow;
  /** Runs one command. `bytes` is what it moves at most, for a fair deadline. */
  call<Result>(what: string, work: (client: ImapFlow) => Promise<Result>, bytes?: number): Promise<Result>;
  /** Aborts when the connection is gone, with the reason. */
  readonly closed: AbortSignal;
  /** LOGOUT, briefly, then the socket. Never throws. */
  end(): Promise<void>;
}

const LOGOUT_MS = 1000;

/** Connects and logs in. Throws imapflow's error (see `classifyFailure`); nothing stays open then. */
async function openSession(options: {
  imap: ImapConfig;
  secret: string | undefined;
  maxMessageBytes: number;
  tuning: Tuning;
  /** Cuts any command. */
  signal?: AbortSignal;
  /** Cuts the connect alone: nothing is lost by that. */
  connecting?: AbortSignal;
}): Promise<ImapSession> {
  const { tuning } = options;
  // Loaded by whoever has a mailbox: it is a tenth of what a gateway loads to start.
  const { ImapFlow } = await import('imapflow');
  const client = new ImapFlow(await imapOptions(options));
  const closed = new AbortController();
  const reason: { error: unknown } = { error: undefined };
  // Before connect(): an 'error' event that nobody hears ends the process.
  client.on('error', (error) => {
    reason.error ??= error;
    client.close();
  });
  client.on('close', () => closed.abort(reason.error ?? lost(client.byeReason)));

  const never = new AbortController().signal;
  const cut = options.signal ?? never;
  // Also between two commands, while a mail is being committed.
  const hangUp = () => client.close();
  cut.addEventListener('abort', hangUp, { once: true });
  closed.signal.addEventListener('abort', () => cut.removeEventListener('abort', hangUp), { once: true });
  const limited = async <Result>(
    what: string,
    work: () => Promise<Result>,
    ms: number,
    parent = cut,
  ): Promise<Result> => {
    try {
      return await withDeadline(work, { ms, code: 'timeout', what: `IMAP ${what}`, parent });
    } catch (error) {
      // After a time-out the answer may still come and would be taken for the next command's.
      if (error instanceof EngineError) client.close();
      throw closed.signal.aborted && !(error instanceof EngineError) ? (reason.error ?? error) : error;
    }
  };

  try {
    const either = AbortSignal.any([cut, options.connecting ?? never]);
    await limited('connect', () => client.connect(), tuning.connectMs, either);
  } catch (error) {
    // After a wrong password the socket stays open, and the server counts it, unless it is closed here.
    client.close();
    throw error;
  }
  return {
    client,
    closed: closed.signal,
    call: (what, work, bytes = 0) =>
      limited(what, () => work(client), tuning.commandMs + Math.ceil(bytes / 1_048_576) * tuning.commandMsPerMib),
    async end() {
      try {
        if (client.usable)
          await withDeadline(() => client.logout(), { ms: LOGOUT_MS, code: 'timeout', what: 'LOGOUT' });
      } catch {
        // Politeness failed; the socket is closed below either way.
      } finally {
        client.close();
      }
    },
  };
}

const lost = (bye: string | undefined) =>
  new EngineError('network', bye ? `the server ended the connection: ${bye}` : 'the connection was lost', {
    retry: { afterMs: 0 },
  });

/** For imapflow's `false` and `undefined`, which say "nothing" and mean "failed". */
export function required<Value>(value: Value | false | undefined, what: string): Value {
  if (value === false || value === undefined) {
    throw new EngineError('network', `IMAP ${what} failed`, { retry: { afterMs: 0 } });
  }
  return value;
}

/** UIDs in ascending order that a search found. */
export async function searchUids(session: ImapSession, query: Parameters<ImapFlow['search']>[0]): Promise<number[]> {
  const found = await session.call('SEARCH', (client) => client.search(query, { uid: true }));
  return required(found, 'SEARCH').toSorted((a, b) => a - b);
}

/** FETCH by UID. imapflow answers with nothing when no folder is selected, so that is checked. */
export async function fetchByUid(session: ImapSession, range: string, query: FetchQueryObject, bytes = 0) {
  if (!session.client.mailbox)
    throw new EngineError('network', 'IMAP: no folder is selected', { retry: { afterMs: 0 } });
  return session.call('FETCH', (client) => client.fetchAll(range, { ...query, uid: true }, { uid: true }), bytes);
}

/** NOOP that fails aloud; imapflow's own swallows the error. */
export async function noop(session: ImapSession): Promise<void> {
  await session.call('NOOP', (client) => client.noop());
  session.closed.throwIfAborted();
  if (!session.client.usable) throw new EngineError('network', 'IMAP NOOP failed', { retry: { afterMs: 0 } });
}

/** There is nothing to log in with. */
class LoginMissing extends EngineError {
  readonly fault: Fault;
  readonly until: 'person' | 'time';
  constructor(fault: Fault, until: 'person' | 'time') {
    super('auth', `${fault.cause}; ${fault.cure}`);
    this.fault = fault;
    this.until = until;
  }
}

/** An access token may end on its way to the server; more than this often in a row it is not the time. */

/**
 * Opens a session with what `login` gives. An access token that the server refuses is renewed, and tried once more. Throws
 * LoginMissing, or imapflow's error (see `classifyFailure`).
 */
export async function logInAt(
  options: Omit<Parameters<typeof openSession>[0], 'secret'> & { readonly login: Login },
): Promise<ImapSession> {
  const { login } = options;
  for (let tried = 1; ; tried += 1) {
    const taken = await login.take();
    if (!taken.ok) throw new LoginMissing(taken.fault, taken.until);
    try {
      return await openSession({ ...options, secret: taken.secret });
    } catch (error) {
      const isRefused = options.imap.auth === 'oauth' && classifyFailure(error).kind === 'auth';
      if (!isRefused) throw error;
      const isOther = await login.refused(taken.secret);
      // What the provider said of it meanwhile says more than the server.
      const next = await login.take();
      if (!next.ok) throw new LoginMissing(next.fault, next.until);
      if (!isOther) throw error;
      if (tried >= MOST_TOKENS) throw new EngineError('network', EACH_ENDED);
    }
  }
}

/** What a broken session means for the next attempt; of a token that was refused in words, with what to do. */
export function failureOf(error: unknown, imap: ImapConfig, seen: { readonly hasWorked: boolean }): SessionFailure {
  if (error instanceof LoginMissing) {
    const { fault, until } = error;
    const isOfPerson = until === 'person' && fault.code !== 'secret_missing';
    const message = isOfPerson ? error.message : fault.cause;
    return { kind: until === 'person' ? 'auth' : 'network', message, waitMs: 0, needsLogin: isOfPerson };
  }
  const failure = classifyFailure(error, seen);
  if (imap.auth !== 'oauth' || failure.kind !== 'auth') return failure;
  const said = { stage: 'login', ...responseOf(error) } as const;
  const { cause, cure } = faultOf({ side: sideOf('imap', imap), seen: null, said });
  return { ...failure, message: `${cause}; ${cure}` };
}

export const stateAfter = ({ kind, needsLogin = false }: SessionFailure): MailboxState =>
  needsLogin ? 'needs_login' : kind === 'auth' ? 'auth_failed' : 'retrying';

/** What a broken session means for the next attempt. */
export interface SessionFailure {
  readonly kind: 'network' | 'auth';
  /** One line for the owner; never a secret, imapflow puts none into its errors. */
  readonly message: string;
  /** The server itself asked for this much patience. */
  readonly waitMs: number;
  /** The login was refused, and nothing says that the secret is the cause. */
  readonly isUnclear?: boolean;
  /** No server was asked: somebody has to log in at the provider first. */
  readonly needsLogin?: boolean;
}

/** RFC 5530 codes with which a server says that the secret is wrong, or not enough. */
const THE_SECRET = new Set(['AUTHENTICATIONFAILED', 'AUTHORIZATIONFAILED', 'EXPIRED']);
/** Codes with which it refuses a login although the secret may be right. */
const NOT_THE_SECRET = new Set(['UNAVAILABLE', 'INUSE', 'LIMIT', 'SERVERBUG', 'CONTACTADMIN']);
const LONGEST_WAIT_MS = 15 * 60_000;

/**
 * Pure, and tolerant: the error may be anything that was thrown. `hasWorked`: the server took this secret before; then a
 * refusal without a reason is that of a busy server, which many of them give.
 */
export function classifyFailure(
  error: unknown,
  { hasWorked = false }: { readonly hasWorked?: boolean } = {},
): SessionFailure {
  const code = textField(error, 'serverResponseCode')?.toUpperCase() ?? '';
  const isRefused = boolField(error, 'authenticationFailed') && !NOT_THE_SECRET.has(code);
  const isUnclear = isRefused && hasWorked && !THE_SECRET.has(code);
  return {
    kind: isRefused && !isUnclear ? 'auth' : 'network',
    message: describe(error),
    waitMs: patience(error),
    ...(isUnclear ? { isUnclear } : {}),
  };
}

/** The tagged answer was NO or BAD, or could not be read: the mail's fault rather than the line's. */
export function isRefusedByServer(error: unknown): boolean {
  const code = textField(error, 'code') ?? '';
  return (
    ['NO', 'BAD'].includes(textField(error, 'responseStatus') ?? '') || /^(Parser|Literal|Response|Line)/.test(code)
  );
}

/** What the server itself said: its response code (RFC 5530), and its words or those of the error. */
export function responseOf(error: unknown): { readonly code: string | null; readonly text: string } {
  return { code: textField(error, 'serverResponseCode') ?? null, text: describe(error) };
}

export function describe(error: unknown): string {
  const said = textField(error, 'responseText');
  const code = textField(error, 'code');
  const message = error instanceof Error ? error.message : String(error);
  const parts = [message, said, message === code ? undefined : code].filter(Boolean);
  return [...new Set(parts)]
    .join(': ')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .slice(0, 300);
}

/** "Request is throttled. Suggested Backoff Time: 300000 milliseconds" (Exchange). */
function patience(error: unknown): number {
  const words = `${textField(error, 'responseText') ?? ''} ${error instanceof Error ? error.message : ''}`;
  const suggested = Number(/backoff time: (\d{1,9}) milliseconds/i.exec(words)?.[1] ?? 0);
  return Math.min(Math.max(suggested, numberField(error, 'throttleReset')), LONGEST_WAIT_MS);
}

const field = (error: unknown, name: string): unknown =>
  typeof error === 'object' && error !== null && name in error ? Reflect.get(error, name) : undefined;

function textField(error: unknown, name: string): string | undefined {
  const value = field(error, name);
  return typeof value === 'string' ? value : undefined;
}

const boolField = (error: unknown, name: string) => field(error, name) === true;

function numberField(error: unknown, name: string): number {
  const value = field(error, name);
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

/**
 * imapflow's options for one connection. Its own auto-IDLE (15 s late by default) is off: the watcher enters
 * IDLE itself the moment its work is done. Certificates are always verified, STARTTLS is never optional.
 */
async function imapOptions(options: {
  imap: ImapConfig;
  secret: string | undefined;
  maxMessageBytes: number;
  tuning: Tuning;
}): Promise<ImapFlowOptions> {
  const { imap, secret, tuning } = options;
  const ca = imap.tls_ca_file === null ? undefined : await readFile(imap.tls_ca_file, 'utf8');
  return {
    host: imap.host,
    port: imap.port,
    secure: imap.tls === 'implicit',
    ...(imap.tls === 'implicit' ? {} : { doSTARTTLS: imap.tls === 'starttls' }),
    tls: { rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) },
    ...(imap.auth === 'none' ? {} : { auth: login(imap, secret ?? '') }),
    clientInfo: { name: 'Epistle' },
    // May hold credentials and mail; what matters is logged by the watcher in its own words.
    logger: false,
    disableAutoIdle: true,
    maxIdleTime: 4 * 60_000,
    connectionTimeout: tuning.connectMs,
    greetingTimeout: Math.min(tuning.connectMs, 16_000),
    socketTimeout: tuning.reconcileMs + tuning.commandMs,
    maxLockHoldTime: false,
    // A server that announces more than we ever ask for is broken or hostile.
    maxLiteralSize: options.maxMessageBytes + 1024 * 1024,
    maxLineLength: 64 * 1024 * 1024,
    maxResponseSize: options.maxMessageBytes + 128 * 1024 * 1024,
  };
}

function login(imap: ImapConfig, secret: string) {
  const isToken = imap.auth === 'oauth' || imap.auth === 'xoauth2';
  return isToken ? { user: imap.user, accessToken: secret } : { user: imap.user, pass: secret };
}
