import type { GatewayStore } from '../../storage/ports/gateway.ts';
import type { RefusedMail, SeenMail } from '../../storage/types/gateway.ts';
import { isRefusal, type Refusal, refusal } from '../refusal.ts';
import type { TakenIn } from './requeue-dead-letter.ts';

export interface RetryMailPorts {
  readonly gateway: Pick<GatewayStore, 'removeRefused' | 'seenByMessageId'>;
  /** As if it came now, by the door by which it came. */
  takeIn(mail: RefusedMail): Promise<TakenIn>;
  /** Fetches it from where it lies, by its UID, and takes it in; absent: only what is kept is taken in. */
  fetchAndTakeIn?(place: SeenMail): Promise<TakenIn | Refusal>;
}

export interface RetriedMail extends TakenIn {
  /** It was taken in; false: it is refused as before, and still kept. */
  readonly isDone: boolean;
}

/**
 * Takes a refused mail in once more, with no more rights than it has: access rules and proof are looked at as they
 * are now. Taken in a second time it is a duplicate, so it is answered once.
 */
export async function retryMail(
  { gateway, takeIn, fetchAndTakeIn }: RetryMailPorts,
  { row, kept }: { readonly row: SeenMail; readonly kept: RefusedMail | null },
): Promise<RetriedMail | Refusal> {
  const { decision } = row;
  if (decision !== 'refused')
    return refusal('wrong_state', `the mail is ${decision}; only a refused one can be retried`);
  const since = (await gateway.seenByMessageId(row.message_id)).filter(({ id }) => id > row.id);
  if (kept === null && since.some((one) => one.decision === 'accepted' && one.persona_id === row.persona_id)) {
    return refusal('wrong_state', `it was taken in since; see \`epistle why ${row.message_id}\``);
  }
  if (kept === null && fetchAndTakeIn && row.code === BEFORE_FIRST_CONNECT && row.uid !== null) {
    const fetched = await fetchAndTakeIn(row);
    return isRefusal(fetched) ? fetched : { ...fetched, isDone: isTaken(fetched) };
  }
  if (kept === null) return refusal('not_found', 'its source was not kept, so it has to be sent again');
  const taken = await takeIn(kept);
  return { ...taken, isDone: await letGo(gateway, kept, taken) };
}

/** The mail is with its personas, so it need not be kept. */
async function letGo(
  gateway: Pick<GatewayStore, 'removeRefused'>,
  { raw_sha256 }: RefusedMail,
  { results }: TakenIn,
): Promise<boolean> {
  const isDone = isTaken({ results });
  if (isDone) await gateway.removeRefused(raw_sha256);
  return isDone;
}

const isTaken = ({ results }: Pick<TakenIn, 'results'>): boolean =>
  results.every(({ decision }) => decision !== 'refused' && decision !== 'deferred');

/** Listed and left in its mailbox. */
const BEFORE_FIRST_CONNECT = 'before_first_connect';

/** What the settings that were changed can mend; what came before the first connect is taken in on request alone. */
const MENDED_BY_SETTINGS = ['auth_failed', 'sender_not_allowed', 'unknown_recipient'];

export interface TakeUpPorts {
  readonly gateway: Pick<GatewayStore, 'keptRefusals' | 'keptRefusal' | 'removeRefused'>;
  /** As if it came now; `codes`: under which it was refused. */
  takeIn(mail: RefusedMail, codes: readonly string[]): Promise<TakenIn>;
}

/** Offers all refused mail once more that a change of the settings may have mended, oldest first. */
export async function takeUpRefused({ gateway, takeIn }: TakeUpPorts, stopping: AbortSignal): Promise<void> {
  for (const { rawSha256, codes } of await gateway.keptRefusals()) {
    if (stopping.aborted) return;
    if (!codes.some((code) => MENDED_BY_SETTINGS.includes(code))) continue;
    const kept = await gateway.keptRefusal(rawSha256);
    if (kept) await letGo(gateway, kept, await takeIn(kept, codes));
  }
}
