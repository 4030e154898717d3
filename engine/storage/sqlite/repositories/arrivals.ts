import { type Insertable, type RawBuilder, sql } from 'kysely';
import type { ArrivalQuery, ArrivalRows } from '../../ports/mail.ts';
import type { NewAttachment, NewMessage, StoredAttachment, StoredThread } from '../../types/mail.ts';
import type { NewRun } from '../../types/runs.ts';
import { compiledQuery } from '../database/compiled-query.ts';
import { rowOfMessage } from '../persona/schema/rows.ts';
import type { PersonaTables, Reader, Trx } from '../persona/schema/tables.ts';
import { messageOfSignature } from './signatures.ts';
import { addViewers } from './viewers.ts';

const HOUR_MS = 3_600_000;
/** What a clock has dated that was ahead counts no longer than what it dates now. */
const anHourAhead = (since: RawBuilder<number>) => sql<number>`${since} + ${2 * HOUR_MS}`;

const countTo = ({ limits }: ArrivalQuery): number => Math.max(0, ...limits);

/** One row, whatever there is: each mail is looked for twice, and to ask once takes half as long. */
const sameMessages = compiledQuery<{ duplicateKey: string; messageId: string }>()(
  (_: Reader, $) => sql<{ [Column in 'id' | 'thread_id' | 'run_id' | 'same_id']: string | null }>`
    select m.id, m.thread_id, m.run_id, (select id from messages where message_id = ${$.messageId} limit 1) as same_id
    from (select 1) left join messages m on m.duplicate_key = ${$.duplicateKey}`,
);

export async function findForArrival(db: Reader, mail: ArrivalQuery): Promise<ArrivalRows> {
  const { duplicateKey, messageId } = mail;
  const [same] = (await sameMessages(db, { duplicateKey, messageId })).rows;
  const duplicate =
    same?.id && same.thread_id
      ? { id: same.id, thread_id: same.thread_id, run_id: same.run_id }
      : await messageOfSignature(db, mail.signatures);
  const sameId = same?.same_id ? { id: same.same_id } : undefined;
  const threads = mail.references.length > 0 ? await findThreads(db, mail.references, mail.sender ?? '') : [];
  const since = mail.now - HOUR_MS;
  return {
    duplicate,
    sameId,
    threads,
    senderRuns:
      mail.sender === null
        ? 0
        : await countRunsOfSender(db, { ...mail, sender: mail.sender, countTo: countTo(mail) }, since),
    threadRuns: threads[0] ? await countRunsOfLine(db, threads[0], since, countTo(mail)) : 0,
  };
}

/**
 * Whether what was read of an arriving mail still holds as far as its decision rests on it: a count matters only where
 * it has reached a limit since.
 */
export function isAsRead(now: ArrivalRows, read: ArrivalRows, { limits }: Pick<ArrivalQuery, 'limits'>): boolean {
  const decisive = (rows: ArrivalRows) => [
    rows.duplicate?.id,
    rows.sameId?.id,
    ...limits.flatMap((limit) => [rows.senderRuns >= limit, rows.threadRuns >= limit]),
    ...rows.threads.flatMap(({ id, role, named, fast_replies, last_reply_at, loop_stopped_at }) => [
      ...[id, role, named, fast_replies, last_reply_at, loop_stopped_at],
    ]),
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
      sql<number>`exists (select 1 from message_viewers v
        where v.thread_id = messages.thread_id and v.address = ${$.sender} and v.seq = messages.seq)`.as('named'),
    )
    .where('messages.message_id', 'in', $.nearest)
    .limit(50),
);

async function findThreads(db: Reader, references: readonly string[], sender: string): Promise<ArrivalRows['threads']> {
  // Ten references from the nearest on are plenty; a mail may carry hundreds of invented ones.
  const nearest = references.slice(0, 10);
  const { rows } = await threadsOf(db, { nearest, sender });
  return rows
    .sort((a, b) => nearest.indexOf(a.message_id) - nearest.indexOf(b.message_id))
    .map((row) => ({ ...row, named: row.named === 1 }));
}

const runsOfSender = (tier: '=' | '!=') =>
  compiledQuery<{ sender: string; since: number; countTo: number }>()((db: Reader, $) =>
    db
      .selectFrom(
        db
          .selectFrom('runs')
          .select('seq')
          .where('sender', '=', $.sender)
          .where('tier', tier, 'unauthenticated')
          .where('created_at', '>', $.since)
          .where('created_at', '<', anHourAhead($.since))
          .limit($.countTo)
          .as('recent'),
      )
      .select((query) => query.fn.countAll<number>().as('count')),
  );
/** Forged mail under an address must not use up what its owner may send, so the two are counted apart. */
const senderRuns = { proven: runsOfSender('!='), claimed: runsOfSender('=') };

async function countRunsOfSender(
  db: Reader,
  { sender, proven, countTo }: { sender: string; proven: boolean; countTo: number },
  since: number,
): Promise<number> {
  if (countTo === 0) return 0;
  const count = proven ? senderRuns.proven : senderRuns.claimed;
  return (await count(db, { sender, since, countTo })).rows[0]?.count ?? 0;
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

const insertThreadRow = compiledQuery<{ row: Insertable<PersonaTables['threads']> }>()((db: Reader, $) =>
  db.insertInto('threads').values($.row),
);

export async function insertThread(
  trx: Trx,
  thread: {
    id: string;
    kind: 'thread' | 'task';
    subject: string;
    fast_replies?: number;
    answers_before?: number;
    begun_by_run?: string;
    /** Messages that are inserted with it. */
    message_count?: number;
    private_since?: number;
    now: number;
  },
): Promise<void> {
  const { now, ...row } = thread;
  await insertThreadRow(trx, { row: { ...row, created_at: now, updated_at: now } });
}

const insertMessageRow = compiledQuery<{ row: Insertable<PersonaTables['messages']> }>()((db: Reader, $) =>
  db.insertInto('messages').values($.row),
);
const insertRaw = compiledQuery<{ seq: number; bytes: Uint8Array }>()((db: Reader, $) =>
  db.insertInto('raw_mail').values({ seq: $.seq, bytes: $.bytes }),
);
const countMessage = compiledQuery<{ threadId: string; at: number }>()((db: Reader, $) =>
  db
    .updateTable('threads')
    .set({ message_count: sql`message_count + 1`, updated_at: $.at })
    .where('id', '=', $.threadId),
);

export async function insertMessage(
  trx: Trx,
  message: NewMessage,
  {
    attachments = [],
    viewers = [],
    raw,
    isCounted = false,
  }: {
    readonly attachments?: readonly NewAttachment[] | undefined;
    /** Addresses of its sender and recipients; where there are none, only owners see it. */
    readonly viewers?: readonly string[] | undefined;
    /** Its bytes as they came, where they are not a file yet. */
    readonly raw?: Uint8Array | undefined;
    /** Its thread was inserted with it and has counted it. */
    readonly isCounted?: boolean;
  },
): Promise<void> {
  const { insertId } = await insertMessageRow(trx, { row: rowOfMessage(message) });
  const seq = Number(insertId);
  if (raw) await insertRaw(trx, { seq, bytes: raw });
  await addViewers(trx, { threadId: message.thread_id, seq }, viewers);
  if (attachments.length > 0) await trx.insertInto('attachments').values(attachments).execute();
  if (!isCounted) await countMessage(trx, { threadId: message.thread_id, at: message.received_at });
}

const insertParticipants = compiledQuery<{ rows: readonly Insertable<PersonaTables['thread_participants']>[] }>()(
  (db: Reader, $) =>
    db
      .insertInto('thread_participants')
      .values($.rows)
      .onConflict((conflict) =>
        conflict
          .columns(['thread_id', 'address'])
          // An owner may raise a sender to known; nothing lowers it again.
          .doUpdateSet({ role: sql`case when excluded.role = 'known' then 'known' else role end` }),
      ),
);

export async function addParticipants(
  trx: Trx,
  threadId: string,
  participants: readonly { address: string; role: 'known' | 'sender' }[],
): Promise<void> {
  if (participants.length === 0) return;
  const rows = participants.map(({ address, role }) => ({ thread_id: threadId, address, role }));
  await insertParticipants(trx, { rows });
}

const insertRunRow = compiledQuery<{ row: NewRun }>()((db: Reader, $) => db.insertInto('runs').values($.row));

export async function insertRun(trx: Trx, run: NewRun): Promise<void> {
  await insertRunRow(trx, { row: run });
}

const selectAttachments = compiledQuery<{ message: string }>()((db: Reader, $) =>
  db.selectFrom('attachments').selectAll().where('message', '=', $.message).orderBy('position'),
);

export const attachmentsOf = async (trx: Reader, message: string): Promise<StoredAttachment[]> =>
  (await selectAttachments(trx, { message })).rows;
