import { type RawBuilder, sql } from 'kysely';
import type { Viewer } from '../../types/mail.ts';
import { compiledQuery } from '../database/compiled-query.ts';
import type { Reader, Trx } from '../persona/schema/tables.ts';

/** Everybody else whom a mail names is told of it by whoever else named them; a list of thousands is no conversation. */
const MAX_VIEWERS = 500;

/** ASCII alone: what is another letter to a mail server must not become the same one here (the Kelvin sign is no k). */
const keyOf = (address: string): string => address.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

// One text: a list as long as its mail has viewers would be another statement for each length.
const insertRows = compiledQuery<{ threadId: string; seq: number; keys: string }>()(
  (_: Reader, $) => sql`
    insert into message_viewers (thread_id, address, seq)
    select ${$.threadId}, value, ${$.seq} from json_each(${$.keys})`,
);

/** Writes down who may see a message: as it was when it came or left, whoever joins the thread later. */
export async function addViewers(
  trx: Trx,
  message: { readonly threadId: string; readonly seq: number },
  addresses: readonly string[],
): Promise<void> {
  const keys = [...new Set(addresses.map(keyOf))].filter((key) => key !== '').slice(0, MAX_VIEWERS);
  if (keys.length > 0) await insertRows(trx, { ...message, keys: JSON.stringify(keys) });
}

/** The same as a query is built with that is run for many. */
export interface ViewerArguments {
  readonly address: RawBuilder<string>;
  readonly threadId: RawBuilder<string | null>;
}

/** The viewer's condition in a query over `messages m`. */
export const isSeenBy = (viewer: Viewer | ViewerArguments) =>
  viewer === null
    ? sql<boolean>`1`
    : sql<boolean>`(${viewer.threadId} is null or m.thread_id = ${viewer.threadId}) and exists (
        select 1 from message_viewers v
        where v.thread_id = m.thread_id and v.address = ${viewer.address} and v.seq = m.seq)`;

/**
 * The same for what is looked for from outside of its thread: nothing of a private one and nothing that is to be
 * forgotten is found, whoever asks.
 */
export const isFoundBy = (viewer: Viewer | ViewerArguments) => sql<boolean>`${isSeenBy(viewer)} and ${isFoundAtAll}`;

/**
 * It said something that was to be forgotten, or it is our answer to such a mail. Who looks for it finds it; nobody who
 * does not is told of it.
 */
export const isTakenBack = sql<boolean>`(exists (select 1 from facts f where f.source_message = m.id and f.status = 'forgotten')
    or exists (select 1 from runs r join facts f on f.source_message = r.message
      where r.id = m.run_id and f.status = 'forgotten'))`;

/** By whom it is looked for left aside. */
export const isFoundAtAll = sql<boolean>`m.thread_id not in (select id from threads where private_since is not null)
    and not exists (select 1 from forgotten_messages f where f.seq = m.seq)`;
