import type { TableAnswer, TableQuery } from '#contract';
import { chosenTable, queryTable } from './query/run.ts';
import { QueryError } from './query-error.ts';
import { type Source, tablesIn } from './source/tables-in.ts';

export type Answered =
  | { readonly ok: true; readonly answer: TableAnswer }
  /** The message is for the model. */
  | { readonly ok: false; readonly message: string };

/** Reads the source and answers; a question that cannot be answered as it was asked is no failure. */
export async function answerIn({
  source,
  query,
}: {
  readonly source: Source;
  readonly query: TableQuery;
}): Promise<Answered> {
  try {
    const tables = await tablesIn(source);
    return { ok: true, answer: queryTable(chosenTable(tables, query), query) };
  } catch (error) {
    if (error instanceof QueryError) return { ok: false, message: error.message };
    throw error;
  }
}
