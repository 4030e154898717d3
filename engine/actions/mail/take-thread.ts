import { EngineError } from '#contract';
import { noThread } from '../../storage/ports/not-found.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { AuditRecord } from '../../storage/types/approvals.ts';
import { rowOf } from '../on-record.ts';

/** Who does it, when, and under which id it stands in the audit log. */
interface Act {
  readonly id: string;
  /** An address, or `cli`. */
  readonly by: string;
  readonly at: number;
}

/** Which of the two it was, on record. */
export const auditOfTaking = (
  { id, by, at }: Act,
  event: 'thread_taken' | 'thread_given',
  detail: { readonly thread_id: string; readonly message_id?: string },
): AuditRecord => rowOf({ id, at, actor: by, event, detail });

/**
 * A person answers in the thread from now on, and the persona does not; `give` takes that back. The same a second time changes
 * nothing. Throws `not_found` without such a thread, `usage` for one that a task writes to.
 */
export async function takeThread(
  store: Pick<Store, 'getThread' | 'setThreadTaken'>,
  threadId: string,
  act: Act & { readonly give: boolean },
): Promise<void> {
  const thread = await store.getThread(threadId);
  if (!thread || thread.kind === 'test') throw noThread(threadId);
  if (thread.kind === 'task') throw new EngineError('usage', 'a task writes to this thread, and nobody to the persona');
  const { by, at, give } = act;
  const audit = auditOfTaking(act, give ? 'thread_given' : 'thread_taken', { thread_id: threadId });
  await store.setThreadTaken(threadId, give ? null : { by, at }, audit);
}
