import { EngineError } from '#contract';
import type { Clock } from '../../lib/clock.ts';
import { isClosed } from '../../memory/threads/closing-shown.ts';
import type { Store } from '../../storage/ports/store.ts';

/**
 * Makes a thread private: nothing of it is found in searches or recalled, and what was remembered of it is forgotten. `off`
 * takes that back while the thread is open; throws `usage` afterwards, `not_found` without such a thread. `closeAfterDays`: how
 * long a thread is open without mail.
 */
export async function setPrivate(
  { store, clock, closeAfterDays }: { readonly store: Store; readonly clock: Clock; readonly closeAfterDays: number },
  { id, off }: { readonly id: string; readonly off: boolean },
): Promise<void> {
  const thread = await store.getThread(id);
  if (!thread) throw new EngineError('not_found', `no thread has the id ${id}; see \`epistle threads list\``);
  const closed = isClosed(thread, { now: clock.now(), afterDays: closeAfterDays });
  if (off && thread.private_since !== null && closed) {
    const days = `${closeAfterDays} days`;
    throw new EngineError('usage', `this thread had no mail for ${days}; what was private in it stays private`);
  }
  await store.setThreadPrivate(id, off ? null : clock.now());
}
