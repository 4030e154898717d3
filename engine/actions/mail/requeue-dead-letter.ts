import { rmSync } from 'node:fs';
import type { LiveConfig } from '../../config/live/live.ts';
import type { GatewayStore } from '../../storage/ports/gateway.ts';
import type { DeadLetter, SeenMail } from '../../storage/types/gateway.ts';
import { isRefusal, type Refusal, refusal } from '../refusal.ts';

/** What became of the mail, by recipient. */
export interface TakenIn {
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

export interface RequeuePorts {
  readonly gateway: Pick<GatewayStore, 'seenByMessageId' | 'removeDeadLetter' | 'listDeadLetters'>;
  readonly live: Pick<LiveConfig, 'current' | 'personas'>;
  /** As if an IMAP mailbox held it. `authservId`: the border server whose word on the sender counts there. */
  takeIn(mail: { raw: Uint8Array; authservId: string | null; recipients: readonly string[] | null }): Promise<TakenIn>;
  /** Fetches it from where it lies, by its UID, and takes it in. */
  fetchAndTakeIn(place: SeenMail): Promise<TakenIn | Refusal>;
}

export interface Requeued extends TakenIn {
  /** The mail is with its personas; false: the dead letter is still there. */
  readonly isDone: boolean;
}

/**
 * Takes a dead letter in once more, and with no more rights than it had: who wrote it must be proven by the mail
 * itself, or by the border server of the mailbox it lay in.
 */
export async function requeueDeadLetter(
  { gateway, live, takeIn, fetchAndTakeIn }: RequeuePorts,
  { letter, raw }: { letter: DeadLetter; raw: Uint8Array | null },
): Promise<Requeued | Refusal> {
  // Of one that was too large only the headers were loaded.
  if (!raw || letter.code === 'message_too_large') {
    const place = (await gateway.seenByMessageId(letter.message_id)).findLast(({ uid }) => uid !== null);
    if (!place) return refusal('not_found', 'its source was not kept, so it cannot be taken in again');
    const fetched = await fetchAndTakeIn(place);
    return isRefusal(fetched) ? fetched : letGo(gateway, letter, fetched);
  }
  const entry = letter.persona_id === null ? undefined : live.personas().get(letter.persona_id);
  const recipients = entry?.state === 'ready' ? [entry.persona.address] : null;
  const taken = await takeIn({ raw, authservId: await borderOf({ gateway, live }, letter), recipients });
  return letGo(gateway, letter, taken);
}

async function letGo(gateway: RequeuePorts['gateway'], letter: DeadLetter, taken: TakenIn): Promise<Requeued> {
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
