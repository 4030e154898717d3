import { type RawBuilder, sql } from 'kysely';
import { byEngine, NOTHING } from '../dialect.ts';

// What full text is written by: FTS5 in SQLite, columns of words in PostgreSQL (`schemaInPostgres` makes them). The expressions
// that `terms.ts` writes are those of FTS5: before PostgreSQL is switched on, somebody has to write the same for it.

type Index = 'mail_fts' | 'knowledge_fts';

/** The condition that a row of the index has what an expression asks for. */
export const hasWords = (index: Index, expression: unknown) =>
  byEngine(
    sql<boolean>`${sql.raw(index)} match ${expression}`,
    sql`${sql.raw(index)}.words @@ to_tsquery('simple', ${expression})`,
  );

/** A text as its column of an index takes it. */
export const wordsOf = (text: unknown) => byEngine(sql<string>`${text}`, sql`to_tsvector('simple', ${text})`);

/** For an order: those first that have most of an expression, each column counting as much as is said. */
export const mostFirst = (index: Index, weights: readonly number[], expression: unknown) =>
  byEngine(
    sql<number>`bm25(${sql.raw(index)}, ${sql.raw(weights.join(', '))})`,
    sql`-ts_rank(${sql.raw(index)}.words, to_tsquery('simple', ${expression}))`,
  );

/** For an order of `mail_fts` joined with `mail_index m`, each mail once: PostgreSQL orders such rows by what is read of them alone. */
export const newestMailFirst = byEngine(sql`mail_fts.rowid desc`, sql`m.seq desc`);

export const emptyMailIndex: RawBuilder<unknown> = byEngine(
  sql`insert into mail_fts(mail_fts) values ('delete-all')`,
  sql`delete from mail_fts`,
);

/** One piece of making one of all parts of the index; PostgreSQL does that by itself. */
export const mergeMailIndex = (pages: number) =>
  byEngine(sql`insert into mail_fts (mail_fts, rank) values ('merge', ${pages})`, NOTHING);
