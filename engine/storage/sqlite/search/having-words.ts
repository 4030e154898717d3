import { sql } from 'kysely';
import { dataVersion, eachText, joined } from '../../dialect.ts';
import { addressWord } from '../../search/fold.ts';
import { hasWords } from '../../search/full-text.ts';
import type { Clue } from '../../search/windows.ts';
import { compiledQuery } from '../database/compiled-query.ts';
import type { Reader } from '../persona/schema/tables.ts';
import { MAX_WAITING } from './places.ts';
import { ROWS_OF_MESSAGE, SEQ_OF_ROW } from './write-index.ts';

// Which mails have which words, by the index, newest first, whoever may see them: whoever takes something of it asks that.

interface Words {
  readonly matching: string;
  readonly limit: number;
  readonly after: number;
}

// As one text: a row of its own for each number takes longer than to find it, and so does a statement of its own for each word, or
// to ask here of each whether it may be seen.
const listsOf = compiledQuery<Words>()(
  (_: Reader, $) => sql<{ list: string }>`
    select (select coalesce(${joined(sql`h.seq`)}, '') from (
      select ${SEQ_OF_ROW} as seq from mail_fts
      where ${hasWords('mail_fts', sql`one.value`)} and rowid > ${$.after} * ${sql.lit(ROWS_OF_MESSAGE)}
      order by rowid desc limit ${$.limit}) h) as list
    from ${eachText($.matching, 'one')}`,
);

/** Of each of the clues, the newest mails after that one that have it, so many at the most. */
export const mailsHaving = (
  db: Reader,
  clues: readonly Clue[],
  asked: { readonly limit: number; readonly after: number },
): Promise<ReadonlyMap<Clue, readonly number[]>> => read(db, clues, { named: '', ...asked });

/** The same of mails that name somebody: of a word that many have, theirs may not be among the newest. */
export const mailsNaming = (
  db: Reader,
  clues: readonly Clue[],
  { address, ...asked }: { readonly address: string; readonly limit: number; readonly after: number },
): Promise<ReadonlyMap<Clue, readonly number[]>> =>
  read(db, clues, { ...asked, named: ` AND {sender recipients} : "${addressWord(address)}"` });

async function read(
  db: Reader,
  clues: readonly Clue[],
  { named, limit, after }: { named: string; limit: number; after: number },
): Promise<ReadonlyMap<Clue, readonly number[]>> {
  if (clues.length === 0) return new Map();
  const matching = JSON.stringify(clues.map((clue) => `{subject own} : ${clue.expression}${named}`));
  const { rows } = await listsOf(db, { matching, limit, after });
  return new Map(clues.map((clue, at) => [clue, seqsIn(rows[at]?.list ?? '')]));
}

const seqsIn = (list: string): readonly number[] => (list === '' ? [] : list.split(',').map(Number));

const extent = compiledQuery<{ limit: number }>()(
  (_: Reader, $) => sql<Omit<IndexExtent, 'waiting'> & { waiting: string | null }>`
    select coalesce((select min(seq) from mail_index), 0) as first, known.last,
      ${dataVersion} as version,
      (select coalesce(sum(private_since), 0) from threads where private_since is not null) as hidden,
      (select ${joined(sql`seq`)} from (
        select seq from messages where seq > known.last order by seq desc limit ${$.limit}) newest) as waiting
    from (select coalesce((select max(seq) from mail_index), 0) as last) known`,
);

/** The first and the last mail of the index, and the newest of those that came since. */
export interface IndexExtent {
  readonly first: number;
  readonly last: number;
  /** Another one when another process has written. */
  readonly version: number;
  /** Another one when a thread has become private, or is not any more. */
  readonly hidden: number;
  readonly waiting: readonly number[];
}

export async function extentOf(db: Reader): Promise<IndexExtent> {
  const row = (await extent(db, { limit: MAX_WAITING })).rows[0];
  const { first = 0, last = 0, version = 0, hidden = 0 } = row ?? {};
  return { first, last, version, hidden, waiting: seqsIn(row?.waiting ?? '') };
}
