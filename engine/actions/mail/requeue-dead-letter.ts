import { rmSync } from 'node:fs';
import type { LiveConfig } from '../../config/live/live.ts';
import type { GatewayStore } from '../../storage/ports/gateway.ts';
import type { DeadLetter, RefusedMail, SeenMail } from '../../storage/types/gateway.ts';
import { isRefusal, type Refusal, refusal } from '../refusal.ts';

/** What became of the mail, by recipient. */
export interface TakenInAgain {
  readonly messageId: string;
  readonly results: readonly {
    readonly recipient: string | null;
    readonly persona: string | null;
    readonly decision: string;
    readonly code: string | null;
    readonly runId: string | null;
    readonly threadId: string | null;
  }[];
}

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
  /** Fetches it from where it lies, by its UID, and takes it in. */
  fetchAndTakeIn(place: SeenMail): Promise<TakenInAgain | Refusal>;
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
    if (requeued.isDone) await gateway.removeRefused(kept.raw_sha256);
    return requeued;
  }
  // Of one that is too large only the head was loaded.
  const isHead = letter.code === 'message_too_large';
  if (!raw || isHead) {
    const place = (await gateway.seenByMessageId(letter.message_id)).findLast(({ uid }) => uid !== null);
    if (!place && isHead)
      return refusal('message_too_large', 'only its headers were loaded; raise the limit and let it be sent again');
    if (!place) return refusal('not_found', 'its source was not kept, so it cannot be taken in again');
    const fetched = await fetchAndTakeIn(place);
    return isRefusal(fetched) ? fetched : letGo(gateway, letter, fetched);
  }
  const entry = letter.persona_id === null ? undefined : live.personas().get(letter.persona_id);
  const recipients = entry?.state === 'ready' ? [entry.persona.address] : null;
  const taken = await takeIn({ raw, authservId: await borderOf({ gateway, live }, letter), recipients });
  return letGo(gateway, letter, taken);
}

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
  const seen = await gateway.seenByMessageId(letter.message_id);
  const mailbox = seen.find((row) => row.mailbox !== null)?.mailbox;
  return live.current().gateway.mailboxes.find(({ id }) => id === mailbox)?.imap?.authserv_id ?? null;
}

/** One mail to two personas is two letters with one source. */
async function isShared(gateway: RequeuePorts['gateway'], letter: DeadLetter): Promise<boolean> {
  const others = await gateway.listDeadLetters({ limit: 1000 });
  return others.some(({ id, raw_path }) => id !== letter.id && raw_path === letter.raw_path);
}
