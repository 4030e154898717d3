import { timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AddressInfo, Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { SMTPServer as Server, SMTPServerOptions, SMTPServerSession } from 'smtp-server';
import type { Log } from '#contract';
import type { GatewayConfig, PersonaEntry } from '../../config/types.ts';
import type { Envelope, Intake, Received } from '../../intake/incoming.ts';
import type { Clock } from '../../lib/clock.ts';
import { sha256 } from '../../lib/ids.ts';
import { countedAs, plainIp } from '../../lib/ip-address.ts';
import { notListening } from '../../lib/port-taken.ts';
import { normaliseAddress } from '../../mail/mime/address.ts';
import type { Arrival } from '../../mail/mime/types.ts';

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
      reject(notListening(error, { host, port, key: 'smtp_listener.port', file: 'configs/gateway.json' }));
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

interface Connections {
  /** False: this address, or all together, have what they may have. */
  enter(id: string, ip: string): boolean;
  leave(id: string): void;
  /** Aborts when the connection is gone; at once for one that is not known. */
  gone(id: string): AbortSignal;
}

interface Open {
  readonly address: string;
  readonly isExempt: boolean;
  readonly life: NodeJS.Timeout;
  readonly gone: AbortController;
}

/**
 * Keeps one address from taking all connections, and any connection from lasting for ever: the idle timeout starts
 * anew with every byte, so a client that sends one a minute is never idle. Where all are taken, whoever has fewer gets
 * one of whoever has most: else three addresses keep everybody out, and the owner's own programs with them.
 */
function boundConnections(bounds: {
  all: number;
  perAddress: number;
  lifetimeMs: number;
  isExempt(ip: string): boolean;
  expire(id: string, why: 'too_long' | 'too_many'): void;
}): Connections {
  // In the order they came, so that the first of an address is its oldest.
  const open = new Map<string, Open>();
  const perAddress = new Map<string, number>();

  const leave = (id: string): void => {
    const known = open.get(id);
    if (!known) return;
    open.delete(id);
    clearTimeout(known.life);
    known.gone.abort();
    const rest = (perAddress.get(known.address) ?? 1) - 1;
    if (rest > 0) perAddress.set(known.address, rest);
    else perAddress.delete(known.address);
  };

  /** False when nobody has clearly more than who asks. */
  const makePlace = (mine: number): boolean => {
    let most: { id: string; count: number } | undefined;
    for (const [id, { address, isExempt }] of open) {
      const count = perAddress.get(address) ?? 0;
      if (!isExempt && count > (most?.count ?? mine + 1)) most = { id, count };
    }
    if (!most) return false;
    leave(most.id);
    bounds.expire(most.id, 'too_many');
    return true;
  };

  return {
    enter(id, ip) {
      const address = countedAs(ip);
      const isExempt = bounds.isExempt(ip);
      const before = perAddress.get(address) ?? 0;
      if (before >= bounds.perAddress && !isExempt) return false;
      if (open.size >= bounds.all && !makePlace(before)) return false;
      perAddress.set(address, (perAddress.get(address) ?? 0) + 1);
      const life = setTimeout(() => bounds.expire(id, 'too_long'), bounds.lifetimeMs);
      life.unref();
      open.set(id, { address, isExempt, life, gone: new AbortController() });
      return true;
    },
    leave,
    gone: (id) => open.get(id)?.gone.signal ?? AbortSignal.abort(),
  };
}

export interface GuessBounds {
  /** Before the answer to the first wrong secret of an address; twice as long for each one after it. */
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** On one connection, which then ends. */
  readonly maxPerConnection: number;
  /** Wrong guesses after which an address is refused until `rememberMs` after its last. This machine is never refused. */
  readonly maxPerAddress: number;
  readonly rememberMs: number;
  readonly maxAddresses: number;
  /** What comes within it is one line of the log for each address. */
  readonly burstMs: number;
}

export const GUESS_BOUNDS: GuessBounds = {
  firstDelayMs: 1000,
  maxDelayMs: 16_000,
  maxPerConnection: 5,
  maxPerAddress: 100,
  rememberMs: 60 * 60_000,
  maxAddresses: 10_000,
  burstMs: 30_000,
};

/** Addresses that have a line of their own in one burst. */
const MOST_LINES = 20;

type GuessAnswer = 'right' | 'wrong' | 'enough';

interface Attempt {
  readonly connection: string;
  /** The address that the guess counts against; see `countedAs`. */
  readonly address: string;
  readonly isLoopback: boolean;
  readonly isRight: boolean;
  /** Aborts when the client has gone: nobody waits then. */
  readonly gone: AbortSignal;
}

/**
 * Slows down who guesses the secret. Wrong ones are counted by address across connections. Where there were some the
 * right one waits a moment, too: no answer at once would otherwise be an answer. Other addresses wait for nothing.
 */
export function createGuessGuard(deps: { clock: Clock; log: Log; bounds?: Partial<GuessBounds> }) {
  const { clock, log } = deps;
  const bounds = { ...GUESS_BOUNDS, ...deps.bounds };
  const byAddress = new Map<string, { count: number; lastAt: number }>();
  const byConnection = new Map<string, number>();
  const closing = new AbortController();
  const burst = new Map<string, number>();

  const countOf = (address: string): number => {
    const known = byAddress.get(address);
    if (!known) return 0;
    if (clock.now() - known.lastAt < bounds.rememberMs) return known.count;
    byAddress.delete(address);
    return 0;
  };

  const remember = (address: string): void => {
    const count = countOf(address) + 1;
    // Put last again, so that the first of the map is always the one that has been quiet longest.
    byAddress.delete(address);
    byAddress.set(address, { count, lastAt: clock.now() });
    const [oldest] = byAddress.keys();
    if (byAddress.size > bounds.maxAddresses && oldest !== undefined) byAddress.delete(oldest);
    if (burst.size === 0) {
      const tell = () => tellOf(burst, log);
      clock.sleep(bounds.burstMs, closing.signal).then(tell, tell);
    }
    if (burst.size < bounds.maxAddresses || burst.has(address)) burst.set(address, (burst.get(address) ?? 0) + 1);
  };

  return {
    /** The answer, once it is time to give it; after `enough` the connection has to end. */
    async judge({ connection, address, isLoopback, isRight, gone }: Attempt): Promise<GuessAnswer> {
      if (!isLoopback && countOf(address) >= bounds.maxPerAddress) return 'enough';
      if (!isRight) {
        remember(address);
        byConnection.set(connection, (byConnection.get(connection) ?? 0) + 1);
      }
      const count = countOf(address);
      if (count > 0) {
        const doubled = Math.min(bounds.maxDelayMs, bounds.firstDelayMs * 2 ** Math.min(count - 1, 30));
        // An old secret in some program of this machine must not make its owner wait long each time.
        const delayMs = isRight ? bounds.firstDelayMs : doubled;
        await clock.sleep(delayMs, gone).catch(() => {});
      }
      if (isRight) return 'right';
      return (byConnection.get(connection) ?? 0) >= bounds.maxPerConnection ? 'enough' : 'wrong';
    },
    leave: (connection: string): void => void byConnection.delete(connection),
    /** Tells what has not been told yet. */
    close: (): void => closing.abort(),
  };
}

function tellOf(burst: Map<string, number>, log: Log): void {
  const all = [...burst].toSorted(([, a], [, b]) => b - a);
  burst.clear();
  for (const [address, guesses] of all.slice(0, MOST_LINES)) {
    log.warn({ address, guesses }, 'wrong secrets were tried on the SMTP listener');
  }
  const rest = all.slice(MOST_LINES);
  if (rest.length === 0) return;
  const guesses = rest.reduce((sum, [, count]) => sum + count, 0);
  log.warn({ addresses: rest.length, guesses }, 'wrong secrets were tried on the SMTP listener from more addresses');
}

/**
 * Why a mail's bytes were not kept: too many of them, too many of all mails together just now, too slow while others
 * needed the room, or not ended in time.
 */
type NotCollected = 'too_large' | 'no_room' | CutOff;
type CutOff = 'too_slow' | 'too_late';

export type Collected<Result> =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly why: NotCollected };

interface CollectBounds extends RoomBounds {
  /** Limit on one mail. */
  readonly maxBytes: number;
  /** From DATA to the final dot, for mail in several pieces: a byte now and then keeps a connection from being idle. */
  readonly dataMs: number;
  /** Rate of all large mails of strangers together. */
  readonly bytesPerSecond: number;
}

const FIRST_ROOM = 4 * 1024;
const GROWS_IN_PLACE_BYTES = 1024 * 1024;
/** Passed to `abort`, which otherwise makes an error with a stack each time. */
const OVER = 'the mail is here, or is not going to come';

/**
 * Reads mails into memory, each up to `maxBytes` and all together up to what `decideRoom` says: anybody may open
 * hundreds of connections and stop before the final dot. What is too much is read and dropped, so that the client
 * hears an answer and not a reset; who is too slow or too late is `cut` off. Rejects when the stream breaks or `use`
 * does.
 */
export function createCollector(
  bounds: CollectBounds,
  { clock, cut }: { clock: Clock; cut(id: string, why: CutOff): void },
) {
  const pace = createPace({ bytesPerSecond: bounds.bytesPerSecond, clock });
  /** Each with what ends it. */
  const transfers = new Map<Transfer, (why: CutOff) => void>();
  const askFor = (more: number, asking: Transfer): boolean => {
    const decision = decideRoom(asking, more, { all: transfers.keys(), bounds, now: clock.now() });
    if (decision.grant) for (const one of decision.leaving) transfers.get(one)?.('too_slow');
    return decision.grant;
  };

  /** `use` gets the whole mail. When it has settled, the memory is freed and the bytes are gone for whoever still has them. */
  const collect = async <Result>(
    stream: Readable,
    sender: Pick<Transfer, 'id' | 'address' | 'isTrusted'>,
    use: (raw: Uint8Array) => Promise<Result>,
  ): Promise<Collected<Result>> => {
    const transfer: Transfer = { ...sender, beganAt: clock.now(), bytes: 0, held: 0, isArriving: true };
    const mail = growingBuffer(transfer, bounds.maxBytes, (more) => askFor(more, transfer));
    const cutOff = (why: CutOff) => {
      mail.drop(why);
      cut(sender.id, why);
      // Nobody waits for the socket: what this held is free now.
      stream.destroy();
    };
    transfers.set(transfer, cutOff);
    let limit: AbortController | null = null;
    const startLimit = (): AbortController => {
      const ended = new AbortController();
      const left = transfer.beganAt + bounds.dataMs - clock.now();
      clock.sleep(left, ended.signal).then(
        () => cutOff('too_late'),
        () => {},
      );
      return ended;
    };
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        const before = transfer.bytes;
        mail.add(chunk);
        // Most mails are one piece, and whoever sends no second one is soon idle.
        if (before === 0) continue;
        limit ??= startLimit();
        if (!transfer.isTrusted) await pace(chunk.length, before, limit.signal);
      }
      limit?.abort(OVER);
      const why = mail.dropped();
      if (why !== null) return { ok: false, why };
      transfer.isArriving = false;
      return { ok: true, result: await use(mail.bytes()) };
    } catch (error) {
      const why = mail.dropped();
      if (why === 'too_slow' || why === 'too_late') return { ok: false, why };
      throw error;
    } finally {
      limit?.abort(OVER);
      transfers.delete(transfer);
      mail.free();
    }
  };
  return { collect, heldBytes: () => [...transfers.keys()].reduce((sum, { held }) => sum + held, 0) };
}

/**
 * One growing piece and no list of pieces: a mail of dotted lines arrives in millions of them.
 *
 * A large one grows in place and goes back to the system in `free`. While each doubling was a piece of its own, the old
 * ones and the mails before lay about until somebody collected garbage, and malloc kept what they left behind: three
 * mails of 25 MB made the process 200 MB larger.
 */
function growingBuffer(transfer: Transfer, maxBytes: number, askFor: (more: number) => boolean) {
  let room = roomOf(0, 0);
  let why: NotCollected | null = null;
  const resize = (size: number) => {
    if (room.buffer.resizable) {
      room.buffer.resize(size);
      room = new Uint8Array(room.buffer, 0, size);
    } else {
      const next = roomOf(size, maxBytes);
      next.set(room.subarray(0, transfer.bytes));
      room = next;
    }
    transfer.held = size;
  };
  /** Nobody may read it any more. */
  const free = () => {
    room.buffer.transferToFixedLength(0);
    room = roomOf(0, 0);
    transfer.held = 0;
  };
  const drop = (reason: NotCollected) => {
    why = reason;
    free();
  };
  const isDropped = () => why !== null;
  const makeRoom = (needed: number) => {
    if (needed > maxBytes) return drop('too_large');
    const size = Math.min(maxBytes, Math.max(FIRST_ROOM, 2 * room.length, needed));
    const isGranted = askFor(size - room.length);
    // The slowest of all may have been this one.
    if (isDropped()) return;
    if (isGranted) resize(size);
    else drop('no_room');
  };
  return {
    add(chunk: Buffer): void {
      const needed = transfer.bytes + chunk.length;
      if (!isDropped() && needed > room.length) makeRoom(needed);
      if (!isDropped()) room.set(chunk, transfer.bytes);
      transfer.bytes = needed;
    },
    drop,
    free,
    dropped: (): NotCollected | null => (why === 'no_room' && transfer.bytes > maxBytes ? 'too_large' : why),
    bytes: (): Uint8Array => room.subarray(0, transfer.bytes),
  };
}

/** What grows in place takes addresses for the largest mail, which most mail is not worth. */
const roomOf = (size: number, maxBytes: number): Uint8Array<ArrayBuffer> =>
  size <= GROWS_IN_PLACE_BYTES
    ? new Uint8Array(size)
    : new Uint8Array(new ArrayBuffer(size, { maxByteLength: maxBytes }), 0, size);

type Connection = Pick<Server['connections'] extends Set<infer One> ? One : never, '_parseAddressCommand'>;

/** What stands around and inside the brackets of MAIL or RCPT. */
interface Path {
  readonly command: string;
  readonly address: string;
  /** The parameters, with the blank before them. */
  readonly rest: string;
}

/** RFC 5321 section 4.5.3.1.3 allows 256; what a sender is rewritten to may be longer. */
const MAX_PATH = 1000;
/** With control characters a line could be forged in a log or a header; letters that nobody sees are no address. */
const UNSAFE = /[\p{Cc}\u200b\u2060\ufeff]/u;
/** The library reads the parameters behind it. */
const STAND_IN = 'odd@sender.invalid';

/**
 * The library answers 501 to a quoted local part, also where it means a mailbox that is here (RFC 5321 section 4.1.2), and
 * to envelope senders that other servers let through; a relay would send a bounce to a real person. So such a recipient
 * is read as what it means, and such a sender is taken as it stands: whoever judges the mail sees it.
 */
function takeOddPaths(connection: Connection): void {
  const parse = connection._parseAddressCommand.bind(connection);
  connection._parseAddressCommand = (name, written) =>
    parse(name, written) || parseOdd(parse, name, written.toString());
}

function parseOdd(parse: Connection['_parseAddressCommand'], name: string, written: string) {
  const path = readPath(written);
  if (path === null) return false;
  const isSender = name === 'mail from';
  const address = isSender ? path.address : normaliseAddress(path.address);
  if (address === null) return false;
  const parsed = parse(name, `${path.command}:<${isSender ? STAND_IN : address}>${path.rest}`);
  return parsed && { ...parsed, address };
}

function readPath(written: string): Path | null {
  const colon = written.indexOf(':');
  const start = written.slice(0, colon + 10).indexOf('<', colon);
  if (colon < 0 || start < 0 || written.slice(colon + 1, start).trim() !== '') return null;
  const end = endOfPath(written, start + 1);
  const address = written.slice(start + 1, end);
  const rest = written.slice(end + 1);
  if (end < 0 || address === '' || address.length > MAX_PATH || UNSAFE.test(address)) return null;
  return rest === '' || rest.startsWith(' ') ? { command: written.slice(0, colon), address, rest } : null;
}

/** Where the bracket closes, outside of quotation marks; -1 where it does not. */
function endOfPath(written: string, start: number): number {
  let isQuoted = false;
  for (let at = start; at < written.length; at += 1) {
    const sign = written[at];
    if (sign === '\\' && isQuoted) at += 1;
    else if (sign === '"') isQuoted = !isQuoted;
    else if (sign === '>' && !isQuoted) return at;
  }
  return -1;
}

/** The beginning of each mail, and so most mails, is never slowed. */
const FREE_BYTES = 1024 * 1024;
/** What may come at once after a time of rest, in ms of the rate. */
const BURST_MS = 250;

/**
 * How fast the large mails of strangers come in, all of them together: each byte costs the one thread that answers
 * everybody. Who waits is not read from, so his own server waits.
 */
export function createPace({ bytesPerSecond, clock }: { bytesPerSecond: number; clock: Clock }) {
  let freeAt = 0;
  /** Resolves when the next `bytes` may be read of a mail of which `before` were. Rejects when aborted. */
  return async (bytes: number, before: number, signal: AbortSignal): Promise<void> => {
    if (before + bytes <= FREE_BYTES) return;
    const now = clock.now();
    freeAt = Math.max(freeAt, now - BURST_MS) + (bytes / bytesPerSecond) * 1000;
    if (freeAt > now) await clock.sleep(freeAt - now, signal);
  };
}

/** A mail on its way in, and what it takes of the room for all of them. */
interface Transfer {
  /** The connection it comes through. */
  readonly id: string;
  /** The address whose share it counts against; see `countedAs`. */
  readonly address: string;
  /** Submission, or a trusted relay. */
  readonly isTrusted: boolean;
  /** When it was told to go on (354). */
  readonly beganAt: number;
  /** Read so far. */
  bytes: number;
  /** Memory that it holds. */
  held: number;
  /** False once its final dot is there: from then on the delay is ours. */
  isArriving: boolean;
}

interface RoomBounds {
  /** For mails of strangers, together. */
  readonly maxHeldBytes: number;
  /** The part of it that only small mails get: a few large ones must not keep everybody's letters out. */
  readonly forSmallBytes: number;
  /** On top of that, for submission and trusted relays alone. */
  readonly reservedBytes: number;
  /** For mails of one stranger's address, together. */
  readonly maxHeldBytesPerAddress: number;
  /** A transfer so young is not judged by its speed. */
  readonly graceMs: number;
}

type RoomDecision = { readonly grant: true; readonly leaving: readonly Transfer[] } | { readonly grant: false };

/** Most mail is smaller. */
const SMALL_BYTES = 1024 * 1024;

/**
 * Whether `asking` may hold `more` bytes, and who has to leave for that: the slowest strangers, which may be `asking`
 * itself. Who trickles would otherwise keep everybody's mail out for as long as he likes. Nobody leaves when that
 * would not make enough room. Pure.
 */
export function decideRoom(
  asking: Transfer,
  more: number,
  { all, bounds, now }: { all: Iterable<Transfer>; bounds: RoomBounds; now: number },
): RoomDecision {
  const held = { all: 0, strangers: 0, address: 0 };
  const slow: Transfer[] = [];
  for (const one of all) {
    held.all += one.held;
    if (one.isTrusted) continue;
    held.strangers += one.held;
    if (one.address === asking.address) held.address += one.held;
    if (one.isArriving && one.held > 0 && now - one.beganAt >= bounds.graceMs) slow.push(one);
  }
  if (!asking.isTrusted && held.address + more > bounds.maxHeldBytesPerAddress) return { grant: false };
  const overAll = held.all + more - bounds.maxHeldBytes - bounds.reservedBytes;
  const isSmall = asking.held + more <= SMALL_BYTES;
  const forStrangers = bounds.maxHeldBytes - (isSmall ? 0 : bounds.forSmallBytes);
  let missing = asking.isTrusted ? overAll : Math.max(overAll, held.strangers + more - forStrangers);
  const leaving: Transfer[] = [];
  slow.sort((a, b) => speed(a, now) - speed(b, now));
  for (const one of slow) {
    if (missing <= 0) break;
    leaving.push(one);
    if (one === asking) return { grant: true, leaving };
    missing -= one.held;
  }
  return missing <= 0 ? { grant: true, leaving } : { grant: false };
}

const speed = ({ bytes, beganAt }: Transfer, now: number): number => bytes / Math.max(1, now - beganAt);
