import type { FoundMails } from '#contract';
import type { Store } from '../../storage/ports/store.ts';
import { createMailFinder } from '../../tools/capabilities/mail.ts';
import { personaNamed } from '../find-across.ts';
import type { QueryPorts } from '../ports.ts';
import { type ClosingShape, closingShape } from './summaries.ts';

interface MailWanted {
  readonly query?: string | undefined;
  /** Names, addresses or parts of one. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Dates or times, in the zone of the persona. */
  readonly since?: string | undefined;
  readonly before?: string | undefined;
  readonly thread?: string | undefined;
  readonly limit: number;
}

/** Earlier mail of a persona with the eyes of an owner: the rows that its tool search_mail would find for one. */
export async function searchMail(
  ports: QueryPorts,
  name: string,
  wanted: MailWanted,
): Promise<{ readonly persona: string } & FoundMails & { readonly closed_threads?: readonly ClosingShape[] }> {
  const entry = personaNamed(ports, name);
  const { id } = entry;
  if (!ports.stores.exists(id)) return { persona: id, total: 0, messages: [], next: null };
  const found = await ports.stores.use(id, (store) =>
    createMailFinder({
      store,
      viewer: null,
      current: null,
      timezone: entry.state === 'ready' ? entry.persona.timezone : 'UTC',
    })(wanted),
  );
  const closed = await ports.stores.use(id, (store) => closingsOf(store, wanted));
  return { persona: id, ...found, ...(closed.length === 0 ? {} : { closed_threads: closed }) };
}

/** Threads that are over, where words alone are asked for. */
async function closingsOf(
  store: Pick<Store, 'findClosings'>,
  { query, limit, ...filters }: MailWanted,
): Promise<readonly ClosingShape[]> {
  if (query === undefined || Object.values(filters).some((one) => one !== undefined)) return [];
  const found = await store.findClosings({ words: [query], viewer: null, exceptThread: null, limit });
  return found.map(closingShape);
}
