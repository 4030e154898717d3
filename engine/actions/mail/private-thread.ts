import { EngineError } from '#contract';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { isClosed } from '../../memory/threads/closing-shown.ts';
import { noThread } from '../../storage/ports/not-found.ts';
import type { Store } from '../../storage/ports/store.ts';
import { actRow } from '../on-record.ts';

interface PrivatePorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly closeAfterDays: number;
}

/**
 * Makes a thread private: nothing of it is found in searches or recalled, and what was remembered of it is forgotten. `off`
 * takes that back while the thread is open; throws `usage` afterwards, `not_found` without such a thread. `closeAfterDays`: how
 * long a thread is open without mail. Who asked for it is on record.
 */
export async function setPrivateBy(
  { store, clock, ids, closeAfterDays }: PrivatePorts,
  { id, off }: { readonly id: string; readonly off: boolean },
  by: string,
): Promise<void> {
  const thread = await store.getThread(id);
  if (!thread || thread.kind === 'test') throw noThread(id);
  const closed = isClosed(thread, { now: clock.now(), afterDays: closeAfterDays });
  if (off && thread.private_since !== null && closed) {
    const days = `${closeAfterDays} days`;
    throw new EngineError('usage', `this thread had no mail for ${days}; what was private in it stays private`);
  }
  const told = actRow({ clock, ids }, { by, event: 'thread_private', detail: { thread_id: id, private: !off } });
  await store.setThreadPrivate(id, off ? null : clock.now(), [told]);
}
