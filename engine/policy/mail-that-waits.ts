import { addressKey } from '../mail/mime/address.ts';
import type { Store } from '../storage/ports/store.ts';
import { type Approval, argumentsOf } from '../storage/types/approvals.ts';
import type { StoredRun } from '../storage/types/runs.ts';

const MOST = 50;

/**
 * Mails to whoever wrote the mail of a run that owners have not agreed to yet, and that somebody else wants to be sent: what is to
 * stand in them is not decided. Of an owner none, who is asked, and of nobody whose address is a claim.
 */
export async function mailThatWaits(
  { sender, tier }: Pick<StoredRun, 'sender' | 'tier'>,
  store: Pick<Store, 'pendingApprovals' | 'getRun'>,
): Promise<readonly Approval[]> {
  const key = addressKey(sender ?? '');
  if (key === null || tier === 'owner' || tier === 'unauthenticated') return [];
  const found: Approval[] = [];
  for (const one of await store.pendingApprovals(MOST)) {
    if (!recipientsIn(one).some((address) => addressKey(address) === key)) continue;
    const asked = await store.getRun(one.run_id);
    if (addressKey(asked?.sender ?? '') !== key) found.push(one);
  }
  return found;
}

function recipientsIn(approval: Approval): readonly string[] {
  const { to, cc } = argumentsOf(approval);
  return [to, cc].flat().flatMap((address) => (typeof address === 'string' ? [address] : []));
}

/** For the model of a run that answers them. Of what the mail says no word: an owner may say no to it. */
export const NOT_AGREED_YET =
  "A mail to the sender waits for an owner's yes, and may never be sent. Tell them nothing as settled that it may be about, such as a date that is to move, even where a file or a plan says so by now: say that you have asked, and nothing of that mail.";
