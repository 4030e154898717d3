import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import type {
  SMTPConnectionCustomAuthContext,
  SMTPConnectionCustomAuthHandler,
  SMTPConnectionCustomAuthResponse,
} from 'nodemailer/lib/smtp-connection';
import type { SmtpConfig } from '../../config/types.ts';
import type { Login, Taken } from '../../mailbox/login/login.ts';
import { EACH_ENDED, MOST_TOKENS } from '../../mailbox/login/login.ts';

const require = createRequire(import.meta.url);

export interface Timeouts {
  readonly connectMs: number;
  readonly greetingMs: number;
  /** Silence of the server. RFC 5321 section 4.5.3.2 asks for 5 minutes per command. */
  readonly silenceMs: number;
  /** One whole attempt from MAIL FROM on; 10 minutes is what RFC 5321 grants the reply to the final dot. */
  readonly deadlineMs: number;
}

export const DEFAULT_TIMEOUTS: Timeouts = {
  connectMs: 30_000,
  greetingMs: 30_000,
  silenceMs: 300_000,
  deadlineMs: 600_000,
};

export type OpenedConnection =
  | { readonly ok: true; readonly connection: SMTPConnection }
  | { readonly ok: false; readonly phase: 'connect' | 'login' | 'before_login'; readonly reply: Reply };

/**
 * Connects, secures and logs in. Certificates are always verified; `starttls` refuses a server that does not
 * offer it, so that a stripped STARTTLS is a failure and not a plain text login.
 */
export async function openConnection(options: {
  smtp: SmtpConfig;
  login: Login;
  helo: string;
  timeouts: Timeouts;
}): Promise<OpenedConnection> {
  const { smtp, login } = options;
  for (let tried = 1; ; tried += 1) {
    const taken = await login.take();
    if (!taken.ok) return missing(taken);
    const opened = await openWith(options, taken.secret);
    if (smtp.auth !== 'oauth' || !isRefused(opened)) return opened;
    const isOther = await login.refused(taken.secret);
    // What the provider said of it meanwhile says more than the server.
    const next = await login.take();
    if (!next.ok) return missing(next);
    if (!isOther) return opened;
    if (tried >= MOST_TOKENS) return failed('connect', { code: null, text: EACH_ENDED });
  }
}

const isRefused = (opened: OpenedConnection) =>
  !opened.ok && opened.phase === 'login' && (opened.reply.code ?? 0) >= 500;

/** There is nothing to log in with, and no server was asked. */
function missing({ fault, until }: Extract<Taken, { ok: false }>): OpenedConnection {
  const text = oneLine(`${fault.cause}; ${fault.cure}`);
  if (fault.code === 'secret_missing') return failed('login', { code: 535, text: `no secret: ${fault.cause}` });
  return failed(until === 'person' ? 'before_login' : 'connect', { code: null, text });
}

async function openWith(options: Parameters<typeof openConnection>[0], secret: string): Promise<OpenedConnection> {
  const { smtp } = options;
  let connection: SMTPConnection;
  try {
    // Loaded with the first mail that leaves, in the form in which smtp-server has loaded the rest of it.
    const Connection: typeof SMTPConnection = require('nodemailer/lib/smtp-connection');
    connection = new Connection(await connectionOptions(options, secret));
  } catch (error) {
    return failed('connect', replyOf(error));
  }
  // Between two commands nobody else listens, and an unheard 'error' event would end the process.
  connection.on('error', () => {});
  const connected = await step((done) => connection.connect(done), connection);
  if (connected) return failed('connect', connected);
  if (smtp.auth === 'none') return { ok: true, connection };
  const identity = { user: smtp.user, ...(isToken(smtp) ? { method: BY_TOKEN } : { pass: secret }) };
  const refused = await step((done) => connection.login(identity, (error) => done(error)), connection);
  if (!refused) return { ok: true, connection };
  connection.close();
  return failed('login', refused);
}

/** A name of our own, so that nodemailer leaves the choice of the mechanism to us. */
const BY_TOKEN = 'TOKEN';

async function connectionOptions({ smtp, helo, timeouts }: Parameters<typeof openConnection>[0], secret: string) {
  const byToken: SMTPConnectionCustomAuthHandler = (context) => logInByToken(context, smtp, secret);
  const ca = smtp.tls_ca_file === null ? undefined : await readFile(smtp.tls_ca_file, 'utf8');
  return {
    host: smtp.host,
    port: smtp.port,
    secure: smtp.tls === 'implicit',
    requireTLS: smtp.tls === 'starttls',
    ignoreTLS: smtp.tls === 'none',
    name: helo,
    connectionTimeout: timeouts.connectMs,
    greetingTimeout: timeouts.greetingMs,
    socketTimeout: timeouts.silenceMs,
    // Without a network interface beside loopback nodemailer would not resolve `localhost`.
    allowInternalNetworkInterfaces: true,
    tls: { rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) },
    customAuth: { [BY_TOKEN]: byToken },
  };
}

const isToken = ({ auth }: SmtpConfig) => auth === 'oauth' || auth === 'xoauth2';

const failed = (phase: 'connect' | 'login' | 'before_login', reply: Reply): OpenedConnection => ({
  ok: false,
  phase,
  reply,
});

/** Runs one callback-style command; also over when the connection dies without calling back. */
function step(run: (done: (error?: unknown) => void) => void, connection: SMTPConnection): Promise<Reply | undefined> {
  return new Promise((resolve) => {
    const done = (error?: unknown) => {
      connection.off('error', done);
      connection.off('end', ended);
      resolve(error ? replyOf(error) : undefined);
    };
    const ended = () => setImmediate(() => done(new Error('the server closed the connection')));
    connection.on('error', done);
    connection.on('end', ended);
    run(done);
  });
}

/** The server's reply inside a nodemailer error, else the error's own words. */
export function replyOf(error: unknown): Reply {
  if (!(error instanceof Error)) return { code: null, text: oneLine(String(error)) };
  const response = 'response' in error && typeof error.response === 'string' ? error.response : null;
  const code = 'responseCode' in error && typeof error.responseCode === 'number' ? error.responseCode : null;
  return { code, text: oneLine(response ?? error.message) };
}

export const oneLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, 500);

export type RecipientState = 'sent' | 'failed' | 'retry' | 'unknown';

export interface RecipientOutcome {
  readonly address: string;
  readonly state: RecipientState;
  /** The server's own words for this recipient, or what went wrong, in one line. */
  readonly smtp: string;
}

/**
 * What became of one attempt.
 * `delivered`: nothing is left to try (some recipients may be `failed`); `retry`: send again, to the recipients
 * in state `retry` alone; `failed`: final for every recipient; `auth`: the server does not take our login, so
 * the whole account waits; `held`: no server was asked, since somebody has to log in at the provider first; `unknown`: the connection ended after the final dot and before its reply, the mail
 * may or may not be on its way (RFC 1047).
 */
export interface MailOutcome {
  readonly kind: 'delivered' | 'retry' | 'failed' | 'unknown' | 'auth' | 'held';
  readonly recipients: readonly RecipientOutcome[];
  readonly smtp: string;
  /** The Message-ID that the server put in place of ours, where its reply names one (SES, Microsoft 365). */
  readonly serverMessageId: string | null;
}

/** How far the dialogue had come when it failed. Only `after_dot` leaves room for doubt. */
export type DialoguePhase = 'before_login' | 'connect' | 'login' | 'envelope' | 'after_dot';

interface Reply {
  /** Three digits; null where the server said nothing (drop, time-out, TLS, DNS). */
  readonly code: number | null;
  readonly text: string;
}

export interface Rejection extends Reply {
  readonly address: string;
}

export type Ending =
  | { readonly kind: 'accepted'; readonly text: string; readonly serverMessageId: string | null }
  | { readonly kind: 'broken'; readonly phase: DialoguePhase; readonly reply: Reply };

/**
 * RFC 4954 section 6. A 5xx to the AUTH command itself is about the login too. 454 is not one of them: Postfix says it
 * while its login server restarts, and an account-wide pause would hold one unlucky answer for minutes.
 */
const LOGIN_REPLIES = new Set([530, 534, 535, 538]);

/** Pure. `rejected` are the recipients that RCPT refused; all others share the fate of the transaction. */
export function decideOutcome(to: readonly string[], rejected: readonly Rejection[], ending: Ending): MailOutcome {
  const refusals = new Map(rejected.map((one) => [one.address, one]));
  const isAuth = ending.kind === 'broken' && isLoginFailure(ending);
  const state = ending.kind === 'accepted' ? 'sent' : stateOf(ending, isAuth);
  const words = ending.kind === 'accepted' ? ending.text : ending.reply.text;
  const recipients = to.map((address): RecipientOutcome => {
    const refusal = refusals.get(address);
    if (!refusal) return { address, state, smtp: words };
    return { address, state: isPermanent(refusal.code) ? 'failed' : 'retry', smtp: refusal.text };
  });
  return {
    kind: isHeld(ending) ? 'held' : isAuth ? 'auth' : kindOf(recipients),
    recipients,
    smtp: words,
    serverMessageId: ending.kind === 'accepted' ? ending.serverMessageId : null,
  };
}

function kindOf(recipients: readonly RecipientOutcome[]): MailOutcome['kind'] {
  const has = (state: RecipientState) => recipients.some((one) => one.state === state);
  if (has('unknown')) return 'unknown';
  if (has('retry')) return 'retry';
  return has('sent') ? 'delivered' : 'failed';
}

function stateOf({ phase, reply }: Extract<Ending, { kind: 'broken' }>, isAuth: boolean): RecipientState {
  if (isAuth) return 'retry';
  // Before MAIL FROM the server has judged the connection, not the mail: a 554 greeting may be gone tomorrow.
  if (phase === 'before_login' || phase === 'connect' || phase === 'login') return 'retry';
  if (isPermanent(reply.code)) return 'failed';
  if (phase === 'envelope' || isTemporary(reply.code)) return 'retry';
  return 'unknown';
}

const isHeld = (ending: Ending) => ending.kind === 'broken' && ending.phase === 'before_login';

function isLoginFailure({ phase, reply }: Extract<Ending, { kind: 'broken' }>): boolean {
  if (phase === 'connect' || phase === 'after_dot' || reply.code === null) return false;
  return LOGIN_REPLIES.has(reply.code) || (phase === 'login' && isPermanent(reply.code));
}

/** 503 (bad sequence) speaks of the session's state, not of the mail: a new connection may do. */
const isPermanent = (code: number | null) => code !== null && code >= 500 && code < 600 && code !== 503;
const isTemporary = (code: number | null) => code === 503 || (code !== null && code >= 400 && code < 500);

/**
 * Logs in with an access token: by XOAUTH2 where the server offers it, as the large providers do, else by OAUTHBEARER
 * (RFC 7628). One attempt: a token that was refused is renewed by whoever gave it, not here.
 */
async function logInByToken(
  { authMethods, sendCommand }: Pick<SMTPConnectionCustomAuthContext, 'authMethods' | 'sendCommand'>,
  smtp: Pick<SmtpConfig, 'user' | 'host' | 'port'>,
  token: string,
): Promise<void> {
  const isOld = authMethods.includes('XOAUTH2');
  const [mechanism, initial] = isOld ? ['XOAUTH2', xoauth2(smtp, token)] : ['OAUTHBEARER', oauthBearer(smtp, token)];
  const first = await sendCommand(`AUTH ${mechanism} ${Buffer.from(initial).toString('base64')}`);
  // A refusal is told as JSON first, which has to be acknowledged: by nothing, and by \x01 in RFC 7628.
  const last: SMTPConnectionCustomAuthResponse =
    first.status === 334 ? await sendCommand(isOld ? '' : Buffer.from('\x01').toString('base64')) : first;
  if (last.status !== 235) throw new Error(last.response);
}

const xoauth2 = ({ user }: Pick<SmtpConfig, 'user'>, token: string): string =>
  `user=${user}\x01auth=Bearer ${token}\x01\x01`;

/** In the name, `,` and `=` are written as RFC 5801 says. */
const oauthBearer = ({ user, host, port }: Pick<SmtpConfig, 'user' | 'host' | 'port'>, token: string): string => {
  const name = user.replace(/[=,]/g, (sign) => (sign === '=' ? '=3D' : '=2C'));
  return `n,a=${name},\x01host=${host}\x01port=${port}\x01auth=Bearer ${token}\x01\x01`;
};
