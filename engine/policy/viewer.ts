import type { Tier, Viewer } from '../storage/types/mail.ts';
import type { StoredRun } from '../storage/types/runs.ts';

/** The person for whom a run's calls were made; null: an owner. */
export type Asker = { readonly address: string; readonly tier: Tier } | null;

type Principal = Pick<StoredRun, 'sender' | 'tier' | 'thread_id'>;

/**
 * With whose eyes a run looks at mail. An owner sees all. Anybody else sees what they sent and what was addressed to
 * them; somebody who is only known on a thread, of that thread alone. An address that nobody proved is nobody's eyes:
 * whoever writes under it would read what is its holder's.
 */
export function viewerOf({ sender, tier, thread_id }: Principal): Viewer {
  if (tier === 'owner') return null;
  return { address: provenSender({ sender, tier }), threadId: tier === 'known' ? thread_id : null };
}

export const askerOf = (run: Pick<Principal, 'sender' | 'tier'>): Asker =>
  run.tier === 'owner' ? null : { address: provenSender(run), tier: run.tier };

const provenSender = ({ sender, tier }: Pick<Principal, 'sender' | 'tier'>): string =>
  tier === 'unauthenticated' ? '' : (sender ?? '');
