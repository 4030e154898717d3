import { sql } from 'kysely';
import { eachText } from '../../dialect.ts';
import type { SeenThread, ThreadsWanted } from '../../types/thread-overview.ts';
import { viewerKey } from '../database/seen-by.ts';
import { PENDING } from '../repositories/approvals.ts';
import { isFoundBy } from '../search/found.ts';
import type { Reader } from './schema/tables.ts';

/** Of the newest so many mails: what is told of does not grow with the mailbox. */
const NEWEST = 5000;
/** Who takes part in one thread. */
const MOST_PEOPLE = 8;

type Told = Omit<SeenThread, 'people' | 'last_to' | 'first'> & {
  readonly last: number;
  readonly to_json: string;
  readonly cc_json: string;
};
type First = Omit<SeenThread['first'], 'references'> & {
  readonly thread_id: string;
  readonly references_json: string;
};

/** Conversations with mail that the viewer may see, the one with the newest mail first. Pure reading. */
export async function seenThreads(db: Reader, wanted: ThreadsWanted): Promise<readonly SeenThread[]> {
  const { since, viewer, asker, limit, newest = NEWEST, waitingWith } = wanted;
  const isOwn = ofAsker(asker);
  const isSeen = sql<boolean>`m.seq > (select coalesce(max(seq), 0) from messages) - ${newest} and ${isFoundBy(viewer)}`;
  const { rows } = await sql<Told>`
    with seen as (
      select m.thread_id, max(m.seq) as last, count(*) as mails from messages m
      where ${isSeen} and m.received_at >= ${since} ${waitingWith ? isWith(waitingWith, newest) : sql``}
      group by m.thread_id order by last desc limit ${limit}),
    told as (select seen.last, seen.thread_id, seen.mails, m.direction as last_direction, m.from_address as last_from, m.from_name as last_name,
      m.tier as last_tier, m.subject, m.received_at as last_at, m.to_json, m.cc_json, t.taken_by,
      case when t.begun_by_run is null then 0 else 1 end as begun_by_us, r.status, r.outcome, r.deferred_code,
      (select count(*) from approvals a join runs r on r.id = a.run_id
        where a.thread_id = seen.thread_id and a.state = ${PENDING} and ${isOwn}) as asked,
      (select count(*) from approvals a join runs r on r.id = a.run_id
        where a.thread_id = seen.thread_id and a.state = ${PENDING} and a.kind = 'answer' and ${isOwn}) as asked_in_words,
      (select count(*) from outbox o join runs r on r.id = o.run_id
        where o.thread_id = seen.thread_id and o.state = 'draft' and ${isOwn}) as drafts
    from seen join messages m on m.seq = seen.last join threads t on t.id = seen.thread_id
      left join runs r on r.id = m.run_id)
    select * from told ${waitingWith ? sql`where ${MAY_WAIT}` : sql``} order by last desc`.execute(db);
  if (rows.length === 0) return [];
  const ids = sql.join(rows.map(({ thread_id }) => thread_id));
  const { rows: people } = await sql<{ thread_id: string; address: string; name: string; unproven: number }>`
    select m.thread_id, m.from_address as address, max(m.from_name) as name,
      max(case when m.tier = 'unauthenticated' then 1 else 0 end) as unproven
    from messages m
    where m.thread_id in (${ids}) and m.direction = 'in' and m.from_address is not null and ${isSeen}
    group by m.thread_id, m.from_address order by max(m.seq) desc`.execute(db);
  const { rows: begun } = await sql<First>`
    select f.thread_id, f.direction, f.tier, f.from_address, f.subject, f.in_reply_to, f.references_json,
      substr(f.forwarded_text, 1, 1) as forwarded_text
    from messages f
    where f.seq in (select min(one.seq) from messages one where one.thread_id in (${ids}) group by one.thread_id)`.execute(
    db,
  );
  const peopleOf = Map.groupBy(people, ({ thread_id }) => thread_id);
  const firstOf = new Map(begun.map((row) => [row.thread_id, row]));
  return rows.flatMap(({ to_json, cc_json, last: _last, ...row }) => {
    const found = firstOf.get(row.thread_id);
    if (!found) return [];
    const { thread_id: _, references_json, ...first } = found;
    return [
      {
        ...row,
        last_to: [...listIn(to_json), ...listIn(cc_json)],
        first: { ...first, references: listIn(references_json) },
        people: (peopleOf.get(row.thread_id) ?? []).slice(0, MOST_PEOPLE).map(({ address, name, unproven }) => ({
          address,
          name,
          isProven: unproven === 0,
        })),
      },
    ];
  });
}

/** By the mail that has one of them as its sender or reader: what is looked at grows with their mail alone. */
const isWith = ({ addresses, thread }: NonNullable<ThreadsWanted['waitingWith']>, newest: number) =>
  sql`and m.thread_id <> ${thread} and m.seq in (select v.seq
    from ${eachText(JSON.stringify(addresses.map(viewerKey)), 'one')} join message_viewers v on v.address = one.value
    where v.seq > (select coalesce(max(seq), 0) from messages) - ${newest})`;

/** More may pass it than wait for somebody; nothing that waits is held back. */
const MAY_WAIT = sql<boolean>`(taken_by is not null or asked > 0 or drafts > 0
  or (last_direction = 'out' and (outcome = 'clarification' or begun_by_us = 1))
  or (last_direction = 'in' and (status is null or status not in ('done', 'cancelled'))))`;

/** An owner hears of all that waits, anybody else of what they have asked for. */
function ofAsker(asker: ThreadsWanted['asker']) {
  if (asker === 'owner') return sql<boolean>`true`;
  if (asker === 'nobody') return sql<boolean>`false`;
  return sql<boolean>`r.sender = ${asker.address} and r.tier = ${asker.tier}`;
}

const listIn = (json: string): readonly string[] => JSON.parse(json) as readonly string[];
