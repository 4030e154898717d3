import type { RunInHand } from '../storage/ports/runs.ts';
import type { Tier, Viewer } from '../storage/types/mail.ts';

/** The person for whom a run's calls were made; null: an owner. */
export type Asker = { readonly address: string; readonly tier: Tier } | null;

type Principal = Pick<RunInHand, 'sender' | 'tier' | 'thread_id' | 'readers'>;

/**
 * With whose eyes a run looks at mail. An owner sees all. Anybody else sees what they sent and what was addressed to
 * them; somebody who is only known on a thread, of that thread alone. An address that nobody proved is nobody's eyes:
 * whoever writes under it would read what is its holder's. Where others get the answer as well, it is what all of them
 * may see, also for an owner, who chose them for this mail and not for every other.
 */
export function viewerOf({ sender, tier, thread_id, readers = [] }: Principal): Viewer {
  const [first, ...rest] = readers;
  if (tier === 'owner') return first === undefined ? null : { address: first, threadId: null, also: rest };
  const one = { address: provenSender({ sender, tier }), threadId: tier === 'known' ? thread_id : null };
  return first === undefined ? one : { ...one, also: readers };
}

/** Others than its sender and owners get the answer of the run. */
export const hasReaders = ({ readers = [] }: Pick<RunInHand, 'readers'>): boolean => readers.length > 0;

export const askerOf = (run: Pick<Principal, 'sender' | 'tier'>): Asker =>
  run.tier === 'owner' ? null : { address: provenSender(run), tier: run.tier };

const provenSender = ({ sender, tier }: Pick<Principal, 'sender' | 'tier'>): string =>
  tier === 'unauthenticated' ? '' : (sender ?? '');
