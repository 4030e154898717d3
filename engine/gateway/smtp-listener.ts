import { timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';
import { EngineError, type Log } from '#contract';
import type { GatewayConfig, PersonaEntry } from '../config/types.ts';
import { sha256 } from '../lib/ids.ts';
import { normaliseAddress } from '../mail/address.ts';
import type { Arrival } from '../mail/types.ts';
import { createCollector, type NotCollected } from './collect.ts';
import { boundConnections, plainIp } from './connections.ts';
import type { Receive, Received } from './receive.ts';

export const SUBMISSION_USER = 'epistle';

export interface SmtpListener {
  readonly host: string;
  readonly port: number;
  /** No new connection from now on; those that stand may finish what they are at for a few seconds. */
  close(): Promise<void>;
}

const MAX_RECIPIENTS = 100;
/** The library answers these with jokes; a server that guards a mailbox should not. */
const JOKES = ['WIZ', 'SHELL', 'KILL'];

/** What one client, one address and all of them together may take; tests make it small. */
export interface ListenerBounds {
  readonly maxClients: number;
  readonly maxClientsPerAddress: number;
  /** Without a byte from the client. */
  readonly idleMs: number;
  /** From the greeting on: a byte now and then keeps a connection from being idle. */
  readonly sessionMs: number;
  /** Of mails that are on their way in, together. */
  readonly maxHeldBytes: number;
}

const BOUNDS: ListenerBounds = {
  maxClients: 500,
  maxClientsPerAddress: 200,
  idleMs: 60_000,
  sessionMs: 60 * 60_000,
  maxHeldBytes: 256 * 1024 * 1024,
};

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
  bounds?: Partial<ListenerBounds>;
}): Promise<SmtpListener> {
  const { config, log } = deps;
  const bounds = { ...BOUNDS, ...deps.bounds };
  const { smtp_listener: listener, limits } = config;
  const relays = new Map(listener.trusted_relays.map(({ ip, authserv_id }) => [plainIp(ip), authserv_id]));
  const collect = createCollector({
    maxBytes: limits.max_message_bytes,
    maxHeldBytes: Math.max(bounds.maxHeldBytes, limits.max_message_bytes),
  });
  const connections = boundConnections({
    perAddress: bounds.maxClientsPerAddress,
    lifetimeMs: bounds.sessionMs,
    isExempt: (ip) => relays.has(ip),
    expire: (id) => {
      for (const one of server.connections) if (one.id === id) one.send(421, '4.4.2 This connection lasted too long');
    },
  });
  const isLoopback = listener.host === 'localhost' || listener.host === '::1' || /^127\./.test(listener.host);
  const hasTls = listener.tls !== undefined;
  const disabled = [...JOKES, ...(hasTls ? [] : ['STARTTLS']), ...(isLoopback || hasTls ? [] : ['AUTH'])];

  const options: SMTPServerOptions = {
    name: config.domain,
    banner: 'Epistle',
    size: limits.max_message_bytes,
    // AUTH in the clear only where nobody can listen in; elsewhere it takes the listener's own certificate.
    allowInsecureAuth: isLoopback,
    disabledCommands: disabled,
    ...(listener.tls
      ? { key: readFileSync(listener.tls.key_file), cert: readFileSync(listener.tls.cert_file), minVersion: 'TLSv1.2' }
      : {}),
    authMethods: ['PLAIN', 'LOGIN'],
    authOptional: true,
    disableReverseLookup: true,
    maxClients: bounds.maxClients,
    socketTimeout: bounds.idleMs,
    closeTimeout: 5000,
    logger: false,

    onConnect(session, done) {
      // Not even offered before TLS: a client that sees it there may send its secret before it hears the refusal.
      if (!isLoopback) session.disabledCommands = [...disabled, 'AUTH'];
      if (connections.enter(session.id, plainIp(session.remoteAddress))) done();
      else done(new SmtpReply(421, '4.7.0 Too many connections from your address'));
    },
    onSecure(_socket, session, done) {
      session.disabledCommands = disabled;
      done();
    },
    onClose: ({ id }) => connections.leave(id),

    onAuth(auth, _session, done) {
      const given = sha256(auth.password ?? '');
      const expected = sha256(deps.submissionSecret);
      const right = auth.username === SUBMISSION_USER && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
      if (right) done(null, { user: SUBMISSION_USER });
      else done(new SmtpReply(535, '5.7.8 Authentication credentials invalid'));
    },

    onRcptTo(address, session, done) {
      // As `receive` will read it: what is taken here must not be nobody's there.
      const recipient = normaliseAddress(address.address);
      const entry = recipient === null ? undefined : deps.findByAddress(recipient);
      if (session.envelope.rcptTo.length >= MAX_RECIPIENTS) done(new SmtpReply(452, '4.5.3 Too many recipients'));
      else if (!entry) done(new SmtpReply(550, '5.1.1 No such mailbox here'));
      else if (entry.state === 'error') done(new SmtpReply(451, '4.3.0 Mailbox temporarily unavailable'));
      else done();
    },

    onData(stream, session, done) {
      const arrival = arrivalOf(session, relays);
      const envelope = envelopeOf(session);
      collect(stream, (raw) => deps.receive({ raw, arrival, ...envelope, place: null }))
        .then((collected) => (collected.ok ? answer(collected.result) : notCollected(collected.why)))
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
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        // Who is between two mails loses nothing; who is in one gets the library's few seconds.
        for (const connection of server.connections) {
          // Who has just connected is not greeted for 100 ms and has no envelope, whatever the library's types say.
          const { envelope }: Partial<SMTPServerSession> = connection.session;
          if (envelope?.mailFrom) continue;
          connection.send(421, '4.3.2 Shutting down');
          connection.close();
        }
      }),
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

function notCollected(why: NotCollected): never {
  throw why === 'too_large'
    ? new SmtpReply(552, '5.3.4 Message too big')
    : new SmtpReply(452, '4.3.1 Too much mail at once, try again later');
}

function arrivalOf(session: SMTPServerSession, relays: ReadonlyMap<string, string>): Arrival {
  if (session.user === SUBMISSION_USER) return { door: 'submission' };
  const ip = plainIp(session.remoteAddress);
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
  if (isHangUp(error)) return new SmtpReply(451, '4.4.2 Connection lost');
  log.error(
    { error: error instanceof Error ? (error.stack ?? error.message) : String(error) },
    'a mail could not be stored',
  );
  return new SmtpReply(451, '4.3.0 Could not be stored, try again later');
}

/** The client went away before the final dot: nothing was taken, so nothing is lost. */
const isHangUp = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'ECONNECTION' || error.code === 'ERR_STREAM_PREMATURE_CLOSE');
