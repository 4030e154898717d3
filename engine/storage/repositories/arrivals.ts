import { type Insertable, type SelectQueryBuilder, sql } from 'kysely';
import type {
  AttachmentRow,
  MessageRow,
  MessageTable,
  NewAttachment,
  NewRun,
  PersonaTables,
  ThreadRow,
  Trx,
} from '../tables.ts';

/** What the database knows that bears on an arriving mail. */
export interface Found {
  /** The same message again: same Message-ID, From and Date. */
  readonly duplicate: Pick<MessageRow, 'id' | 'thread_id' | 'run_id'> | undefined;
  /** Another mail under the same Message-ID. */
  readonly sameId: Pick<MessageRow, 'id'> | undefined;
  /** Threads that its References and In-Reply-To name, nearest reference first, with the sender's part in each. */
  readonly threads: readonly (ThreadRow & { role: 'known' | 'sender' | null })[];
  /** Runs that the sender started within the hour, counted as far as was asked. */
  readonly senderRuns: number;
  /** The same for the nearest thread and those that it came of. */
  readonly threadRuns: number;
}

export interface ArrivalQuery {
  readonly duplicateKey: string;
  readonly messageId: string;
  readonly sender: string | null;
  /** Whether `sender` is proven. */
  readonly proven: boolean;
  /** Nearest first. */
  readonly references: readonly string[];
  /** How far runs are counted: no limit looks further. Counting all would make each mail of a busy hour cost more. */
  readonly countTo: number;
  readonly now: number;
}

export async function findForArrival(trx: Trx, mail: ArrivalQuery): Promise<Found> {
  const duplicate = await trx
    .selectFrom('messages')
    .select(['id', 'thread_id', 'run_id'])
    .where('duplicate_key', '=', mail.duplicateKey)
    .executeTakeFirst();
  const sameId = await trx
    .selectFrom('messages')
    .select('id')
    .where('message_id', '=', mail.messageId)
    .executeTakeFirst();
  const threads = mail.references.length > 0 ? await findThreads(trx, mail.references, mail.sender ?? '') : [];
  const since = mail.now - 3_600_000;
  return {
    duplicate,
    sameId,
    threads,
    senderRuns: mail.sender === null ? 0 : await countRunsOfSender(trx, { ...mail, sender: mail.sender }, since),
    threadRuns: threads[0] ? await countRunsOfLine(trx, threads[0], since, mail.countTo) : 0,
  };
}

async function findThreads(trx: Trx, references: readonly string[], sender: string): Promise<Found['threads']> {
  // Ten references from the nearest on are plenty; a mail may carry hundreds of invented ones.
  const nearest = references.slice(0, 10);
  const rows = await trx
    .selectFrom('messages')
    .innerJoin('threads', 'threads.id', 'messages.thread_id')
    .leftJoin('thread_participants', (join) =>
      join.onRef('thread_participants.thread_id', '=', 'threads.id').on('thread_participants.address', '=', sender),
    )
    .selectAll('threads')
    .select(['messages.message_id', 'thread_participants.role'])
    .where('messages.message_id', 'in', nearest)
    .limit(50)
    .execute();
  return rows.sort((a, b) => nearest.indexOf(a.message_id) - nearest.indexOf(b.message_id));
}

/** Forged mail under an address must not use up what its owner may send, so the two are counted apart. */
const countRunsOfSender = (
  trx: Trx,
  { sender, proven, countTo }: { sender: string; proven: boolean; countTo: number },
  since: number,
) =>
  countRecent(
    trx
      .selectFrom('runs')
      .select('seq')
      .where('sender', '=', sender)
      .where('tier', proven ? '!=' : '=', 'unauthenticated')
      .where('created_at', '>', since),
    countTo,
    trx,
  );

/** What a thread took over counts for as long as the hour in which it began. */
async function countRunsOfLine(trx: Trx, thread: ThreadRow, since: number, countTo: number): Promise<number> {
  const own = await countRunsOfThread(trx, thread.id, since, countTo);
  return own + (thread.created_at > since ? thread.answers_before : 0);
}

const countRunsOfThread = (trx: Trx, threadId: string, since: number, countTo: number) =>
  countRecent(
    trx.selectFrom('runs').select('seq').where('thread_id', '=', threadId).where('created_at', '>', since),
    countTo,
    trx,
  );

async function countRecent(
  runs: SelectQueryBuilder<PersonaTables, 'runs', { seq: number }>,
  countTo: number,
  trx: Trx,
): Promise<number> {
  if (countTo === 0) return 0;
  const { count } = await trx
    .selectFrom(runs.limit(countTo).as('recent'))
    .select((query) => query.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

export async function insertThread(
  trx: Trx,
  thread: {
    id: string;
    kind: 'thread' | 'task';
    subject: string;
    fast_replies?: number;
    answers_before?: number;
    now: number;
  },
): Promise<void> {
  const { now, ...row } = thread;
  await trx
    .insertInto('threads')
    .values({ ...row, created_at: now, updated_at: now })
    .execute();
}

export async function insertMessage(
  trx: Trx,
  message: Insertable<MessageTable>,
  attachments: readonly NewAttachment[],
): Promise<void> {
  await trx.insertInto('messages').values(message).execute();
  if (attachments.length > 0) await trx.insertInto('attachments').values(attachments).execute();
  await trx
    .updateTable('threads')
    .set({ message_count: sql`message_count + 1`, updated_at: message.received_at })
    .where('id', '=', message.thread_id)
    .execute();
}

export async function addParticipants(
  trx: Trx,
  threadId: string,
  participants: readonly { address: string; role: 'known' | 'sender' }[],
): Promise<void> {
  if (participants.length === 0) return;
  await trx
    .insertInto('thread_participants')
    .values(participants.map((participant) => ({ thread_id: threadId, ...participant })))
    .onConflict((conflict) =>
      conflict
        .columns(['thread_id', 'address'])
        // An owner may raise a sender to known; nothing lowers it again.
        .doUpdateSet({ role: sql`case when excluded.role = 'known' then 'known' else role end` }),
    )
    .execute();
}

export async function insertRun(trx: Trx, run: NewRun): Promise<void> {
  await trx.insertInto('runs').values(run).execute();
}

export function attachmentsOf(trx: Trx, message: string): Promise<AttachmentRow[]> {
  return trx.selectFrom('attachments').selectAll().where('message', '=', message).orderBy('position').execute();
}
