import { EngineError } from '#contract';
import type { Clock } from '../lib/clock.ts';
import type { Store } from '../storage/ports/store.ts';

/** After so long without mail a thread is over, and what was private in it stays so. */
const CLOSED_AFTER_MS = 14 * 86_400_000;

/**
 * Makes a thread private: nothing of it is found in searches or recalled, and what was remembered of it is forgotten. `off`
 * takes that back while the thread goes on; throws `usage` afterwards, `not_found` without such a thread.
 */
export async function setPrivate(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  { id, off }: { readonly id: string; readonly off: boolean },
): Promise<void> {
  const thread = await store.getThread(id);
  if (!thread) throw new EngineError('not_found', `no thread has the id ${id}; see \`epistle threads list\``);
  if (off && thread.private_since !== null && clock.now() - thread.updated_at > CLOSED_AFTER_MS) {
    throw new EngineError('usage', 'this thread had no mail for 14 days; what was private in it stays private');
  }
  await store.setThreadPrivate(id, off ? null : clock.now());
}
