import { type Insertable, type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { parseJson } from '../../../lib/json.ts';
import { likeThis, wordsIn } from '../../../lib/text/likeness.ts';
import { HOUR_MS } from '../../../lib/time.ts';
import { asFlag, asNumber, eachText, greatest } from '../../dialect.ts';
import type { AlikeLetter, ArrivalQuery, ArrivalRows, FoundThread, OwnerMail } from '../../ports/mail.ts';
import type { CountedLetter, NewCountedLetter, StoredMessage, StoredThread, UsedSignatures } from '../../types/mail.ts';
import { compiledQuery } from '../database/compiled-query.ts';
import type { PersonaTables, Reader, Trx } from '../persona/schema/tables.ts';
import { withOurIds } from './other-ids.ts';

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
  /** 1: mails of some thread name one of its ancestors. */
  readonly is_named: number;
};

/** One row, whatever there is: each mail is looked for twice, and to ask once takes half as long. */
const sameMessages = compiledQuery<{ duplicateKey: string; messageId: string; ancestors: string } & SenderRuns>()(
  (_: Reader, $) => sql<SameMessages>`
    select m.id, m.thread_id, m.run_id, (select id from messages where message_id = ${$.messageId} limit 1) as same_id,
      (select id from messages where message_id = ${$.messageId} and direction = 'out' limit 1) as sent_id,
      (select count(*) from (select seq from runs
        where sender = ${$.sender} and (tier <> 'unauthenticated') = ${$.isProven} and kind <> 'test'
          and created_at > ${$.since} and created_at < ${anHourAhead($.since)} limit ${$.countTo}) recent) as sender_runs,
      ${asFlag(sql`exists (select 1 from ${eachText($.ancestors, 'place')} join named_mails n on n.id = place.value)`)} as is_named
    from (select 1) one left join messages m on m.duplicate_key = ${$.duplicateKey}`,
);

export async function findForArrival(db: Reader, mail: ArrivalQuery): Promise<ArrivalRows> {
  const { duplicateKey, messageId, sender } = mail;
  const since = mail.now - HOUR_MS;
  const runs = { sender, isProven: mail.proven ? 1 : 0, since, countTo: countTo(mail) };
  const ancestors = JSON.stringify(ancestorsOf(mail));
  const [same] = (await sameMessages(db, { duplicateKey, messageId, ancestors, ...runs })).rows;
  const { message: signed, isSpent } = await useOfSignature(db, mail);
  const duplicate =
    same?.id && same.thread_id ? { id: same.id, thread_id: same.thread_id, run_id: same.run_id } : signed;
  const sameId = same?.same_id ? { id: same.same_id, isOurs: same.sent_id !== null } : undefined;
  const answered = mail.references.length > 0 ? await findThreads(db, mail.references, mail.sender ?? '') : [];
  const threads = [...answered, ...(same?.is_named === 1 ? await threadsByAncestor(db, mail, answered) : [])];
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
    .where('threads.kind', '<>', sql.lit('test' as const))
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

/** Of one thread: a conversation begins once, and whoever takes part in it could name any number. */
const MOST_OF_THREAD = 100;
const MOST_FOUND = 10;

type Row = StoredThread & { readonly role: FoundThread['role']; readonly named: number };

const threadsNaming = compiledQuery<{ ids: string; sender: string; limit: number }>()(
  (_: Reader, $) => sql<Row>`
    select t.*, p.role as role,
      ${asFlag(sql`exists (select 1 from message_viewers v where v.thread_id = t.id and v.address = ${$.sender})`)} as named
    from (select thread_id, min(place.key) as nearest from ${eachText($.ids, 'place')}
        join named_mails n on n.id = place.value
        group by thread_id order by nearest limit ${$.limit}) found
      join threads t on t.id = found.thread_id
      left join thread_participants p on p.thread_id = t.id and p.address = ${$.sender}
    order by found.nearest`,
);

/** Nobody who is not proven joins anything. */
const ancestorsOf = ({ ancestors = [], proven }: ArrivalQuery): readonly string[] => (proven ? ancestors : []);

/** Threads whose mails name a mail that this one names, or this one itself, nearest first; but for those known otherwise. */
async function threadsByAncestor(
  db: Reader,
  mail: ArrivalQuery,
  known: readonly FoundThread[],
): Promise<readonly FoundThread[]> {
  const { rows } = await threadsNaming(db, {
    ids: JSON.stringify(ancestorsOf(mail)),
    sender: mail.sender ?? '',
    limit: MOST_FOUND,
  });
  return rows
    .filter((row) => !known.some(({ id }) => id === row.id))
    .map((row) => ({ ...row, named: row.named === 1, by: 'ancestor' }));
}

const insertNames = compiledQuery<{ threadId: string; ids: string; most: number }>()(
  (_: Reader, $) => sql`
    insert into named_mails (id, thread_id)
    select lower(value), ${$.threadId} from ${eachText($.ids, 'one')}
    where not exists (select 1 from messages where message_id = value)
      and (select count(*) from named_mails where thread_id = ${$.threadId}) < ${$.most}
    on conflict do nothing`,
);

/** What a mail of the thread names and never came here. */
export async function nameMails(trx: Trx, threadId: string, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await insertNames(trx, { threadId, ids: JSON.stringify(ids), most: MOST_OF_THREAD });
}

const names = z.array(z.object({ name: z.string(), address: z.string() }));

export async function keepOwnerMail(trx: Trx, message: string, { ground, names: called }: OwnerMail): Promise<void> {
  await trx
    .insertInto('owner_mails')
    .values({ message, ground, names_json: JSON.stringify(called) })
    .execute();
}

export async function ownerMail(db: Reader, message: string): Promise<OwnerMail | undefined> {
  const row = await db.selectFrom('owner_mails').selectAll().where('message', '=', message).executeTakeFirst();
  return row && { ground: row.ground, names: parseJson(names, row.names_json) };
}

/** What is behind them counts as not said. */
const MOST_MAILS = 2000;

export async function namesOfPeople(
  db: Reader,
  threadId: string,
): Promise<Record<'byOwners' | 'bySelf', OwnerMail['names']>> {
  const byOwners = await db
    .selectFrom('owner_mails')
    .innerJoin('messages', 'messages.id', 'owner_mails.message')
    .innerJoin('threads', 'threads.id', 'messages.thread_id')
    .select('names_json')
    .where('names_json', '<>', '[]')
    .where((row) => row.or([row('threads.private_since', 'is', null), row('threads.id', '=', threadId)]))
    .orderBy('messages.seq', 'desc')
    .limit(MOST_MAILS)
    .execute();
  const newest = db
    .selectFrom('messages')
    .select(['from_name as name', 'from_address as address'])
    .where('direction', '=', 'in')
    .orderBy('seq', 'desc')
    .limit(MOST_MAILS)
    .as('newest');
  const bySelf = await db.selectFrom(newest).select(['name', 'address']).distinct().execute();
  // The same few people stand in most mails, and each is read once.
  const called = new Set(byOwners.map(({ names_json }) => names_json));
  return {
    byOwners: [...called].flatMap((json) => parseJson(names, json)),
    bySelf: bySelf.flatMap(({ name, address }) => (name === '' || address === null ? [] : [{ name, address }])),
  };
}

/** Nothing hangs on older ones. */
const KEPT_MS = 2 * HOUR_MS;
/** What strangers to each other wrote is compared where it has this many words: "Thank you very much" is everybody's. */
const WORDS = 6;

/**
 * The newest of the sender, of addresses like the sender's, and of all: a flood of others hides nobody's own. No row
 * is read of which there could be more for a longer history.
 */
const newestLike = compiledQuery<{ proven: number; sender: string; family: string }>()(
  (_: Reader, $) => sql<CountedLetter>`
    select * from counted_letters where seq in (
      select seq from (select seq from counted_letters
        where proven = ${$.proven} and sender = ${$.sender} order by seq desc limit 20) of_sender
      union select seq from (select seq from counted_letters
        where proven = ${$.proven} and family = ${$.family} order by seq desc limit 20) of_family
      union select seq from (select seq from counted_letters where proven = ${$.proven} order by seq desc limit 50) of_all)
    order by seq desc`,
);

/** Those that an arriving letter is counted with, as far as they make a difference now. */
async function lettersLike(
  db: Reader,
  { counted, now }: Pick<ArrivalQuery, 'counted' | 'now'>,
): Promise<readonly AlikeLetter[]> {
  if (!counted) return [];
  const { proven, sender, family, subject, sketch, fastMs } = counted;
  const words = wordsIn(sketch);
  const isLike = likeThis(sketch);
  const { rows } = await newestLike(db, { proven, sender, family });
  return rows.flatMap((row) => {
    // A clock that was ahead and came back must not hold anybody for as long as it was ahead.
    if (Math.abs(now - row.at) >= KEPT_MS) return [];
    const fresh = row.replied_at !== null && Math.abs(now - row.replied_at) < fastMs;
    if (!fresh && row.state === 'answered') return [];
    const isFamily = row.family === family;
    // People whose addresses are alike are people, unless nobody is proven or they say the same.
    const own = row.sender === sender || (proven === 0 && isFamily);
    if (!own && !isFamily && words < WORDS) return [];
    const near = isLike(row.sketch);
    if (!own && !near) return [];
    const { proven: _, sender: __, family: ___, subject: of, sketch: ____, ...letter } = row;
    return [{ ...letter, own, near, sameSubject: of === subject, fresh }];
  });
}

const insertRow = compiledQuery<{ row: Insertable<PersonaTables['counted_letters']> }>()((db: Reader, $) =>
  db.insertInto('counted_letters').values($.row).returning('seq'),
);
const dropOld = compiledQuery<{ before: number; ahead: number }>()(
  (_: Reader, $) => sql`
    delete from counted_letters where seq in (select seq from counted_letters order by seq limit 20)
      and (at < ${$.before} or at > ${$.ahead})`,
);

/** One of so many takes more than so many of the oldest away, so that they end without anybody who looks after them. */
const DROPPED_EACH = 16;

export async function countLetter(trx: Trx, letter: NewCountedLetter, now: number): Promise<void> {
  // Whoever is told something has had an answer: what comes back at once is counted, too.
  const row = { ...letter, at: now, replied_at: letter.told > 0 ? now : null };
  const [inserted] = (await insertRow(trx, { row })).rows;
  if (inserted && inserted.seq % DROPPED_EACH === 0)
    await dropOld(trx, { before: now - KEPT_MS, ahead: now + KEPT_MS });
}

const markReplied = compiledQuery<{ runId: string; now: number }>()(
  (_: Reader, $) => sql`
    update counted_letters set replied_at = ${$.now}, in_row = case when state = 'later' then 0 else in_row end,
      pace = case when state = 'later' then 0 else pace end where run_id = ${$.runId}`,
);

/** Our answer to it was written. After a pause a row begins anew. */
export async function countReply(trx: Trx, runId: string, now: number): Promise<void> {
  await markReplied(trx, { runId, now });
}

/** An owner goes on with the thread: whoever was stopped in it is listened to again. */
export async function forgetStops(trx: Trx, threadId: string): Promise<void> {
  await stopsOf(trx, { threadId });
}

const stopsOf = compiledQuery<{ threadId: string }>()((db: Reader, $) =>
  db
    .deleteFrom('counted_letters')
    .where('thread_id', '=', $.threadId)
    .where('state', '=', sql.lit('stopped' as const)),
);

/** Enough that they go faster than they come, few enough that no mail waits for them. */
const FORGET_AT_ONCE = 20;

const usedBy = compiledQuery<{ signatures: readonly string[] }>()((db: Reader, $) =>
  db
    .selectFrom('used_signatures')
    .leftJoin('messages', 'messages.id', 'used_signatures.message')
    .select(['messages.id', 'messages.thread_id', 'messages.run_id', 'used_signatures.silent'])
    .where('used_signatures.sha256', 'in', $.signatures)
    .limit(20),
);

type Signed = Pick<ArrivalQuery, 'signatures' | 'bySignature'>;

/**
 * Whether one of them proved a mail before. What made that one silent, somebody on the way may have put there, and to it
 * alone: a mail whose sender is proven by more than them is heard nevertheless.
 */
export async function knowsSignature(db: Reader, { signatures, bySignature = false }: Signed): Promise<boolean> {
  if (signatures.length === 0) return false;
  return (await usedBy(db, { signatures })).rows.some(({ silent }) => bySignature || silent === 0);
}

interface UseOfSignature {
  /** The message that one of them proved before. */
  readonly message: Pick<StoredMessage, 'id' | 'thread_id' | 'run_id'> | undefined;
  /** Nothing but they proves the mail, and one of them proved another that became no message. */
  readonly isSpent: boolean;
}

async function useOfSignature(db: Reader, { signatures, bySignature = false }: Signed): Promise<UseOfSignature> {
  if (signatures.length === 0) return { message: undefined, isSpent: false };
  const { rows } = await usedBy(db, { signatures });
  const [message] = rows.flatMap(({ id, thread_id, run_id }) => (id && thread_id ? [{ id, thread_id, run_id }] : []));
  return { message, isSpent: bySignature && rows.some(({ id }) => id === null) };
}

/** `by`: the message that the mail became; `silent`: it is never answered. */
export async function useSignatures(
  trx: Trx,
  used: UsedSignatures,
  by: { readonly message?: string | null; readonly isSilent?: boolean } = {},
): Promise<void> {
  const { signatures, messageId, forgottenBefore, now } = used;
  if (signatures.length === 0) return;
  const { message = null, isSilent = false } = by;
  const silent = isSilent ? 1 : 0;
  await trx
    .insertInto('used_signatures')
    .values(signatures.map((sha256) => ({ sha256, message_id: messageId, message, at: now, silent })))
    .onConflict((conflict) =>
      // Of a mail that was silent, and is heard since it came with more proof, the latter counts.
      conflict
        .column('sha256')
        .doUpdateSet({ message, message_id: messageId, silent })
        .where('used_signatures.silent', '>', silent),
    )
    .execute();
  const old = trx
    .selectFrom('used_signatures')
    .select('sha256')
    .where('at', '<', forgottenBefore)
    .orderBy('at')
    .limit(FORGET_AT_ONCE);
  await trx.deleteFrom('used_signatures').where('sha256', 'in', old).execute();
}
