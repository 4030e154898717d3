import type { Fact, FactReader } from '../../storage/types/facts.ts';
import type { StoredRun } from '../../storage/types/runs.ts';

/**
 * With whose eyes a run looks at what is remembered. A task has no sender: it is shown what everybody may be shown, since
 * others may read what it writes. An address that nobody proved is nobody's eyes.
 */
export function readerOf({
  kind,
  tier,
  sender,
  thread_id,
}: Pick<StoredRun, 'kind' | 'tier' | 'sender' | 'thread_id'>): FactReader {
  const isProven = tier !== 'unauthenticated' && tier !== 'stranger';
  return {
    address: kind === 'message' && isProven ? (sender ?? '').toLowerCase() : '',
    isOwner: kind === 'message' && tier === 'owner',
    threadId: thread_id,
  };
}

/** Owners may have all forgotten, anybody else what is about them or what they said, where they may be shown it. */
export function mayForget(
  { status, visibility, subject, said_by: by }: Fact,
  { address, isOwner }: FactReader,
): boolean {
  if (status === 'forgotten') return false;
  return isOwner || (address !== '' && visibility !== 'owner' && (subject === address || by === address));
}
