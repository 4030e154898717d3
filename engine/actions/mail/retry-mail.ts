import type { GatewayStore } from '../../storage/ports/gateway.ts';
import type { RefusedMail, SeenMail } from '../../storage/types/gateway.ts';
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

/** What an owner asks for: the limit that the mail met at this persona does not stop it there again. */
export interface AskedTakingIn {
  readonly stoppedBy: string | null;
  /** Null: it came to none. */
  readonly persona: string | null;
}

interface RetryMailPorts {
  readonly gateway: Pick<GatewayStore, 'removeRefused' | 'seenByMessageId'>;
  /** As if it came now, by the door by which it came. */
  takeIn(mail: RefusedMail, asked: AskedTakingIn): Promise<TakenInAgain>;
  /** Fetches it from where it lies, by its UID, and takes it in; absent: only what is kept is taken in. */
  fetchAndTakeIn?(place: SeenMail, asked: AskedTakingIn): Promise<TakenInAgain | Refusal>;
}

export interface RetriedMail extends TakenInAgain {
  /** It is with the persona that it is asked about; false: it is refused there as before, and still kept. */
  readonly isDone: boolean;
}

/** Codes of mail that was taken in and is not answered, since too much came, or it has gone through too many hands. */
const LIMITS: readonly string[] = ['loop_limit', 'sender_rate_limited', 'hop_limit'];

/** Whether a mail that needs no answer has none since a limit was met. Pure. */
export const isLimit = (code: string | null): boolean => code !== null && LIMITS.includes(code);

/** Whether a limit alone keeps the mail from being answered. Pure. */
export const isStoppedByLimit = ({ decision, code }: { readonly decision: string; readonly code: string | null }) =>
  decision === 'recorded' && isLimit(code);

/** Whether `retryMail` may help: it was refused, or a limit stopped it. Pure. */
export const mayBeRetried = (row: { readonly decision: string; readonly code: string | null }): boolean =>
  row.decision === 'refused' || isStoppedByLimit(row);

/**
 * Takes a mail in once more that was refused or that a limit stopped, with no more rights than it has: access rules and
 * proof are looked at as they are now. Taken in a second time it is a duplicate, so it is answered once.
 */
export async function retryMail(
  { gateway, takeIn, fetchAndTakeIn }: RetryMailPorts,
  { row, kept }: { readonly row: SeenMail; readonly kept: RefusedMail | null },
): Promise<RetriedMail | Refusal> {
  const { decision } = row;
  if (!mayBeRetried(row)) return notToBeRetried(decision);
  const since = (await gateway.seenByMessageId(row.message_id)).filter(({ id }) => id > row.id);
  if (kept === null && since.some((one) => one.decision === 'accepted' && one.persona_id === row.persona_id)) {
    return refusal('wrong_state', `it was taken in since; see \`epistle why ${row.message_id}\``);
  }
  const asked = { stoppedBy: isStoppedByLimit(row) ? row.code : null, persona: row.persona_id };
  const isFetched = row.code === BEFORE_FIRST_CONNECT || row.code === TOO_MANY || asked.stoppedBy !== null;
  if (kept === null && fetchAndTakeIn && isFetched && row.uid !== null) {
    const fetched = await fetchAndTakeIn(row, asked);
    return isRefusal(fetched) ? fetched : { ...fetched, isDone: isTakenBy(fetched.results, row.persona_id) };
  }
  if (kept === null) return refusal('not_found', 'its source was not kept, so it has to be sent again');
  const taken = await takeIn(kept, asked);
  await letGo(gateway, kept, taken);
  return { ...taken, isDone: isTakenBy(taken.results, row.persona_id) };
}

/** Once the mail is with all of its personas it need not be kept; one that refuses it still may take it in later. */
export async function letGo(
  gateway: Pick<GatewayStore, 'removeRefused'>,
  { raw_sha256 }: Pick<RefusedMail, 'raw_sha256'>,
  { results }: Pick<TakenInAgain, 'results'>,
): Promise<void> {
  if (isTakenBy(results, null)) await gateway.removeRefused(raw_sha256);
}

type Results = TakenInAgain['results'];

/** What became of it for the persona; where it came to another one by now, or `persona` is null, for all. Pure. */
export function resultsAt(results: Results, persona: string | null): Results {
  const own = results.filter((one) => one.persona === persona);
  return persona === null || own.length === 0 ? results : own;
}

/** Whether the mail is with the persona, whatever others say to it; null: with all that it names. Pure. */
export const isTakenBy = (results: Results, persona: string | null): boolean =>
  resultsAt(results, persona).every(
    (one) => one.decision !== 'refused' && one.decision !== 'deferred' && !isStoppedByLimit(one),
  );

/** Listed and left in its mailbox. */
const BEFORE_FIRST_CONNECT = 'before_first_connect';
/** More of it may be read by now. */
const TOO_MANY = 'too_many_attachments';

/** What the settings that were changed can mend; what came before the first connect is taken in on request alone. */
const MENDED_BY_SETTINGS = ['auth_failed', 'sender_not_allowed', 'unknown_recipient'];

interface TakeUpPorts {
  readonly gateway: Pick<GatewayStore, 'keptRefusals' | 'keptRefusal' | 'removeRefused'>;
  /** As if it came now; `codes`: under which it was refused. */
  takeIn(mail: RefusedMail, codes: readonly string[]): Promise<TakenInAgain>;
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

export const notToBeRetried = (decision: SeenMail['decision']): Refusal =>
  refusal('wrong_state', `the mail is ${decision}; only one that was refused or stopped by a limit can be retried`);
