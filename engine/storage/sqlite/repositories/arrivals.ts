import { type Insertable, sql } from 'kysely';
import { asFlag, eachText } from '../../dialect.ts';
import type { NewAttachment, NewMessage, NewThread, StoredAttachment, ThreadPatch } from '../../types/mail.ts';
import type { NewRun } from '../../types/runs.ts';
import { compiledQuery } from '../database/compiled-query.ts';
import { viewerKey } from '../database/seen-by.ts';
import { rowOfMessage } from '../persona/schema/rows.ts';
import type { PersonaTables, Reader, Row, Trx } from '../persona/schema/tables.ts';

const insertThreadRow = compiledQuery<{ row: Insertable<PersonaTables['threads']> }>()((db: Reader, $) =>
  db.insertInto('threads').values($.row),
);

export async function insertThread(
  trx: Trx,
  thread: {
    id: string;
    kind: NewThread['kind'];
    subject: string;
    fast_replies?: number;
    answers_before?: number;
    begun_by_run?: string;
    /** Messages that are inserted with it. */
    message_count?: number;
    private_since?: number;
    taken_by?: string;
    taken_at?: number;
    now: number;
  },
): Promise<void> {
  const { now, ...row } = thread;
  await insertThreadRow(trx, { row: { ...row, created_at: now, updated_at: now } });
}

const selectMessage = compiledQuery<{ id: string }>()((db: Reader, $) =>
  db.selectFrom('messages').selectAll().where('id', '=', $.id),
);

/** As its row is. */
export const messageById = async (db: Reader, id: string): Promise<Row<'messages'> | undefined> =>
  (await selectMessage(db, { id })).rows[0];

/** Since when the thread is private, null where it is not; undefined: there is no such thread. */
export async function privateSince(db: Reader, threadId: string): Promise<number | null | undefined> {
  const thread = db.selectFrom('threads').select('private_since').where('id', '=', threadId);
  return (await thread.executeTakeFirst())?.private_since;
}

const insertMessageRow = compiledQuery<{ row: Insertable<PersonaTables['messages']> }>()((db: Reader, $) =>
  db
    .insertInto('messages')
    .values($.row)
    .returning(['seq', sql<number | null>`(select max(seq) from mail_index)`.as('indexed')]),
);

/** Where a message was inserted, and how far the index of mail goes; null: there is none of any mail. */
export interface InsertedMessage {
  readonly seq: number;
  readonly indexed: number | null;
}
const insertRaw = compiledQuery<{ seq: number; bytes: Uint8Array }>()((db: Reader, $) =>
  db.insertInto('raw_mail').values({ seq: $.seq, bytes: $.bytes }),
);
const countMessage = compiledQuery<{ threadId: string; patch: ThreadPatch & { updated_at: number } }>()(
  (db: Reader, $) =>
    db
      .updateTable('threads')
      .set({ message_count: sql`message_count + 1`, ...$.patch })
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
    ofThread = {},
  }: {
    readonly attachments?: readonly NewAttachment[] | undefined;
    /** Addresses of its sender and recipients; where there are none, only owners see it. */
    readonly viewers?: readonly string[] | undefined;
    /** Its bytes as they came, where they are not a file yet. */
    readonly raw?: Uint8Array | undefined;
    /** Its thread was inserted with it and has counted it. */
    readonly isCounted?: boolean;
    /** What else is from now on of its thread, where that counts it. */
    readonly ofThread?: ThreadPatch;
  },
): Promise<InsertedMessage> {
  const [inserted] = (await insertMessageRow(trx, { row: rowOfMessage(message) })).rows;
  if (!inserted) throw new Error('a message was not inserted');
  const { seq } = inserted;
  if (raw) await insertRaw(trx, { seq, bytes: raw });
  await addViewers(trx, { threadId: message.thread_id, seq }, viewers);
  if (attachments.length > 0) await trx.insertInto('attachments').values(attachments).execute();
  if (!isCounted)
    await countMessage(trx, { threadId: message.thread_id, patch: { ...ofThread, updated_at: message.received_at } });
  return inserted;
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
          .doUpdateSet({ role: sql`case when excluded.role = 'known' then 'known' else thread_participants.role end` }),
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

const selectMailOfRun = compiledQuery<{ id: string }>()((db: Reader, $) =>
  db
    .selectFrom('messages')
    .selectAll()
    .select(asFlag(sql`exists (select 1 from attachments where message = messages.id)`).as('has_attachments'))
    .where('id', '=', $.id),
);

interface MailOfRun {
  readonly row: Row<'messages'>;
  readonly attachments: readonly StoredAttachment[];
}

/** A message as its row is, with its attachments: most have none, and are not asked for them. */
export async function messageWithAttachments(db: Reader, id: string): Promise<MailOfRun | undefined> {
  const [found] = (await selectMailOfRun(db, { id })).rows;
  if (!found) return undefined;
  const { has_attachments: hasAttachments, ...row } = found;
  return { row, attachments: hasAttachments === 1 ? await attachmentsOf(db, id) : [] };
}

export const attachmentsOf = async (trx: Reader, message: string): Promise<StoredAttachment[]> =>
  (await selectAttachments(trx, { message })).rows;

/** Everybody else whom a mail names is told of it by whoever else named them; a list of thousands is no conversation. */
const MAX_VIEWERS = 500;

// One text: a list as long as its mail has viewers would be another statement for each length.
const insertRows = compiledQuery<{ threadId: string; seq: number; keys: string }>()(
  (_: Reader, $) => sql`
    insert into message_viewers (thread_id, address, seq)
    select ${$.threadId}, value, ${$.seq} from ${eachText($.keys, 'one')}`,
);

/** Writes down who may see a message: as it was when it came or left, whoever joins the thread later. */
async function addViewers(
  trx: Trx,
  message: { readonly threadId: string; readonly seq: number },
  addresses: readonly string[],
): Promise<void> {
  const keys = [...new Set(addresses.map(viewerKey))].filter((key) => key !== '').slice(0, MAX_VIEWERS);
  if (keys.length > 0) await insertRows(trx, { ...message, keys: JSON.stringify(keys) });
}
