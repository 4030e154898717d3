import { timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AddressInfo, Socket } from 'node:net';
import type { SMTPServerOptions, SMTPServerSession } from 'smtp-server';
import { EngineError, type Log } from '#contract';
import type { GatewayConfig, PersonaEntry } from '../../config/types.ts';
import type { Envelope, Intake, Received } from '../../intake/incoming.ts';
import type { Clock } from '../../lib/clock.ts';
import { sha256 } from '../../lib/ids.ts';
import { countedAs, plainIp } from '../../lib/ip-address.ts';
import { normaliseAddress } from '../../mail/mime/address.ts';
import type { Arrival } from '../../mail/mime/types.ts';
import { createGuessGuard, type GuessAnswer } from './auth-guesses.ts';
import { createCollector, type NotCollected, takeOddPaths } from './collect.ts';
import { boundConnections } from './connections.ts';

// Loaded as CommonJS: as a module it imports `node:http` by name, which loads the global fetch, 9 MB.
const { SMTPServer }: typeof import('smtp-server') = createRequire(import.meta.url)('smtp-server');

export const SUBMISSION_USER = 'epistle';

export interface SmtpListener {
  readonly host: string;
  readonly port: number;
  /** Memory of mails that are on their way in. */
  heldBytes(): number;
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
  /** Time without a byte from the client after which the connection is closed. */
  readonly idleMs: number;
  /** From the greeting on: a byte now and then keeps a connection from being idle. */
  readonly sessionMs: number;
  /** From DATA to the final dot. */
  readonly dataMs: number;
  /** Limit on the bytes of all mails of strangers that are coming in. */
  readonly maxHeldBytes: number;
  /** The part of it that only small mails get. */
  readonly forSmallBytes: number;
  /** How fast large mails of strangers come in, together. */
  readonly bytesPerSecond: number;
  /** The same limit for one stranger's address; one mail of the largest size is always possible. */
  readonly maxHeldBytesPerAddress: number;
  /** On top of that for submission and trusted relays, who never have to go for others. */
  readonly reservedBytes: number;
  /** When the room is full the slowest has to go, but nobody that began so recently. */
  readonly graceMs: number;
  /** Whole mails of one stranger's address that are looked at side by side. */
  readonly maxReceivingPerAddress: number;
  /** How long the next one waits for that; a client gives up after ten minutes (RFC 5321 section 4.5.3.2.6). */
  readonly turnMs: number;
}

const MIB = 1024 * 1024;

const BOUNDS: ListenerBounds = {
  maxClients: 500,
  maxClientsPerAddress: 200,
  idleMs: 60_000,
  sessionMs: 60 * 60_000,
  dataMs: 10 * 60_000,
  maxHeldBytes: 64 * MIB,
  forSmallBytes: 32 * MIB,
  bytesPerSecond: 8 * MIB,
  maxHeldBytesPerAddress: 32 * MIB,
  reservedBytes: 64 * MIB,
  graceMs: 10_000,
  maxReceivingPerAddress: 8,
  turnMs: 5 * 60_000,
};

/** Connections beyond `maxClients` that are told so, or are in the place of another that is being told. */
const GREETING = 100;

const CUT_OFF = {
  too_slow: '4.3.1 Too much mail at once and yours was the slowest, try again later',
  too_late: '4.4.2 The mail took too long',
} as const;

const EXPIRED = {
  too_long: '4.4.2 This connection lasted too long',
  too_many: '4.3.2 Too many connections, and most of them from your address',
} as const;

const REFUSED: Readonly<Record<Exclude<GuessAnswer, 'right'>, () => SmtpReply>> = {
  wrong: () => new SmtpReply(535, '5.7.8 Authentication credentials invalid'),
  enough: () => new SmtpReply(421, '4.7.0 Too many wrong secrets'),
};

/** RFC 5321 section 4.5.1: there is always one. What is written to him is judged with the mail, and put on record. */
const isPostmaster = (address: string, domain: string): boolean =>
  ['postmaster', `postmaster@${domain.toLowerCase()}`].includes(address.toLowerCase());

const isLoopbackIp = (ip: string): boolean => plainIp(ip) === '::1' || /^127\./.test(plainIp(ip));

/** Listens for mail. 250 is said only after `receive` has made the mail durable. Throws `port_in_use`. */
export async function startSmtpListener(deps: {
  config: GatewayConfig;
  submissionSecret: string;
  receive: Intake['receive'];
  findByAddress(address: string): PersonaEntry | undefined;
  clock: Clock;
  log: Log;
  bounds?: Partial<ListenerBounds>;
}): Promise<SmtpListener> {
  const { config, clock, log } = deps;
  const bounds = { ...BOUNDS, ...deps.bounds };
  const { smtp_listener: listener, limits } = config;
  const relays = new Map(listener.trusted_relays.map(({ ip, authserv_id }) => [plainIp(ip), authserv_id]));
  const hangUp = (id: string, text: string) => {
    for (const one of server.connections) if (one.id === id) one.send(421, text);
  };
  const maxBytes = limits.max_message_bytes;
  const room = {
    maxHeldBytes: Math.max(bounds.maxHeldBytes, maxBytes + bounds.forSmallBytes),
    forSmallBytes: bounds.forSmallBytes,
    maxHeldBytesPerAddress: Math.max(bounds.maxHeldBytesPerAddress, maxBytes),
    reservedBytes: Math.max(bounds.reservedBytes, maxBytes),
  };
  const { collect, heldBytes } = createCollector(
    { ...bounds, ...room, maxBytes },
    { clock, cut: (id, why) => hangUp(id, CUT_OFF[why]) },
  );
  const turns = createTurns({ most: bounds.maxReceivingPerAddress, waitMs: bounds.turnMs, clock });
  const guesses = createGuessGuard({ clock, log });
  const connections = boundConnections({
    all: bounds.maxClients,
    perAddress: bounds.maxClientsPerAddress,
    lifetimeMs: bounds.sessionMs,
    isExempt: (ip) => relays.has(ip),
    expire: (id, why) => hangUp(id, EXPIRED[why]),
  });
  const isLoopback = listener.host === 'localhost' || isLoopbackIp(listener.host);
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
    // Ours decides whom it concerns; this one is for a flood that comes faster than that.
    maxClients: bounds.maxClients + GREETING,
    socketTimeout: bounds.idleMs,
    closeTimeout: 5000,
    logger: false,

    onConnect(session, done) {
      // Not even offered before TLS: a client that sees it there may send its secret before it hears the refusal.
      if (!isLoopback) session.disabledCommands = [...disabled, 'AUTH'];
      for (const one of server.connections) if (one.id === session.id) takeOddPaths(one);
      if (connections.enter(session.id, plainIp(session.remoteAddress))) done();
      else done(new SmtpReply(421, '4.7.0 Too many connections from your address'));
    },
    onSecure(_socket, session, done) {
      session.disabledCommands = disabled;
      done();
    },
    onClose({ id }) {
      connections.leave(id);
      guesses.leave(id);
    },

    onAuth(auth, { id, remoteAddress }, done) {
      const given = sha256(auth.password ?? '');
      const expected = sha256(deps.submissionSecret);
      const isRight = auth.username === SUBMISSION_USER && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
      const address = countedAs(remoteAddress);
      const guess = { connection: id, address, isLoopback: isLoopbackIp(remoteAddress), isRight };
      void guesses.judge({ ...guess, gone: connections.gone(id) }).then((judged) => {
        if (judged === 'right') done(null, { user: SUBMISSION_USER });
        else done(REFUSED[judged]());
      });
    },

    onRcptTo(address, session, done) {
      // Normalised as `receive` does it: a recipient that is accepted here must exist there.
      const recipient = normaliseAddress(address.address);
      const entry = recipient === null ? undefined : deps.findByAddress(recipient);
      if (session.envelope.rcptTo.length >= MAX_RECIPIENTS) done(new SmtpReply(452, '4.5.3 Too many recipients'));
      else if (!entry && isPostmaster(address.address, config.domain)) done();
      else if (!entry) done(new SmtpReply(550, '5.1.1 No such mailbox here'));
      else if (entry.state === 'error') done(new SmtpReply(451, '4.3.0 Mailbox temporarily unavailable'));
      else done();
    },

    onData(stream, session, done) {
      const arrival = arrivalOf(session, relays);
      const envelope = envelopeOf(session);
      const sender = {
        id: session.id,
        address: countedAs(session.remoteAddress),
        isTrusted: arrival.door !== 'stranger',
      };
      const take = async (raw: Uint8Array) => {
        const leave = sender.isTrusted ? () => {} : await turns.take(sender.address, connections.gone(session.id));
        if (!leave) throw new SmtpReply(451, '4.3.2 Too many of your mails at once, try again later');
        return deps.receive({ raw, arrival, envelope, place: null }).finally(leave);
      };
      collect(stream, sender, take)
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
  // Not where STARTTLS may come: its reply has to be gone before the handshake begins.
  if (!hasTls) server.server.on('connection', answerTogether);
  const address = await listen(server, listener.port, listener.host);
  return {
    host: address.address,
    port: address.port,
    heldBytes,
    close: () =>
      new Promise((resolve) => {
        guesses.close();
        server.close(() => resolve());
        // Idle sessions are closed at once; a session in DATA gets the library's `closeTimeout`.
        for (const connection of server.connections) {
          // A client that has just connected is greeted after 100 ms and has no envelope until then, despite the library's types.
          const { envelope }: Partial<SMTPServerSession> = connection.session;
          if (envelope?.mailFrom) continue;
          connection.send(421, '4.3.2 Shutting down');
          connection.close();
        }
      }),
  };
}

/** Replies to commands that came in one packet leave in one (RFC 2920 section 3.2): each packet costs as much as a row. */
function answerTogether(socket: Socket): void {
  // Put before the library's own listener, which it adds when it has greeted; until then nothing is read like this.
  socket.prependListener('data', () => {
    socket.cork();
    // The library goes on after MAIL in the next turn: behind that.
    process.nextTick(() => setImmediate(() => socket.uncork()));
  });
}

function listen(server: InstanceType<typeof SMTPServer>, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.server.once('error', (error: NodeJS.ErrnoException) => {
      const inUse = error.code === 'EADDRINUSE' || error.code === 'EACCES';
      const message = `cannot listen on ${host} port ${port}: ${error.message}; another gateway may run there: stop it, or set another smtp_listener.port in configs/gateway.json`;
      reject(inUse ? new EngineError('port_in_use', message, { cause: error }) : error);
    });
    server.listen(port, host, () => resolve(server.server.address() as AddressInfo));
  });
}

function arrivalOf(session: SMTPServerSession, relays: ReadonlyMap<string, string>): Arrival {
  if (session.user === SUBMISSION_USER) return { door: 'submission' };
  const ip = plainIp(session.remoteAddress);
  const authservId = relays.get(ip);
  const mailFrom = session.envelope.mailFrom ? session.envelope.mailFrom.address : '';
  if (authservId !== undefined) return { door: 'relay', authservId, mailFrom };
  return { door: 'stranger', ip, helo: session.hostNameAppearsAs, mailFrom };
}

function envelopeOf({ envelope }: SMTPServerSession): Envelope {
  return {
    returnPath: envelope.mailFrom ? envelope.mailFrom.address : '',
    recipients: envelope.rcptTo.map(({ address }) => normaliseAddress(address) ?? address),
  };
}

/**
 * At most `most` works of one key at once; the others wait, in the order they came. Without it one address could
 * occupy every parser thread, all look-ups and the disk.
 */
function createTurns({ most, waitMs, clock }: { most: number; waitMs: number; clock: Clock }) {
  const lines = new Map<string, { working: number; readonly waiting: (() => void)[] }>();

  const leave = (key: string): void => {
    const line = lines.get(key);
    if (!line) return;
    const next = line.waiting.shift();
    if (next) next();
    else line.working -= 1;
    if (line.working === 0) lines.delete(key);
  };

  return {
    /** Resolves with what gives the turn back when the work is done; with null when no turn came in `waitMs`, or `gone` aborted before it came. */
    async take(key: string, gone: AbortSignal): Promise<(() => void) | null> {
      const line = lines.get(key) ?? { working: 0, waiting: [] };
      lines.set(key, line);
      if (line.working < most) {
        line.working += 1;
        return () => leave(key);
      }
      const turn = Promise.withResolvers<'turn'>();
      const come = () => turn.resolve('turn');
      line.waiting.push(come);
      const served = new AbortController();
      const late = clock.sleep(waitMs, AbortSignal.any([gone, served.signal])).catch(() => {});
      const first = await Promise.race([turn.promise, late]);
      served.abort();
      // `leave` has not lowered `working`: that place is ours.
      if (first === 'turn') return () => leave(key);
      const place = line.waiting.indexOf(come);
      if (place >= 0) line.waiting.splice(place, 1);
      else leave(key);
      return null;
    },
  };
}

/** Thrown at a client: its SMTP reply. */
class SmtpReply extends Error {
  readonly responseCode: number;
  constructor(responseCode: number, text: string) {
    super(text);
    this.responseCode = responseCode;
  }
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

function notCollected(why: NotCollected): never {
  throw why === 'too_large'
    ? new SmtpReply(552, '5.3.4 Message too big')
    : new SmtpReply(452, '4.3.1 Too much mail at once, try again later');
}
