import { addressKey } from '../../mail/mime/address.ts';
import type { Store } from '../../storage/ports/store.ts';
import type { StoredMessage } from '../../storage/types/mail.ts';
import type { StoredRun } from '../../storage/types/runs.ts';

/**
 * The mail that a further one to the same people goes on from, by rows alone; null where it begins a thread of its own.
 * Its thread has to be one that a mail of ours began for the same asker, who is told there of what is answered, and each
 * recipient one whom we wrote to in it: a thread that others have a part in brings its answers to those.
 */
export async function earlierMail(
  {
    store,
    run,
  }: {
    readonly store: Pick<Store, 'messagesByMessageId' | 'getThread' | 'getRun' | 'knownParticipants'>;
    readonly run: Pick<StoredRun, 'kind' | 'sender' | 'thread_id'>;
  },
  { messageId, recipients }: { readonly messageId: string | undefined; readonly recipients: readonly string[] },
): Promise<StoredMessage | null> {
  if (messageId === undefined) return null;
  for (const message of await store.messagesByMessageId(bracketed(messageId))) {
    const begunBy = (await store.getThread(message.thread_id))?.begun_by_run ?? null;
    const begun = begunBy === null ? undefined : await store.getRun(begunBy);
    if (begun === undefined || !isSameAsker(begun, run)) continue;
    const known = await store.knownParticipants(message.thread_id);
    if (recipients.every((address) => known.has(addressKey(address) ?? ''))) return message;
  }
  return null;
}

/** Models leave the brackets of a Message-ID out. */
const bracketed = (messageId: string): string => `<${messageId.trim().replace(/^<|>$/g, '')}>`;

/** A task is known by the thread that all its runs share; without one each of its runs is for itself. */
const isSameAsker = (a: Pick<StoredRun, 'kind' | 'sender' | 'thread_id'>, b: typeof a): boolean =>
  a.kind === b.kind && (a.kind === 'task' ? a.thread_id === b.thread_id : a.sender !== null && a.sender === b.sender);
