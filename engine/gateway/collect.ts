import type { Readable } from 'node:stream';

/** Why a mail's bytes were not kept: too many of them, or too many of all mails together just now. */
export type NotCollected = 'too_large' | 'no_room';

export type Collected<Result> =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly why: NotCollected };

const FIRST_ROOM = 16 * 1024;

/**
 * Reads mails into memory, each up to `maxBytes` and all together up to `maxHeldBytes`: anybody may open hundreds of
 * connections and stop before the final dot. What is too much is read and dropped, so that the client hears an answer
 * and not a reset. Rejects when the stream breaks or `use` does.
 */
export function createCollector({ maxBytes, maxHeldBytes }: { maxBytes: number; maxHeldBytes: number }) {
  let heldBytes = 0;

  /** `use` gets the whole mail; its memory counts as held until `use` has settled. */
  return async <Result>(stream: Readable, use: (raw: Uint8Array) => Promise<Result>): Promise<Collected<Result>> => {
    // One growing buffer and no list of pieces: a mail of dotted lines arrives in millions of them.
    let room = Buffer.alloc(0);
    let bytes = 0;
    let dropped = false;
    const resize = (size: number) => {
      heldBytes += size - room.length;
      const next = Buffer.allocUnsafeSlow(size);
      room.copy(next, 0, 0, Math.min(bytes, size));
      room = next;
    };
    const makeRoom = (needed: number) => {
      const size = Math.min(maxBytes, Math.max(FIRST_ROOM, 2 * room.length, needed));
      dropped = needed > maxBytes || heldBytes + size - room.length > maxHeldBytes;
      resize(dropped ? 0 : size);
    };
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        if (!dropped && bytes + chunk.length > room.length) makeRoom(bytes + chunk.length);
        if (!dropped) chunk.copy(room, bytes);
        bytes += chunk.length;
      }
      if (dropped) return { ok: false, why: bytes > maxBytes ? 'too_large' : 'no_room' };
      return { ok: true, result: await use(room.subarray(0, bytes)) };
    } finally {
      heldBytes -= room.length;
    }
  };
}
