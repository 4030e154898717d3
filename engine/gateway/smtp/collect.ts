import type { Readable } from 'node:stream';
import type { Clock } from '../../lib/clock.ts';
import { decideRoom, type RoomBounds, type Transfer } from './incoming-room.ts';
import { createPace } from './pace.ts';

/**
 * Why a mail's bytes were not kept: too many of them, too many of all mails together just now, too slow while others
 * needed the room, or not ended in time.
 */
export type NotCollected = 'too_large' | 'no_room' | CutOff;
export type CutOff = 'too_slow' | 'too_late';

export type Collected<Result> =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly why: NotCollected };

export interface CollectBounds extends RoomBounds {
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
