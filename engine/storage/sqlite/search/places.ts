import { type RawBuilder, sql } from 'kysely';
import { asText, eachNumber, inOrderOf, lookingUp } from '../../dialect.ts';
import type { EpisodeSearch } from '../../types/recall.ts';
import { compiledQuery } from '../database/compiled-query.ts';
import { isShared, type ViewerArguments } from '../database/seen-by.ts';
import type { Reader } from '../persona/schema/tables.ts';
import { isFoundAtAll, isFoundBy, isTakenBack } from './found.ts';

// Messages by their places, of other threads, as far as the viewer may see them.

/** Arrived since the index was last written; a run that ends takes in 32 once there are 16. */
export const MAX_WAITING = 48;
const MAX_TEXT = 1000;

/** Where a message stands in its thread. */
export interface ThreadPlace {
  readonly seq: number;
  readonly before: number | null;
  readonly after: number | null;
}
export interface PlacedText {
  readonly seq: number;
  readonly subject: string;
  readonly text: string;
  /** Of the whole text, in characters. */
  readonly length: number;
}

interface Asked {
  readonly seqs: string;
  readonly except: string;
  readonly limit: number;
  readonly before: number;
}
interface AskedBy extends Asked {
  readonly address: string;
  readonly threadId: string | null;
}

// Not by `order by`: then all of them would be read, and not as many as are wanted. A cross join keeps the order of the list.
function queriesFor<Found>(
  columns: RawBuilder<unknown>,
  byViewer: (by: ViewerArguments) => RawBuilder<unknown>,
  besides: (before: RawBuilder<number>) => RawBuilder<unknown> = () => sql``,
) {
  const owner = compiledQuery<Asked>()(
    (_: Reader, $) => sql<Found>`
      select ${columns} from ${eachNumber($.seqs, 'one')} ${lookingUp} messages m on m.seq = one.value
      where m.thread_id != ${$.except} and ${isFoundBy(null)} ${besides($.before)}
      ${inOrderOf('one')} limit ${$.limit}`,
  );
  const viewer = compiledQuery<AskedBy>()(
    (_: Reader, $) => sql<Found>`
      select ${columns} from ${eachNumber($.seqs, 'one')} ${byViewer($)}
      and m.thread_id != ${$.except} ${besides($.before)} ${inOrderOf('one')} limit ${$.limit}`,
  );
  return async (
    db: Reader,
    seqs: readonly number[],
    {
      viewer: who,
      exceptThread,
      limit,
      before = Number.MAX_SAFE_INTEGER,
    }: Pick<EpisodeSearch, 'viewer' | 'exceptThread' | 'limit' | 'before'>,
  ): Promise<readonly Found[]> => {
    if (seqs.length === 0 || isShared(who)) return [];
    const asked = { seqs: JSON.stringify(seqs), except: exceptThread ?? '', limit, before };
    const { rows } = await (who === null
      ? owner(db, asked)
      : viewer(db, { ...asked, address: who.address, threadId: who.threadId }));
    return rows;
  };
}

const ownText = sql`coalesce(nullif(m.new_text, ''), m.text)`;

/** The messages, each with whether there is a row that lets the viewer see it. */
const messages = (by: ViewerArguments) => sql`${lookingUp} messages m on m.seq = one.value where ${isFoundBy(by)}`;
/** Those rows alone: they name the thread as well, and of the messages that are wanted most others are never read. */
const rowsOfViewer = (by: ViewerArguments) =>
  sql`${lookingUp} message_viewers m on m.address = ${by.address} and m.seq = one.value
    where (${asText(by.threadId)} is null or m.thread_id = ${by.threadId}) and ${isFoundAtAll}`;

/** In the order of the numbers. */
export const placesAt = queriesFor<ThreadPlace>(
  sql`m.seq,
    (select max(b.seq) from messages b where b.thread_id = m.thread_id and b.seq < m.seq) as before,
    (select min(a.seq) from messages a where a.thread_id = m.thread_id and a.seq > m.seq) as after`,
  rowsOfViewer,
);

/** What their senders wrote, as far as it is compared. */
export const textsAt = queriesFor<PlacedText>(
  sql`m.seq, m.subject, substr(${ownText}, 1, ${sql.lit(MAX_TEXT)}) as text, length(${ownText}) as length`,
  messages,
  (before) => sql`and not ${isTakenBack} and coalesce(m.date, m.received_at) < ${before}`,
);
