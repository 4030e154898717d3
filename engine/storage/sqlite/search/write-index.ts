import { sql } from 'kysely';
import { asFlag, eachNumber, joined } from '../../dialect.ts';
import { addressWord, indexed } from '../../search/fold.ts';
import { emptyMailIndex, wordsOf } from '../../search/full-text.ts';
import { writtenAt } from '../../search/written-at.ts';
import type { NewJob } from '../../types/jobs.ts';
import type { FileToIndex, StoredMessage } from '../../types/mail.ts';
import { compiledQuery } from '../database/compiled-query.ts';
import { messageOf } from '../persona/schema/rows.ts';
import type { Reader, Row, Trx } from '../persona/schema/tables.ts';
import { attachmentsOf, type InsertedMessage } from '../repositories/arrivals.ts';
import { securely } from '../repositories/facts/securely.ts';
import { addJobs } from '../repositories/jobs.ts';

/** Rows of the index that one message may have: its own, and one for each attachment with text. */
export const ROWS_OF_MESSAGE = 1024;
/** Of which message a row of the index is. A number that is bound divides as a fraction. */
export const SEQ_OF_ROW = sql.raw(`mail_fts.rowid / ${ROWS_OF_MESSAGE}`);

/** So many wait before a run that ends takes them in. */
const WORTH_INDEXING = 16;
const INDEXED_WITH_A_RUN = 32;
/** A mail has megabytes at most by accident, and nobody looks for its end. */
const MAX_TEXT = 200_000;

type Indexed = Row<'messages'> & {
  readonly files: string | null;
  readonly file_count: number;
  readonly is_forgotten: number;
  /** 1: its thread is private. */
  readonly is_private: number;
};

const withFiles = sql`m.*, (select ${joined(sql`name`, '\n')} from attachments where message = m.id) as files,
  (select count(*) from attachments where message = m.id) as file_count,
  ${asFlag(sql`exists (select 1 from forgotten_messages f where f.seq = m.seq)`)} as is_forgotten,
  (select ${asFlag(sql`private_since is not null`)} from threads where id = m.thread_id) as is_private`;

const laterThanIndexed = compiledQuery<{ limit: number }>()(
  (_: Reader, $) => sql<Indexed>`
    select ${withFiles} from messages m where m.seq > (select max(seq) from mail_index) order by m.seq limit ${$.limit}`,
);
const earlierThanIndexed = compiledQuery<{ limit: number }>()(
  (_: Reader, $) => sql<Indexed>`
    select ${withFiles} from messages m
    where m.seq < coalesce((select min(seq) from mail_index), 9e15) order by m.seq desc limit ${$.limit}`,
);

const insertIndex = compiledQuery<{ row: Row<'mail_index'> }>()((db: Reader, $) =>
  db.insertInto('mail_index').values($.row),
);
/** What may take a while: files, and mail that was there before the index. */
const INDEX_MAIL: NewJob = { id: 'index_mail', kind: 'index_mail', payload: '{}', due_at: 0 };
/** What is deleted stands in the index until its parts are written anew. */
const COMPACT_INDEX: NewJob = { id: 'compact_index', kind: 'compact_index', payload: '{}', due_at: 0 };
/** Its parts become one. */
const MERGE_INDEX: NewJob = { id: 'merge_index', kind: 'merge_index', payload: '{}', due_at: 0 };
/** From so many mails on, and then each time there is so much more of it: to look a word up in eight parts takes twice as long. */
const WORTH_MERGING = 1000;
const GROWN = 1.125;

interface Columns {
  readonly rowid: number;
  readonly subject: string;
  readonly own: string;
  readonly rest: string;
  readonly files: string;
  readonly sender: string;
  readonly recipients: string;
}
const insertText = compiledQuery<Columns>()(
  (_: Reader, $) => sql`
    insert into mail_fts (rowid, subject, own, rest, files, sender, recipients)
    values (${$.rowid}, ${wordsOf($.subject)}, ${wordsOf($.own)}, ${wordsOf($.rest)}, ${wordsOf($.files)},
      ${wordsOf($.sender)}, ${wordsOf($.recipients)})`,
);
const waitingCount = compiledQuery<{ least: number }>()(
  (_: Reader, $) => sql<{ isWorth: number }>`
    select ${asFlag(
      sql`(select max(seq) from messages) >= ${$.least} + coalesce((select max(seq) from mail_index), 0)`,
    )} as "isWorth"`,
);

/**
 * For a run that ends: takes what came since the last time into the index once it is worth it. A message by itself
 * costs the index as much as all else of a mail does, one of many a tenth of that; a search takes in the rest. `newest`:
 * the message that was inserted in the same transaction; null: none was.
 */
export async function indexWaiting(trx: Trx, newest: InsertedMessage | null): Promise<void> {
  if (newest === null ? await isWorthIndexing(trx) : newest.seq >= WORTH_INDEXING + (newest.indexed ?? 0))
    await indexMessages(trx, INDEXED_WITH_A_RUN);
}

const isWorthIndexing = async (trx: Trx): Promise<boolean> =>
  (await waitingCount(trx, { least: WORTH_INDEXING })).rows[0]?.isWorth === 1;

/**
 * Takes what came since the last time into the index, and then what is older than all of it, newest first. Not when a
 * mail is accepted: nobody can have asked for it yet. Returns how many it took.
 */
export async function indexMessages(trx: Trx, limit: number): Promise<number> {
  const later = (await laterThanIndexed(trx, { limit })).rows;
  const room = limit - later.length;
  const earlier = room > 0 ? (await earlierThanIndexed(trx, { limit: room })).rows : [];
  // In the order of rows, so that FTS5 writes them in one piece.
  for (const row of earlier.toReversed()) await indexOne(trx, row);
  for (const row of later) await indexOne(trx, row);
  if ([...earlier, ...later].some(({ file_count: files }) => files > 0)) await addJobs(trx, [INDEX_MAIL]);
  // The last piece of what was there before the index.
  const isMadeAnew = earlier.length > 0 && earlier.length < room;
  if (isMadeAnew || hasGrown(later)) await addJobs(trx, [MERGE_INDEX]);
  return later.length + earlier.length;
}

/** Whether the mails pass one of the sizes at which it is worth to make one of all parts. */
function hasGrown(mails: readonly { readonly seq: number }[]): boolean {
  const sizeOf = (seq: number): number =>
    Math.floor(Math.log(Math.max(WORTH_MERGING, seq) / WORTH_MERGING) / Math.log(GROWN));
  const [first, last] = [mails.at(0), mails.at(-1)];
  return first !== undefined && last !== undefined && sizeOf(last.seq) > sizeOf(first.seq - 1);
}

/** Whether there is anything that the index does not have. */
export async function isBehind(db: Reader): Promise<boolean> {
  const { rows } = await sql<{ behind: number }>`
    select ${asFlag(sql`exists (select 1 from messages where seq > coalesce((select max(seq) from mail_index), 0))
      or exists (select 1 from messages where seq < (select min(seq) from mail_index))`)} as behind`.execute(db);
  return rows[0]?.behind === 1;
}

export async function forgetIndex(trx: Trx): Promise<void> {
  await sql`delete from mail_index`.execute(trx);
  await emptyMailIndex.execute(trx);
  await addJobs(trx, [INDEX_MAIL]);
}

/** From now on no search finds these by their words: the index is made anew without them. The mail itself stays. */
export async function forgetInIndex(
  trx: Trx,
  wanted: { readonly messages: readonly number[] } | { readonly person: string },
): Promise<void> {
  const which =
    'person' in wanted
      ? sql`select seq from messages where lower(from_address) = ${wanted.person.toLowerCase()}`
      : sql`select value from ${eachNumber(JSON.stringify(wanted.messages), 'one')} where true`;
  await sql`insert into forgotten_messages (seq) ${which} on conflict do nothing`.execute(trx);
  await securely(trx, () => forgetIndex(trx));
}

const ofThread = compiledQuery<{ threadId: string }>()(
  (_: Reader, $) => sql<Indexed>`
    select ${withFiles} from messages m join mail_index i on i.seq = m.seq where m.thread_id = ${$.threadId} order by m.seq`,
);

/** Takes the words of a thread out of the index, or in again, as it is private or not. */
export async function indexThreadAnew(trx: Trx, threadId: string): Promise<void> {
  const { rows } = await ofThread(trx, { threadId });
  for (const row of rows) {
    const first = row.seq * ROWS_OF_MESSAGE;
    await sql`delete from mail_fts where rowid between ${first} and ${first + ROWS_OF_MESSAGE - 1}`.execute(trx);
    await trx.deleteFrom('mail_index').where('seq', '=', row.seq).execute();
    await indexOne(trx, row);
  }
  if (rows.some(({ file_count: files, is_private: hidden }) => files > 0 && hidden === 0))
    await addJobs(trx, [INDEX_MAIL]);
  if (rows.some(({ is_private: hidden }) => hidden === 1)) await addJobs(trx, [COMPACT_INDEX]);
}

/** Of a private thread, and of what is to be forgotten, there is a row that says that it was looked at, and no word. */
async function indexOne(
  trx: Trx,
  { files, file_count, is_forgotten: isForgotten, is_private: isPrivate, ...row }: Indexed,
): Promise<void> {
  const message = messageOf(row);
  const { seq, thread_id, direction } = message;
  await insertIndex(trx, {
    row: {
      seq,
      thread_id,
      direction,
      written_at: writtenAt(message),
      attachments: file_count,
      unread_files: isForgotten === 1 || isPrivate === 1 ? 0 : file_count,
    },
  });
  if (isForgotten === 1 || isPrivate === 1) return;
  const readers = [...message.to, ...message.cc];
  const whole = (text: string) => indexed(text.slice(0, MAX_TEXT));
  await insertText(trx, {
    rowid: seq * ROWS_OF_MESSAGE,
    subject: whole(message.subject),
    own: whole(ownText(message)),
    rest: whole(restOf(message)),
    files: whole(files ?? ''),
    sender: people([message.from_address ?? ''], message.from_name),
    recipients: people(readers, message.to_names),
  });
}

/** Before mail was divided, all of it stood in one text. */
const isWhole = ({ new_text, quoted_text, forwarded_text }: StoredMessage): boolean =>
  `${new_text}${quoted_text}${forwarded_text}`.trim() === '';

const ownText = (message: StoredMessage): string => (isWhole(message) ? message.text : message.new_text);

/** What stands in the mail besides what its sender wrote in it. */
function restOf(message: StoredMessage): string {
  const { quoted_text, forwarded_text, new_text, text } = message;
  const rest = `${forwarded_text}\n${quoted_text}`.trim();
  if (rest !== '' || isWhole(message)) return rest;
  return text.length > new_text.length + 200 ? text : '';
}

const people = (addresses: readonly string[], names: string): string =>
  [indexed([names, ...addresses].join('\n')), ...addresses.map(addressWord)].join('\n');

export async function filesToIndex(
  db: Reader,
  limit: number,
): Promise<readonly { readonly seq: number; readonly files: readonly FileToIndex[] }[]> {
  const rows = await db
    .selectFrom('mail_index')
    .innerJoin('messages', 'messages.seq', 'mail_index.seq')
    .select(['mail_index.seq', 'messages.id'])
    .where('unread_files', '>', 0)
    .orderBy('mail_index.seq', 'desc')
    .limit(limit)
    .execute();
  return Promise.all(rows.map(async ({ seq, id }) => ({ seq, files: await attachmentsOf(db, id) })));
}

/** A row of its own for each file, with the people of the mail, by whom it is looked for as well. */
export async function indexFiles(trx: Trx, seq: number, texts: readonly string[]): Promise<void> {
  const row = await trx
    .selectFrom('mail_index')
    .innerJoin('messages', 'messages.seq', 'mail_index.seq')
    .selectAll('messages')
    .where('mail_index.seq', '=', seq)
    .where('unread_files', '>', 0)
    .executeTakeFirst();
  if (!row) return;
  const { from_address, from_name, to, cc, to_names } = messageOf(row);
  const sender = people([from_address ?? ''], from_name);
  const recipients = people([...to, ...cc], to_names);
  const first = seq * ROWS_OF_MESSAGE + 1;
  for (const [position, text] of texts.slice(0, ROWS_OF_MESSAGE - 1).entries()) {
    if (text === '') continue;
    const inside = indexed(text.slice(0, MAX_TEXT));
    await sql`insert into mail_fts (rowid, sender, recipients, inside)
      values (${first + position}, ${wordsOf(sender)}, ${wordsOf(recipients)}, ${wordsOf(inside)})`.execute(trx);
  }
  await trx.updateTable('mail_index').set({ unread_files: 0 }).where('seq', '=', seq).execute();
}
