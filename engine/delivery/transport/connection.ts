import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { SMTPConnectionCustomAuthHandler } from 'nodemailer/lib/smtp-connection';
import type { SmtpConfig } from '../../config/types.ts';
import type { Login, Taken } from '../../mailbox/login/login.ts';
import type { Reply } from './outcome.ts';
import { logInByToken } from './token-login.ts';

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

export type Opened =
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
}): Promise<Opened> {
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
    if (tried >= MOST_TOKENS)
      return failed('connect', { code: null, text: 'each access token ended before it could be used' });
  }
}

/** An access token may end on its way to the server; more than this often in a row it is not the time. */
const MOST_TOKENS = 4;

const isRefused = (opened: Opened) => !opened.ok && opened.phase === 'login' && (opened.reply.code ?? 0) >= 500;

/** There is nothing to log in with, and no server was asked. */
function missing({ fault, until }: Extract<Taken, { ok: false }>): Opened {
  const text = oneLine(`${fault.cause}; ${fault.cure}`);
  if (fault.code === 'secret_missing') return failed('login', { code: 535, text: `no secret: ${fault.cause}` });
  return failed(until === 'person' ? 'before_login' : 'connect', { code: null, text });
}

async function openWith(options: Parameters<typeof openConnection>[0], secret: string): Promise<Opened> {
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

const failed = (phase: 'connect' | 'login' | 'before_login', reply: Reply): Opened => ({ ok: false, phase, reply });

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
