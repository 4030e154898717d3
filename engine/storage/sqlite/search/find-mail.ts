import { type RawBuilder, sql } from 'kysely';
import { addressWord, indexed } from '../../search/fold.ts';
import { snippetOf } from '../../search/snippet.ts';
import { type Term, termsOf } from '../../search/terms.ts';
import type { FoundMessage, FoundMessages, MailSearch, Viewer } from '../../types/mail.ts';
import { messageOf } from '../persona/schema/rows.ts';
import type { Reader, Row } from '../persona/schema/tables.ts';
import { isSeenBy } from '../repositories/viewers.ts';
import { ROWS_OF_MESSAGE } from './write-index.ts';

/** A word that stands in more than so many mails tells little, and ranking them all takes a while. */
const COMMON = 5000;
/** Counted no further. */
const MAX_TOTAL = 1000;

/** subject, own, rest, files, sender, recipients, known: what its sender wrote says most, what is quoted least. */
const WEIGHTS = sql.raw('4.0, 2.0, 0.4, 2.0, 3.0, 2.0, 1.0');
/** What stands in the mail itself: a name that its reader knows from elsewhere is found by owners alone. */
const OF_MAIL = '{subject own rest files sender recipients}';

const MAX_PERSON = 200;

interface Place {
  readonly seq: number;
  readonly total: number;
}

/** Earlier mail that the viewer may see. Pure reading: what is not indexed yet is not found. */
export async function findMail(db: Reader, wanted: MailSearch): Promise<FoundMessages> {
  const terms = termsOf(wanted.query ?? '');
  if (wanted.query !== null && terms.length === 0) return { messages: [], order: 'newest', total: 0, more: false };
  const people = peopleIn(wanted);
  const telling = await tellingOf(db, terms, wanted.viewer);
  const order = telling.length > 0 ? 'best' : 'newest';
  const words = telling.length > 0 ? telling : terms;
  const matching = [...people, ...(words.length === 0 ? [] : [within(wanted.viewer, anyOf(words))])].join(' AND ');
  const places = await (order === 'best' ? ranked : newest)(db, matching, await conditionsOf(db, wanted), wanted.limit);
  const total = places[0]?.total ?? 0;
  const messages = await messagesAt(db, places, terms);
  return { messages, order, total, more: order === 'newest' && total === MAX_TOTAL };
}

const anyOf = (terms: readonly Term[]): string => terms.map(({ expression }) => expression).join(' OR ');

const within = (viewer: Viewer, expression: string): string =>
  viewer === null ? `(${expression})` : `(${OF_MAIL} : (${expression}))`;

/** The terms by which mail can be ranked; none where each of them stands in too much of it. */
async function tellingOf(db: Reader, terms: readonly Term[], viewer: Viewer): Promise<readonly Term[]> {
  const telling: Term[] = [];
  for (const term of terms) {
    const { rows } = await sql<{ many: number }>`
      select count(*) as many from (
        select 1 from mail_fts where mail_fts match ${within(viewer, term.expression)} limit ${COMMON + 1})`.execute(
      db,
    );
    if ((rows[0]?.many ?? 0) <= COMMON) telling.push(term);
  }
  return telling;
}

function peopleIn({ from, to, viewer }: MailSearch): string[] {
  const to_ = viewer === null ? '{recipients known}' : '{recipients}';
  return [
    ...(from === undefined ? [] : [personIn('{sender}', from)]),
    ...(to === undefined ? [] : [personIn(to_, to)]),
  ];
}

/** A whole address is that address; of a name each word has to be there, the last one as far as it was written. */
function personIn(columns: string, person: string): string {
  const [, address] = /([^\s<>"',;]+@[^\s<>"',;]*\.[^\s<>"',;]+)/.exec(person.slice(0, MAX_PERSON)) ?? [];
  if (address !== undefined) return `${columns} : "${addressWord(address)}"`;
  const words = indexed(person.slice(0, MAX_PERSON)).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  if (words.length === 0) return `${columns} : "0none0"`;
  return `${columns} : (${words.map((word) => `("${word}" OR "${word}"*)`).join(' AND ')})`;
}

async function conditionsOf(db: Reader, wanted: MailSearch): Promise<Condition> {
  const { since, before, direction, hasAttachment, threadId, viewer } = wanted;
  const except = await seqsOf(db, wanted.except ?? null);
  const all = [
    isSeenBy(viewer),
    ...(since === undefined ? [] : [sql<boolean>`m.written_at >= ${since}`]),
    ...(before === undefined ? [] : [sql<boolean>`m.written_at < ${before}`]),
    ...(direction === undefined ? [] : [sql<boolean>`m.direction = ${direction}`]),
    ...(hasAttachment === undefined ? [] : [sql<boolean>`(m.attachments > 0) = ${hasAttachment ? 1 : 0}`]),
    ...(threadId === undefined ? [] : [sql<boolean>`m.thread_id = ${threadId}`]),
    ...except.map((seq) => sql<boolean>`m.seq != ${seq}`),
  ];
  return sql<boolean>`${sql.join(all, sql` and `)}`;
}

async function seqsOf(db: Reader, messageId: string | null): Promise<readonly number[]> {
  if (messageId === null) return [];
  const rows = await db.selectFrom('messages').select('seq').where('message_id', '=', messageId).limit(20).execute();
  return rows.map(({ seq }) => seq);
}

type Condition = RawBuilder<boolean>;

/** By bm25, over all columns; of a mail and its files together. The newer one first where two are alike. */
async function ranked(db: Reader, matching: string, condition: Condition, limit: number): Promise<readonly Place[]> {
  const { rows } = await sql<Place>`
    with f as materialized (
      select rowid / ${ROWS_OF_MESSAGE} as seq, bm25(mail_fts, ${WEIGHTS}) as score
      from mail_fts where mail_fts match ${matching})
    select m.seq, count(*) over () as total from f join mail_index m on m.seq = f.seq
    where ${condition} group by m.seq order by sum(f.score), m.seq desc limit ${limit}`.execute(db);
  return rows;
}

/** By when it was written. Rows of the index are in the order of arrival, which is nearly the same. */
async function newest(db: Reader, matching: string, condition: Condition, limit: number): Promise<readonly Place[]> {
  const source =
    matching === ''
      ? sql`select m.seq, m.written_at from mail_index m where ${condition} order by m.written_at desc`
      : sql`select distinct m.seq, m.written_at from mail_fts join mail_index m on m.seq = mail_fts.rowid / ${ROWS_OF_MESSAGE}
          where mail_fts match ${matching} and ${condition} order by mail_fts.rowid desc`;
  const { rows } = await sql<Place>`
    select seq, count(*) over () as total from (${source} limit ${MAX_TOTAL})
    order by written_at desc, seq desc limit ${limit}`.execute(db);
  return rows;
}

async function messagesAt(db: Reader, places: readonly Place[], terms: readonly Term[]): Promise<FoundMessage[]> {
  if (places.length === 0) return [];
  const seqs = places.map(({ seq }) => seq);
  const { rows } = await sql<Row<'messages'> & { written_at: number; files: string | null }>`
    select m.*, i.written_at, (select group_concat(name, char(10)) from attachments where message = m.id) as files
    from messages m join mail_index i on i.seq = m.seq where m.seq in (${sql.join(seqs)})`.execute(db);
  return rows
    .sort((a, b) => seqs.indexOf(a.seq) - seqs.indexOf(b.seq))
    .map(({ files, ...row }) => {
      const { new_text, text, ...message } = messageOf(row);
      return {
        ...{ message_id: message.message_id, thread_id: message.thread_id, direction: message.direction },
        ...{ from_address: message.from_address, from_name: message.from_name, to: message.to, cc: message.cc },
        ...{ subject: message.subject, tier: message.tier, written_at: message.written_at },
        attachments: files === null ? [] : files.split('\n'),
        snippet: snippetOf([new_text, text], terms),
      };
    });
}
