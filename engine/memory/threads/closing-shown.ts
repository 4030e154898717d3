import { sha256 } from '../../lib/ids.ts';
import { DAY_MS } from '../../lib/time.ts';
import type { OnceText } from '../../policy/values/once.ts';
import type { Asker } from '../../policy/viewer.ts';
import type { Closing, ClosingStore } from '../../storage/ports/memory/closings.ts';
import type { StoredThread, Viewer } from '../../storage/types/mail.ts';
import { IN_THE_FENCE, oneLine, saysOthers } from './summary-shown.ts';

const MOST_SHOWN = 2;
export const CLOSED_THREADS = 'closed-threads';

/** What was written down of other threads that are over and may have to do with a mail. Pure reading. */
export async function closingsToShow(
  store: Pick<ClosingStore, 'findClosings'>,
  asked: {
    readonly words: readonly string[];
    readonly viewer: Viewer;
    readonly asker: Asker;
    readonly exceptThread: string;
  },
): Promise<readonly OnceText[]> {
  const { words, viewer, asker, exceptThread } = asked;
  const found = await store.findClosings({ words, viewer, exceptThread, limit: MOST_SHOWN });
  return found.map((closing) => ({
    resolver: CLOSED_THREADS,
    threadId: closing.threadId,
    text: closingBlock(closing),
    foreign: saysOthers(closing, asker),
  }));
}

/** The same row gives the same bytes. */
function closingBlock({ threadId, text, tags, items, watermark, closedAt }: Closing): string {
  const inside = `${oneLine(text)}\nTags: ${tags.map(oneLine).join(', ')}`;
  const mark = `closed_thread_${sha256(JSON.stringify([threadId, watermark, inside])).slice(0, 16)}`;
  const mails = items === 1 ? '1 mail' : `${items} mails`;
  return [
    `The gateway's own summary of an earlier thread (${mails}, closed on ${new Date(closedAt).toISOString().slice(0, 10)}, thread ${threadId}); it may be incomplete or wrong.`,
    IN_THE_FENCE,
    `<${mark}>\n${inside}\n</${mark}>`,
  ].join('\n');
}

/** Threads whose newest mail is older are closed. */
export const closedBefore = (now: number, afterDays: number): number => now - afterDays * DAY_MS;

/** A thread without mail for so long is over; the next mail of it opens it again. */
export const isClosed = (
  { updated_at: newest }: Pick<StoredThread, 'updated_at'>,
  { now, afterDays }: { readonly now: number; readonly afterDays: number },
): boolean => newest < closedBefore(now, afterDays);
