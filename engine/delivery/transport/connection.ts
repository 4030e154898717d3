import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { SmtpConfig } from '../../config/types.ts';
import type { Reply } from './outcome.ts';

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
  | { readonly ok: false; readonly phase: 'connect' | 'login'; readonly reply: Reply };

/**
 * Connects, secures and logs in. Certificates are always verified; `starttls` refuses a server that does not
 * offer it, so that a stripped STARTTLS is a failure and not a plain text login.
 */
export async function openConnection(options: {
  smtp: SmtpConfig;
  secret: string | undefined;
  helo: string;
  timeouts: Timeouts;
}): Promise<Opened> {
  const { smtp, secret } = options;
  if (smtp.auth !== 'none' && !secret) {
    return failed('login', { code: 535, text: `no secret: the environment variable ${smtp.secret_env} is not set` });
  }
  let connection: SMTPConnection;
  try {
    // Loaded with the first mail that leaves, in the form in which smtp-server has loaded the rest of it.
    const Connection: typeof SMTPConnection = require('nodemailer/lib/smtp-connection');
    connection = new Connection(await connectionOptions(options));
  } catch (error) {
    return failed('connect', replyOf(error));
  }
  // Between two commands nobody else listens, and an unheard 'error' event would end the process.
  connection.on('error', () => {});
  const connected = await step((done) => connection.connect(done), connection);
  if (connected) return failed('connect', connected);
  if (smtp.auth === 'none') return { ok: true, connection };
  const identity = credentials(smtp, secret ?? '');
  const refused = await step((done) => connection.login(identity, (error) => done(error)), connection);
  if (!refused) return { ok: true, connection };
  connection.close();
  // nodemailer answers a rejected OAuth token by looking for a refresh token; there is none, the owner renews it.
  const isOauth = smtp.auth === 'xoauth2' && refused.code === null && /access token/i.test(refused.text);
  return failed('login', isOauth ? { code: 535, text: 'the server refused the access token' } : refused);
}

async function connectionOptions({ smtp, helo, timeouts }: Parameters<typeof openConnection>[0]) {
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
  };
}

function credentials(smtp: SmtpConfig, secret: string) {
  if (smtp.auth === 'xoauth2') {
    const XOAuth2: typeof import('nodemailer/lib/xoauth2').default = require('nodemailer/lib/xoauth2');
    return { user: smtp.user, oauth2: new XOAuth2({ user: smtp.user, accessToken: secret }) };
  }
  return { user: smtp.user, pass: secret };
}

const failed = (phase: 'connect' | 'login', reply: Reply): Opened => ({ ok: false, phase, reply });

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
