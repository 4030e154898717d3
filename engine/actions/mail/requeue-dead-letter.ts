import { rmSync } from 'node:fs';
import type { LiveConfig } from '../../config/live/live.ts';
import { placeKey, sha256 } from '../../lib/ids.ts';
import type { GatewayStore } from '../../storage/ports/gateway.ts';
import type { DeadLetter, RefusedMail, SeenMail } from '../../storage/types/gateway.ts';
import { isRefusal, type Refusal, refusal } from '../refusal.ts';
import { letGo as letKeptGo, type TakenInAgain } from './retry-mail.ts';

interface RequeuePorts {
  readonly gateway: Pick<GatewayStore, 'seenByMessageId' | 'removeDeadLetter' | 'listDeadLetters' | 'removeRefused'>;
  readonly live: Pick<LiveConfig, 'current' | 'personas'>;
  /** As if an IMAP mailbox held it. `authservId`: the border server whose word on the sender counts there. */
  takeIn(mail: {
    raw: Uint8Array;
    authservId: string | null;
    recipients: readonly string[] | null;
  }): Promise<TakenInAgain>;
  /** As if it came now, by the door by which it came. */
  takeInKept(mail: RefusedMail): Promise<TakenInAgain>;
  /** Fetches it from where it lies, by its UID, and takes it in if that is it. */
  fetchAndTakeIn(place: SeenMail, isIt: (raw: Uint8Array) => boolean): Promise<TakenInAgain | Refusal>;
}

export interface Requeued extends TakenInAgain {
  /** The mail is with its personas; false: the dead letter is still there. */
  readonly isDone: boolean;
}

/**
 * Takes a dead letter in once more, and with no more rights than it had: by the door by which it came, while that is known. Later
 * who wrote it must be proven by the mail itself, or by the border server of the mailbox it lay in.
 */
export async function requeueDeadLetter(
  { gateway, live, takeIn, takeInKept, fetchAndTakeIn }: RequeuePorts,
  { letter, raw, kept }: { letter: DeadLetter; raw: Uint8Array | null; kept: RefusedMail | null },
): Promise<Requeued | Refusal> {
  if (kept !== null) {
    const requeued = await letGo(gateway, letter, await takeInKept(kept));
    if (requeued.isDone) await letKeptGo(gateway, kept, requeued);
    return requeued;
  }
  // Of one that is too large only the head was loaded.
  const isHead = letter.code === 'message_too_large';
  if (!raw || isHead) {
    const place = placeOf(letter, await gateway.seenByMessageId(letter.message_id));
    if (!place && isHead)
      return refusal('message_too_large', 'only its headers were loaded; raise the limit and let it be sent again');
    if (!place) return refusal('not_found', 'its source was not kept, so it cannot be taken in again');
    // Of a letter that has its id by its place nothing but that is known.
    const isIt = (found: Uint8Array) =>
      isAtPlace(letter, place) || (raw && isHead ? beginsWith(found, raw) : isOfLetter(letter, sha256(found)));
    const fetched = await fetchAndTakeIn(place, isIt);
    return isRefusal(fetched) ? fetched : letGo(gateway, letter, fetched);
  }
  const entry = letter.persona_id === null ? undefined : live.personas().get(letter.persona_id);
  const recipients = entry?.state === 'ready' ? [entry.persona.address] : null;
  const taken = await takeIn({ raw, authservId: await borderOf({ gateway, live }, letter), recipients });
  return letGo(gateway, letter, taken);
}

const beginsWith = (whole: Uint8Array, head: Uint8Array): boolean =>
  Buffer.from(whole.subarray(0, head.byteLength)).equals(head);

async function letGo(gateway: RequeuePorts['gateway'], letter: DeadLetter, taken: TakenInAgain): Promise<Requeued> {
  const isDone = taken.results.every(({ decision }) => !['dead_letter', 'deferred', 'refused'].includes(decision));
  if (isDone) {
    await gateway.removeDeadLetter(letter.id);
    if (letter.raw_path !== null && !(await isShared(gateway, letter))) rmSync(letter.raw_path, { force: true });
  }
  return { ...taken, isDone };
}

async function borderOf(
  { gateway, live }: Pick<RequeuePorts, 'gateway' | 'live'>,
  letter: DeadLetter,
): Promise<string | null> {
  const own = ownRowsOf(letter, await gateway.seenByMessageId(letter.message_id));
  const [mailbox, ...others] = new Set(own.map((row) => row.mailbox));
  // Where two may be meant, the border of one must not vouch for what lay in the other, or came by no mailbox at all.
  if (others.length > 0) return null;
  return live.current().gateway.mailboxes.find(({ id }) => id === mailbox)?.imap?.authserv_id ?? null;
}

/**
 * Pure. Of the rows of a Message-ID those that may be of the letter: whoever writes a mail chooses its Message-ID, so another one's
 * may stand beside them.
 */
export const ownRowsOf = (letter: DeadLetter, seen: readonly SeenMail[]): readonly SeenMail[] =>
  seen.filter(
    ({ direction, decision, persona_id, kept_sha256: kept }) =>
      direction === 'in' &&
      decision === 'dead_letter' &&
      persona_id === letter.persona_id &&
      (kept === null || isOfLetter(letter, kept)),
  );

/** Pure. A letter has its id by the hash of its bytes, or of the place where they lay. */
export const isOfLetter = ({ id }: Pick<DeadLetter, 'id'>, hash: string): boolean => id.startsWith(hash.slice(0, 40));

/** Pure. The letter that a row is of, among all, newest first: its letter was there just before it. */
export function letterOf(row: SeenMail, letters: readonly DeadLetter[]): DeadLetter | undefined {
  const may = letters.filter(
    (one) => one.message_id === row.message_id && ownRowsOf(one, [row]).length > 0 && one.at <= row.received_at,
  );
  return may.find((one) => isAtPlace(one, row)) ?? may[0];
}

/** Pure. Where the letter lies, by its newest row: a folder that was numbered anew has offered it again. */
function placeOf(letter: DeadLetter, seen: readonly SeenMail[]): SeenMail | undefined {
  const placed = ownRowsOf(letter, seen).filter(({ uid }) => uid !== null);
  return placed.findLast((row) => isAtPlace(letter, row)) ?? placed.at(-1);
}

const isAtPlace = (letter: DeadLetter, { mailbox, uidvalidity, uid }: SeenMail): boolean =>
  mailbox !== null &&
  uidvalidity !== null &&
  uid !== null &&
  isOfLetter(letter, placeKey({ mailbox, uidvalidity, uid }));

/** One mail to two personas is two letters with one source. */
async function isShared(gateway: RequeuePorts['gateway'], letter: DeadLetter): Promise<boolean> {
  const others = await gateway.listDeadLetters({ limit: 1000 });
  return others.some(({ id, raw_path }) => id !== letter.id && raw_path === letter.raw_path);
}
