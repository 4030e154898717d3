import { type RawBuilder, sql } from 'kysely';
import { addressWord } from '../../search/fold.ts';
import type { Clue } from '../../search/windows.ts';
import type { Viewer } from '../../types/mail.ts';
import { compiledQuery } from '../database/compiled-query.ts';
import type { Reader } from '../persona/schema/tables.ts';
import { MAX_WAITING } from './places.ts';
import { ROWS_OF_MESSAGE, SEQ_OF_ROW } from './write-index.ts';

// Which mails have which words, by the index. Whoever takes something of it asks besides whether it may be seen.

/** The mails that have a word, newest first. */
export interface Having {
  /** Whoever may see them. */
  readonly many: number;
  /** The last of them. */
  readonly oldest: number;
  /** Those that were addressed to the viewer, or that the viewer sent. */
  readonly seqs: readonly number[];
}

interface Words {
  readonly matching: string;
  readonly limit: number;
  readonly after: number;
}

// As one text: a row of its own for each number takes longer than to find it. A statement of its own for each word does, too.
const listOf = ($: { [Key in keyof Words]: RawBuilder<Words[Key]> }, seq: RawBuilder<number | null>) =>
  sql<{ list: string }>`
    select (select count(*) || ',' || coalesce(min(h.seq), 0) || ',' || coalesce(group_concat(${seq}), '') from (
      select ${SEQ_OF_ROW} as seq from mail_fts
      where mail_fts match one.value and rowid > ${$.after} * ${sql.lit(ROWS_OF_MESSAGE)}
      order by rowid desc limit ${$.limit}) h) as list
    from json_each(${$.matching}) one`;

const ofAll = compiledQuery<Words>()((_: Reader, $) => listOf($, sql`h.seq`));
const ofViewer = compiledQuery<Words & { address: string }>()((_: Reader, { address, ...$ }) =>
  listOf(
    $,
    sql`case when exists (select 1 from message_viewers v where v.address = ${address} and v.seq = h.seq) then h.seq end`,
  ),
);

/** Of each of the clues, the newest mails that have it, so many at the most. */
export function mailsHaving(
  db: Reader,
  clues: readonly Clue[],
  { viewer, limit }: { readonly viewer: Viewer; readonly limit: number },
): Promise<ReadonlyMap<Clue, Having>> {
  const words = { matching: clues.map((clue) => `{subject own} : ${clue.expression}`), limit, after: -1 };
  return read(db, clues, { ...words, viewer });
}

/** The same of mails that name the viewer: of a word that many have, theirs are not among the newest. */
export function newestHaving(
  db: Reader,
  clues: readonly Clue[],
  { viewer, limit, after }: { readonly viewer: Viewer; readonly limit: number; readonly after: number },
): Promise<ReadonlyMap<Clue, Having>> {
  const named = viewer === null ? '' : ` AND {sender recipients} : "${addressWord(viewer.address)}"`;
  const words = { matching: clues.map((clue) => `{subject own} : ${clue.expression}${named}`), limit, after };
  return read(db, clues, { ...words, viewer });
}

async function read(
  db: Reader,
  clues: readonly Clue[],
  asked: { matching: readonly string[]; limit: number; after: number; viewer: Viewer },
): Promise<ReadonlyMap<Clue, Having>> {
  if (clues.length === 0) return new Map();
  const { viewer, limit, after } = asked;
  const words = { matching: JSON.stringify(asked.matching), limit, after };
  const { rows } = await (viewer === null ? ofAll(db, words) : ofViewer(db, { ...words, address: viewer.address }));
  return new Map(clues.map((clue, at) => [clue, havingOf(rows[at]?.list ?? '0,0,')]));
}

function havingOf(list: string): Having {
  const [many, oldest, ...seqs] = list.split(',');
  return { many: Number(many), oldest: Number(oldest), seqs: seqs[0] === '' ? [] : seqs.map(Number) };
}

const extent = compiledQuery<{ limit: number }>()(
  (_: Reader, $) => sql<{ first: number; last: number; waiting: string | null }>`
    select coalesce((select min(seq) from mail_index), 0) as first, known.last,
      (select group_concat(seq) from (
        select seq from messages where seq > known.last order by seq desc limit ${$.limit})) as waiting
    from (select coalesce((select max(seq) from mail_index), 0) as last) known`,
);

/** The first and the last mail of the index, and the newest of those that came since. */
export async function extentOf(db: Reader): Promise<{ first: number; last: number; waiting: readonly number[] }> {
  const { first = 0, last = 0, waiting = null } = (await extent(db, { limit: MAX_WAITING })).rows[0] ?? {};
  return { first, last, waiting: waiting?.split(',').map(Number) ?? [] };
}
