import { type RawBuilder, sql } from 'kysely';
import { HOUR_MS } from '../../../lib/time.ts';
import { asFlag, asNumber, greatest } from '../../dialect.ts';
import type { ArrivalQuery, ArrivalRows } from '../../ports/mail.ts';
import type { StoredThread } from '../../types/mail.ts';
import { compiledQuery } from '../database/compiled-query.ts';
import type { Reader } from '../persona/schema/tables.ts';
import { lettersLike } from './counted-letters.ts';
import { threadsByAncestor } from './named-mails.ts';
import { withOurIds } from './other-ids.ts';
import { useOfSignature } from './signatures.ts';

/** What a clock has dated that was ahead counts no longer than what it dates now. */
const anHourAhead = (since: RawBuilder<number>) => sql<number>`${asNumber(since)} + ${sql.lit(2 * HOUR_MS)}`;

const countTo = ({ limits }: ArrivalQuery): number => Math.max(0, ...limits);

interface SenderRuns {
  /** Null: of nobody. */
  readonly sender: string | null;
  /** Forged mail under an address must not use up what its owner may send, so the two are counted apart. */
  readonly isProven: number;
  readonly since: number;
  /** Counted no further. */
  readonly countTo: number;
}
type SameMessages = { readonly [Column in 'id' | 'thread_id' | 'run_id' | 'same_id' | 'sent_id']: string | null } & {
  readonly sender_runs: number;
};

/** One row, whatever there is: each mail is looked for twice, and to ask once takes half as long. */
const sameMessages = compiledQuery<{ duplicateKey: string; messageId: string } & SenderRuns>()(
  (_: Reader, $) => sql<SameMessages>`
    select m.id, m.thread_id, m.run_id, (select id from messages where message_id = ${$.messageId} limit 1) as same_id,
      (select id from messages where message_id = ${$.messageId} and direction = 'out' limit 1) as sent_id,
      (select count(*) from (select seq from runs
        where sender = ${$.sender} and (tier <> 'unauthenticated') = ${$.isProven}
          and created_at > ${$.since} and created_at < ${anHourAhead($.since)} limit ${$.countTo}) recent) as sender_runs
    from (select 1) one left join messages m on m.duplicate_key = ${$.duplicateKey}`,
);

export async function findForArrival(db: Reader, mail: ArrivalQuery): Promise<ArrivalRows> {
  const { duplicateKey, messageId, sender } = mail;
  const since = mail.now - HOUR_MS;
  const runs = { sender, isProven: mail.proven ? 1 : 0, since, countTo: countTo(mail) };
  const [same] = (await sameMessages(db, { duplicateKey, messageId, ...runs })).rows;
  const { message: signed, isSpent } = await useOfSignature(db, mail);
  const duplicate =
    same?.id && same.thread_id ? { id: same.id, thread_id: same.thread_id, run_id: same.run_id } : signed;
  const sameId = same?.same_id ? { id: same.same_id, isOurs: same.sent_id !== null } : undefined;
  const answered = mail.references.length > 0 ? await findThreads(db, mail.references, mail.sender ?? '') : [];
  const threads = [...answered, ...(await threadsByAncestor(db, mail, answered))];
  return {
    duplicate,
    isSpent,
    sameId,
    threads,
    senderRuns: same?.sender_runs ?? 0,
    slotAt: mail.sender === null ? null : await nextSlot(db, { ...mail, sender: mail.sender }),
    threadRuns: threads[0] ? await countRunsOfLine(db, threads[0], since, countTo(mail)) : 0,
    alike: await lettersLike(db, mail),
  };
}

/**
 * Whether what was read of an arriving mail still holds as far as its decision rests on it: a count matters only where
 * it has reached a limit since.
 */
export function isAsRead(now: ArrivalRows, read: ArrivalRows, { limits }: Pick<ArrivalQuery, 'limits'>): boolean {
  const decisive = (rows: ArrivalRows) => [
    rows.duplicate?.id,
    rows.isSpent,
    rows.sameId?.id,
    rows.sameId?.isOurs,
    rows.slotAt,
    ...limits.flatMap((limit) => [rows.senderRuns >= limit, rows.threadRuns >= limit]),
    ...rows.threads.flatMap(({ id, by, role, named, fast_replies, last_reply_at, loop_stopped_at, taken_at }) => [
      ...[id, by, role, named, fast_replies, last_reply_at, loop_stopped_at, taken_at],
    ]),
    ...rows.alike.flatMap(({ seq, fresh, in_row, until }) => [seq, fresh, in_row, until]),
  ];
  const before = decisive(read);
  const after = decisive(now);
  return after.length === before.length && after.every((value, place) => value === before[place]);
}

const threadsOf = compiledQuery<{ nearest: readonly string[]; sender: string }>()((db: Reader, $) =>
  db
    .selectFrom('messages')
    .innerJoin('threads', 'threads.id', 'messages.thread_id')
    .leftJoin('thread_participants', (join) =>
      join.onRef('thread_participants.thread_id', '=', 'threads.id').on('thread_participants.address', '=', $.sender),
    )
    .selectAll('threads')
    .select(['messages.message_id', 'thread_participants.role'])
    .select(
      asFlag(sql`exists (select 1 from message_viewers v
        where v.thread_id = messages.thread_id and v.address = ${$.sender} and v.seq = messages.seq)`).as('named'),
    )
    .where('messages.message_id', 'in', $.nearest)
    .limit(50),
);

async function findThreads(db: Reader, references: readonly string[], sender: string): Promise<ArrivalRows['threads']> {
  // Ten references from the nearest on are plenty; a mail may carry hundreds of invented ones.
  const nearest = await withOurIds(db, references.slice(0, 10));
  const { rows } = await threadsOf(db, { nearest, sender });
  return rows
    .sort((a, b) => nearest.indexOf(a.message_id) - nearest.indexOf(b.message_id))
    .map((row) => ({ ...row, named: row.named === 1, by: 'message' }));
}

/** Nobody waits for longer, so older runs hold up none. */
const LONGEST_WAIT_MS = 50 * HOUR_MS;

/**
 * When each began or is to begin: a run that waits for something else, or was ended before, by when it came. The how manyth
 * latest is an hour old at that time.
 */
const slotOf = compiledQuery<{ sender: string; isProven: number; since: number; until: number; place: number }>()(
  (_: Reader, $) => sql<{ at: number }>`
    select case when started_at is not null then started_at
      when deferred_code = 'sender_rate_limited' then deferred_until
      when deferred_code is null and status = 'queued' then ${greatest(sql`created_at`, sql`due_at`)} else created_at end as at
    from runs where sender = ${$.sender} and (tier <> 'unauthenticated') = ${$.isProven} and kind = 'message'
      and created_at > ${$.since} and created_at < ${$.until}
    order by at desc nulls last limit 1 offset ${$.place}`,
);

async function nextSlot(
  db: Reader,
  { sender, proven, runsPerHour = null, now }: ArrivalQuery & { readonly sender: string },
): Promise<number | null> {
  if (runsPerHour === null || runsPerHour === 0) return null;
  const between = { since: now - LONGEST_WAIT_MS, until: now + HOUR_MS };
  const { rows } = await slotOf(db, { ...between, sender, isProven: proven ? 1 : 0, place: runsPerHour - 1 });
  const at = (rows[0]?.at ?? Number.NEGATIVE_INFINITY) + HOUR_MS;
  return at > now ? at : null;
}

/** What a thread took over counts for as long as the hour in which it began. */
async function countRunsOfLine(db: Reader, thread: StoredThread, since: number, countTo: number): Promise<number> {
  const own = await countRunsOfThread(db, thread.id, since, countTo);
  return own + (Math.abs(thread.created_at - since - HOUR_MS) < HOUR_MS ? thread.answers_before : 0);
}

const runsOfThread = compiledQuery<{ threadId: string; since: number; countTo: number }>()((db: Reader, $) =>
  db
    .selectFrom(
      db
        .selectFrom('runs')
        .select('seq')
        .where('thread_id', '=', $.threadId)
        .where('created_at', '>', $.since)
        .where('created_at', '<', anHourAhead($.since))
        .limit($.countTo)
        .as('recent'),
    )
    .select((query) => query.fn.countAll<number>().as('count')),
);

async function countRunsOfThread(db: Reader, threadId: string, since: number, countTo: number): Promise<number> {
  if (countTo === 0) return 0;
  return (await runsOfThread(db, { threadId, since, countTo })).rows[0]?.count ?? 0;
}
