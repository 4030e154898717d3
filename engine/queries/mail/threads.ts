import { noThread } from '../../storage/ports/not-found.ts';
import { findAcross } from '../find-across.ts';
import { idNamed } from '../id-named.ts';
import { listAcross, type Page } from '../list-across.ts';
import type { QueryPorts } from '../ports.ts';
import { type MessageShape, messageShape, type ThreadShape, threadShape } from '../shapes.ts';

interface ThreadsPage {
  readonly threads: readonly ThreadShape[];
  readonly next: string | null;
}

export async function listThreads(ports: QueryPorts, page: Page): Promise<ThreadsPage> {
  const { rows, next } = await listAcross(ports, page, {
    of: ({ newest }) => newest.thread,
    read: (store, wanted) => store.listThreads(wanted),
  });
  return { threads: rows.map(({ persona, row }) => threadShape(persona, row, closingOf(ports))), next };
}

const closingOf = ({ clock, live }: QueryPorts) => ({
  now: clock.now(),
  afterDays: live.current().system.memory.close_after_days,
});

interface ThreadWithMails extends ThreadShape {
  /** Oldest first. */
  readonly messages: readonly MessageShape[];
}

/** A conversation, by its id, a part of it, or the `last`, with its newest `limit` mails. Throws `not_found` and `usage`. */
export async function threadOf(ports: QueryPorts, given: string, limit: number): Promise<ThreadWithMails> {
  const id = await idNamed(ports, 'threads', given);
  const found = await findAcross(ports, async (store) => {
    const thread = await store.getThread(id);
    return thread && { thread, newestFirst: await store.threadMessages(id, limit) };
  });
  if (!found) throw noThread(id);
  const { thread, newestFirst } = found.row;
  return {
    ...threadShape(found.persona, thread, closingOf(ports)),
    messages: newestFirst.toReversed().map(messageShape),
  };
}
