import type { Readable } from 'node:stream';
import type { SMTPServer } from 'smtp-server';
import type { Clock } from '../../lib/clock.ts';
import { normaliseAddress } from '../../mail/mime/address.ts';

/**
 * Why a mail's bytes were not kept: too many of them, too many of all mails together just now, too slow while others
 * needed the room, or not ended in time.
 */
export type NotCollected = 'too_large' | 'no_room' | CutOff;
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

type Connection = Pick<SMTPServer['connections'] extends Set<infer One> ? One : never, '_parseAddressCommand'>;

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
export function takeOddPaths(connection: Connection): void {
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
