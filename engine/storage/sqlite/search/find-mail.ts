import { type RawBuilder, sql } from 'kysely';
import { asNumber, asReal, joined } from '../../dialect.ts';
import { closenessOf } from '../../search/closeness.ts';
import { addressWord, indexed } from '../../search/fold.ts';
import { hasWords, newestMailFirst } from '../../search/full-text.ts';
import { snippetOf } from '../../search/snippet.ts';
import { type Term, termsOf } from '../../search/terms.ts';
import type { FoundMessage, FoundMessages, MailSearch, StoredMessage, Viewer } from '../../types/mail.ts';
import { messageOf } from '../persona/schema/rows.ts';
import type { Reader, Row } from '../persona/schema/tables.ts';
import { isFoundBy } from './found.ts';
import { SEQ_OF_ROW } from './write-index.ts';

/** A word that stands in more than so many mails tells little, and ranking them all takes a while. */
const COMMON = 3000;
/** Of what comes first by its terms, so many more than are wanted are read. */
const ALSO_READ = 30;
/** Counted no further. */
const MAX_TOTAL = 1000;

export const MAX_PERSON = 200;
/** A name in all of these and in no other is rare. */
const MAX_LOOKED_AT = 200;
const MAX_ADDRESSES = 20;

interface Place {
  readonly seq: number;
  /** Bit n is set where it, or one of its files, has telling term n; 0 where nothing is ranked. */
  readonly held: number;
  readonly total: number;
}

/** Earlier mail that the viewer may see. Pure reading: what is not indexed yet is not found. */
export async function findMail(db: Reader, wanted: MailSearch): Promise<FoundMessages> {
  const terms = termsOf(wanted.query ?? '');
  if (wanted.query !== null && terms.length === 0) return { messages: [], order: 'newest', total: 0, more: false };
  const people = await peopleIn(db, wanted);
  const known = await weighed(db, terms);
  const telling = known.filter(({ isCommon }) => !isCommon);
  const order = telling.length > 0 ? 'best' : 'newest';
  const condition = await conditionsOf(db, wanted);
  const words = order === 'best' || terms.length === 0 ? [] : [anyOf(terms)];
  const places =
    order === 'best'
      ? await ranked(db, { telling, people, condition, limit: wanted.limit })
      : await newest(db, { matching: [...people, ...words].join(' AND '), condition, limit: wanted.limit });
  const total = places[0]?.total ?? 0;
  const read = await messagesAt(db, places);
  const messages = (order === 'best' ? closest(read, known, { telling, places }) : read)
    .slice(0, wanted.limit)
    .map((row) => foundOf(row, terms));
  return { messages, order, total, more: order === 'newest' && total === MAX_TOTAL };
}

const anyOf = (terms: readonly Pick<Term, 'expression'>[]): string =>
  `(${terms.map(({ expression }) => expression).join(' OR ')})`;

interface Weighed {
  readonly term: Term;
  /** The rarer, the more. */
  readonly weight: number;
  readonly isCommon: boolean;
}

/** Those of the terms that any mail has. */
async function weighed(db: Reader, terms: readonly Term[]): Promise<readonly Weighed[]> {
  if (terms.length === 0) return [];
  const { rows } = await sql<{ mails: number }>`
    select coalesce((select max(seq) from mail_index) - (select min(seq) from mail_index) + 1, 0) as mails`.execute(db);
  const mails = rows[0]?.mails ?? 0;
  const known: Weighed[] = [];
  for (const term of terms) {
    const { rows: counted } = await sql<{ many: number }>`
      select count(*) as many from (
        select 1 from mail_fts where ${hasWords('mail_fts', term.expression)} limit ${COMMON + 1}) counted`.execute(db);
    const many = counted[0]?.many ?? 0;
    if (many > 0) known.push({ term, isCommon: many > COMMON, weight: term.share * Math.log(1 + mails / many) });
  }
  return known;
}

async function peopleIn(db: Reader, { from, to, viewer }: MailSearch): Promise<string[]> {
  return [
    ...(from === undefined ? [] : [`({sender} : (${personIn(from)}))`]),
    // Whom we write to is named in what they wrote, and seldom in what they got.
    ...(to === undefined
      ? []
      : [`({recipients} : (${[personIn(to), ...(await addressesOf(db, to, viewer))].join(' OR ')}))`]),
  ];
}

/** A whole address is that address; of a name each word has to be there, the last one as far as it was written. */
function personIn(person: string): string {
  const [, address] = /([^\s<>"',;]+@[^\s<>"',;]*\.[^\s<>"',;]+)/.exec(person.slice(0, MAX_PERSON)) ?? [];
  if (address !== undefined) return `"${addressWord(address)}"`;
  const words = indexed(person.slice(0, MAX_PERSON)).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  if (words.length === 0) return '"0none0"';
  return `(${words.map((word) => `("${word}" OR "${word}"*)`).join(' AND ')})`;
}

/** Of those who call themselves so in the newest of their mails that the viewer may see. */
async function addressesOf(db: Reader, person: string, viewer: Viewer): Promise<readonly string[]> {
  const { rows } = await sql<{ from_address: string }>`
    select distinct from_address from messages where direction = 'in' and from_address is not null and seq in (
      select m.seq from mail_fts join mail_index m on m.seq = ${SEQ_OF_ROW}
      where ${hasWords('mail_fts', `{sender} : (${personIn(person)})`)} and ${isFoundBy(viewer)}
      order by mail_fts.rowid desc limit ${MAX_LOOKED_AT})`.execute(db);
  return rows.slice(0, MAX_ADDRESSES).map(({ from_address: address }) => `"${addressWord(address)}"`);
}

async function conditionsOf(db: Reader, wanted: MailSearch): Promise<Condition> {
  const { since, before, direction, hasAttachment, threadId, viewer } = wanted;
  const except = await seqsOf(db, wanted.except ?? null);
  const all = [
    isFoundBy(viewer),
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

interface Ranking {
  readonly telling: readonly Weighed[];
  readonly people: readonly string[];
  readonly condition: Condition;
  readonly limit: number;
}

/**
 * By how many of the terms a mail and its files have, rare ones counting more; those that come first then by where they
 * have them. Not by bm25: a short mail that repeats one word came before the one that has them all, and it took three
 * quarters of the time. The newer one first where two are alike.
 */
async function ranked(db: Reader, { telling, people, condition, limit }: Ranking): Promise<readonly Place[]> {
  const having = telling.map(({ term, weight }, number) => {
    const matching = [...people, term.expression].join(' AND ');
    return sql`select ${SEQ_OF_ROW} as seq, ${asNumber(number)} as term, ${asReal(weight)} as weight
      from mail_fts where ${hasWords('mail_fts', matching)}`;
  });
  const { rows } = await sql<Place>`
    with having_term as materialized (${sql.join(having, sql` union `)})
    select m.seq, sum(1 << cast(h.term as integer)) as held, count(*) over () as total
    from having_term h join mail_index m on m.seq = h.seq
    where ${condition} group by m.seq order by sum(h.weight) desc, m.seq desc limit ${limit + ALSO_READ}`.execute(db);
  return rows;
}

/** By when it was written. Rows of the index are in the order of arrival, which is nearly the same. */
async function newest(
  db: Reader,
  { matching, condition, limit }: { matching: string; condition: Condition; limit: number },
): Promise<readonly Place[]> {
  const source =
    matching === ''
      ? sql`select m.seq, m.written_at from mail_index m where ${condition} order by m.written_at desc`
      : sql`select distinct m.seq, m.written_at from mail_fts join mail_index m on m.seq = ${SEQ_OF_ROW}
          where ${hasWords('mail_fts', matching)} and ${condition} order by ${newestMailFirst}`;
  const { rows } = await sql<Place>`
    select seq, 0 as held, count(*) over () as total from (${source} limit ${MAX_TOTAL}) found
    order by written_at desc, seq desc limit ${limit}`.execute(db);
  return rows;
}

type Found = StoredMessage & { readonly written_at: number; readonly files: string };

async function messagesAt(db: Reader, places: readonly Place[]): Promise<readonly Found[]> {
  if (places.length === 0) return [];
  const seqs = places.map(({ seq }) => seq);
  const { rows } = await sql<Row<'messages'> & Pick<Found, 'written_at' | 'files'>>`
    select m.*, i.written_at,
      coalesce((select ${joined(sql`id || ' ' || name`, '\n')} from attachments where message = m.id), '') as files
    from messages m join mail_index i on i.seq = m.seq where m.seq in (${sql.join(seqs)})`.execute(db);
  return rows.sort((a, b) => seqs.indexOf(a.seq) - seqs.indexOf(b.seq)).map((row) => messageOf(row));
}

/** Common words count here as well: the mails that are compared are few by now. */
function closest(
  found: readonly Found[],
  known: readonly Weighed[],
  { telling, places }: { readonly telling: readonly Weighed[]; readonly places: readonly Place[] },
): readonly Found[] {
  const heldAt = new Map(places.map(({ seq, held }) => [seq, held]));
  const has = (seq: number, one: Weighed) => {
    const n = telling.indexOf(one);
    return n !== -1 && ((heldAt.get(seq) ?? 0) & (1 << n)) !== 0;
  };
  return found
    .map((message) => {
      const terms = known.map((one) => ({ ...one, isHeld: has(message.seq, one) }));
      return { message, score: closenessOf(message, terms) };
    })
    .sort((a, b) => b.score - a.score || b.message.seq - a.message.seq)
    .map(({ message }) => message);
}

const foundOf = ({ new_text, text, files, ...message }: Found, terms: readonly Term[]): FoundMessage => ({
  message_id: message.message_id,
  thread_id: message.thread_id,
  direction: message.direction,
  from_address: message.from_address,
  from_name: message.from_name,
  to: message.to,
  cc: message.cc,
  subject: message.subject,
  tier: message.tier,
  written_at: message.written_at,
  // No name has the end of a line in it, and no id a blank.
  attachments:
    files === ''
      ? []
      : files.split('\n').map((line) => ({ id: line.split(' ', 1)[0] ?? '', name: line.slice(line.indexOf(' ') + 1) })),
  snippet: snippetOf([new_text, text], terms),
});
