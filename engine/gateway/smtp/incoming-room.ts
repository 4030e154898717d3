/** A mail on its way in, and what it takes of the room for all of them. */
export interface Transfer {
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

export interface RoomBounds {
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

export type RoomDecision = { readonly grant: true; readonly leaving: readonly Transfer[] } | { readonly grant: false };

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
