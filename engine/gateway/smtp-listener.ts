import { timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';
import { EngineError, type Log } from '#contract';
import type { GatewayConfig, PersonaEntry } from '../config/types.ts';
import { sha256 } from '../lib/ids.ts';
import type { Arrival } from '../mail/types.ts';
import type { Receive, Received } from './receive.ts';

export const SUBMISSION_USER = 'epistle';

export interface SmtpListener {
  readonly host: string;
  readonly port: number;
  close(): Promise<void>;
}

const MAX_RECIPIENTS = 100;
const MAX_CLIENTS = 500;
const SOCKET_TIMEOUT_MS = 60_000;

/** Thrown at a client: its SMTP reply. */
class SmtpReply extends Error {
  readonly responseCode: number;
  constructor(responseCode: number, text: string) {
    super(text);
    this.responseCode = responseCode;
  }
}

/** Listens for mail. 250 is said only after `receive` has made the mail durable. Throws `port_in_use`. */
export async function startSmtpListener(deps: {
  config: GatewayConfig;
  submissionSecret: string;
  receive: Receive;
  findByAddress(address: string): PersonaEntry | undefined;
  log: Log;
}): Promise<SmtpListener> {
  const { config, log } = deps;
  const { smtp_listener: listener, limits } = config;
  const relays = new Map(listener.trusted_relays.map(({ ip, authserv_id }) => [ip, authserv_id]));
  const isLoopback = listener.host === 'localhost' || listener.host === '::1' || /^127\./.test(listener.host);

  const options: SMTPServerOptions = {
    name: config.domain,
    banner: 'Epistle',
    size: limits.max_message_bytes,
    // AUTH in the clear only where nobody can listen in; elsewhere it takes the listener's own certificate.
    allowInsecureAuth: isLoopback,
    disabledCommands: [...(listener.tls ? [] : ['STARTTLS']), ...(isLoopback || listener.tls ? [] : ['AUTH'])],
    ...(listener.tls
      ? { key: readFileSync(listener.tls.key_file), cert: readFileSync(listener.tls.cert_file), minVersion: 'TLSv1.2' }
      : {}),
    authMethods: ['PLAIN', 'LOGIN'],
    authOptional: true,
    disableReverseLookup: true,
    maxClients: MAX_CLIENTS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    closeTimeout: 5000,
    logger: false,

    onAuth(auth, _session, done) {
      const given = sha256(auth.password ?? '');
      const expected = sha256(deps.submissionSecret);
      const right = auth.username === SUBMISSION_USER && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
      if (right) done(null, { user: SUBMISSION_USER });
      else done(new SmtpReply(535, '5.7.8 Authentication credentials invalid'));
    },

    onRcptTo(address, session, done) {
      const entry = deps.findByAddress(address.address);
      if (session.envelope.rcptTo.length >= MAX_RECIPIENTS) done(new SmtpReply(452, '4.5.3 Too many recipients'));
      else if (!entry) done(new SmtpReply(550, '5.1.1 No such mailbox here'));
      else if (entry.state === 'error') done(new SmtpReply(451, '4.3.0 Mailbox temporarily unavailable'));
      else done();
    },

    onData(stream, session, done) {
      collect(stream, limits.max_message_bytes)
        .then((raw) => deps.receive({ raw, arrival: arrivalOf(session, relays), ...envelopeOf(session), place: null }))
        .then((received) => answer(received))
        .then(
          (text) => done(null, text),
          (error: unknown) => done(replyTo(error, log)),
        );
    },
  };

  const server = new SMTPServer(options);
  // A reset in the middle of DATA is emitted here; without a listener it would end the process.
  server.on('error', (error: Error) => log.warn({ error: error.message }, 'smtp connection failed'));
  const address = await listen(server, listener.port, listener.host);
  return {
    host: address.address,
    port: address.port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function listen(server: SMTPServer, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.server.once('error', (error: NodeJS.ErrnoException) => {
      const inUse = error.code === 'EADDRINUSE' || error.code === 'EACCES';
      const message = `cannot listen on ${host} port ${port}: ${error.message}; choose another in configs/gateway.json`;
      reject(inUse ? new EngineError('port_in_use', message, { cause: error }) : error);
    });
    server.listen(port, host, () => resolve(server.server.address() as AddressInfo));
  });
}

/** All bytes of the mail; past the limit they are read and dropped, so that the client hears 552 and not a reset. */
async function collect(stream: SMTPServerDataStream, maxBytes: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
    else chunks.length = 0;
  }
  if (stream.sizeExceeded || bytes > maxBytes) throw new SmtpReply(552, '5.3.4 Message too big');
  return Buffer.concat(chunks);
}

function arrivalOf(session: SMTPServerSession, relays: ReadonlyMap<string, string>): Arrival {
  if (session.user === SUBMISSION_USER) return { door: 'submission' };
  const ip = session.remoteAddress.replace(/^::ffff:/, '');
  const authservId = relays.get(ip);
  if (authservId !== undefined) return { door: 'relay', authservId };
  const { mailFrom } = session.envelope;
  return { door: 'stranger', ip, helo: session.hostNameAppearsAs, mailFrom: mailFrom ? mailFrom.address : '' };
}

function envelopeOf({ envelope }: SMTPServerSession): { returnPath: string; recipients: readonly string[] } {
  return {
    returnPath: envelope.mailFrom ? envelope.mailFrom.address : '',
    recipients: envelope.rcptTo.map(({ address }) => address),
  };
}

/** One answer for all recipients: refused only when every persona refuses, and why is not told to strangers. */
function answer({ messageId, results }: Received): string {
  if (results.some(({ decision }) => decision === 'deferred')) {
    const dns = results.some(({ code }) => code === 'auth_failed');
    throw dns
      ? new SmtpReply(451, '4.7.5 Sender could not be checked now')
      : new SmtpReply(451, '4.3.0 Try again later');
  }
  if (results.every(({ decision }) => decision === 'refused')) {
    const many = results.some(({ code }) => code === 'too_many_attachments');
    throw many ? new SmtpReply(552, '5.3.4 Too many attachments') : new SmtpReply(550, '5.7.1 Not accepted');
  }
  return `2.0.0 Accepted ${messageId.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, 200)}`;
}

function replyTo(error: unknown, log: Log): Error {
  if (error instanceof SmtpReply) return error;
  log.error(
    { error: error instanceof Error ? (error.stack ?? error.message) : String(error) },
    'a mail could not be stored',
  );
  return new SmtpReply(451, '4.3.0 Could not be stored, try again later');
}
