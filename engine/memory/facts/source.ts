import { piecesOf, writtenIn } from '../../mail/pieces/pieces-of.ts';
import type { MailStore } from '../../storage/ports/mail.ts';
import type { StoredMessage } from '../../storage/types/mail.ts';
import type { StoredRun } from '../../storage/types/runs.ts';
import type { FactSource } from './decide.ts';
import { stretchOf } from './verbatim.ts';

/** Mails of the thread that are looked at for words of our own. */
const LOOKED_AT = 100;

type Reads = Pick<MailStore, 'messageById' | 'threadMessages' | 'knownParticipants'>;

/** The mail of a run as evidence; null where there is none any more. */
export async function sourceOf(
  run: Pick<StoredRun, 'message' | 'thread_id' | 'sender' | 'tier'>,
  store: Reads,
  given?: StoredMessage,
): Promise<FactSource | null> {
  const message = given ?? (await store.messageById(run.message));
  if (message?.direction !== 'in') return null;
  const thread = await store.threadMessages(run.thread_id, LOOKED_AT);
  const earlier = thread.filter(({ seq }) => seq < message.seq);
  const isOf = ({ from_address: from, tier }: StoredMessage) =>
    tier !== 'unauthenticated' && from?.toLowerCase() === run.sender?.toLowerCase();
  const named = [...message.to, ...message.cc, ...(await store.knownParticipants(run.thread_id))];
  return {
    message: message.id,
    messageId: message.message_id,
    threadId: run.thread_id,
    sentBy: run.sender ?? '',
    tier: run.tier,
    newText: writtenIn(message),
    at: message.received_at,
    ownWords: earlier.filter(({ direction }) => direction === 'out').map(({ text }) => text),
    othersWords: earlier.filter((mail) => mail.direction === 'in' && !isOf(mail)).map(({ new_text: text }) => text),
    people: new Set(named.map((address) => address.toLowerCase())),
  };
}

/** What everybody is told stands in one piece of what its sender wrote, in a mail of which nobody else may have written a part. */
export function isWrittenWhole(message: Parameters<typeof piecesOf>[0], quote: string): boolean {
  const pieces = piecesOf(message);
  return (
    pieces.every(({ kind }) => kind !== 'unknown' && kind !== 'forwarded') &&
    pieces.some(({ kind, text }) => kind === 'written' && stretchOf(text, quote) !== null)
  );
}
