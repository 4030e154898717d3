import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';

export interface Ids {
  /** UUIDv7 (RFC 9562): sorts by time, also within one millisecond of one process. */
  next(): string;
  /** Random bytes in lower-case hex. */
  random(bytes: number): string;
}

export function randomIds(now: () => number): Ids {
  let lastMs = 0;
  let counter = 0;
  // Asking the system for eight bytes takes as long as asking it for a thousand.
  let pool = Buffer.alloc(0);
  const take = (bytes: number): Buffer => {
    if (pool.length < bytes) pool = randomBytes(1024);
    const taken = pool.subarray(0, bytes);
    pool = pool.subarray(bytes);
    return taken;
  };
  return {
    next() {
      const ms = Math.max(now(), lastMs);
      counter = ms === lastMs ? counter + 1 : (take(1)[0] ?? 0);
      // 12 bits count within a millisecond (RFC 9562, method 1); past that, borrow the next millisecond.
      lastMs = counter > 0xfff ? ms + 1 : ms;
      if (counter > 0xfff) counter = 0;
      const time = lastMs.toString(16).padStart(12, '0');
      const random = take(8);
      random[0] = ((random[0] ?? 0) & 0x3f) | 0x80;
      const tail = random.toString('hex');
      return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, '0')}-${tail.slice(0, 4)}-${tail.slice(4)}`;
    },
    random: (bytes) => randomBytes(bytes).toString('hex'),
  };
}

/** A UUIDv7 that is the same for the same time and seed: for rows that a transaction makes by itself. */
export function derivedId(at: number, seed: string): string {
  const time = at.toString(16).padStart(12, '0');
  const digest = sha256(`${at} ${seed}`);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${digest.slice(0, 3)}-8${digest.slice(3, 6)}-${digest.slice(6, 18)}`;
}

/** No UUIDv7 of that time or later sorts before it. */
export function earliestId(at: number): string {
  const time = Math.max(0, at).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

export const sha256 = (bytes: Uint8Array | string): string => hash('sha256', bytes);

/** What names a place in a mailbox; UIDVALIDITY as text. */
export const placeKey = (place: {
  readonly mailbox: string;
  readonly uidvalidity: string;
  readonly uid: number;
}): string => sha256(`${place.mailbox}/${place.uidvalidity}/${place.uid}`);

const MARKED = /^<([0-9a-f-]{36})\.([0-9a-f]{32})@[^@<>]*>$/;

const markOf = (what: string, id: string, secret: string): Buffer =>
  createHmac('sha256', secret).update(`${what} ${id}`).digest();

interface Marked {
  readonly id: string;
  readonly domain: string;
  readonly secret: string;
}

const markedId = (what: string, { id, domain, secret }: Marked): string =>
  `<${id}.${markOf(what, id, secret).toString('hex').slice(0, 32)}@${domain}>`;

/** `secret` is asked for only where the Message-ID looks like one. */
function isMarked(what: string, messageId: string, secret: () => string): boolean {
  const [, id = '', mark = ''] = MARKED.exec(messageId) ?? [];
  return id !== '' && timingSafeEqual(Buffer.from(mark, 'hex'), markOf(what, id, secret()).subarray(0, 16));
}

/**
 * The Message-ID of a line of `chat`, whose answer is shown in the terminal and mailed to nobody. Only who knows the
 * secret of the workspace can make one, so no mail from outside keeps its answer from leaving.
 */
export const chatMessageId = (marked: Marked): string => markedId('chat', marked);

export const isChatMessageId = (messageId: string, secret: () => string): boolean =>
  isMarked('chat', messageId, secret);

/** The Message-ID of a mail that lets an owner into the console, by which it is known again wherever it comes back. */
export const logInMessageId = (marked: Marked): string => markedId('log in', marked);

export const isLogInMessageId = (messageId: string, secret: string): boolean =>
  isMarked('log in', messageId, () => secret);
