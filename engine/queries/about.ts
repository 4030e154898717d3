import type { LookUpStore } from '../storage/ports/store.ts';

/** Whose mail a row is about, and its subject; nulls where it is about none. */
export interface About {
  readonly from: string | null;
  readonly subject: string | null;
}

interface OfRun {
  readonly about: About;
  /** Of a child run: the run at the top, whose mail it is; else null. */
  readonly helps: string | null;
}

const NOTHING: OfRun = { about: { from: null, subject: null }, helps: null };

/** Rows with what the runs are about that they belong to. */
export async function withAbout<Row>(
  store: LookUpStore,
  rows: readonly Row[],
  runOf: (row: Row) => string,
): Promise<(Row & OfRun)[]> {
  const found = await store.subjectsOfRuns([...new Set(rows.map(runOf).filter((id) => id !== ''))]);
  const byRun = new Map(found.map(({ run_id: id, helps, ...about }) => [id, { about, helps }]));
  return rows.map((row) => ({ ...row, ...(byRun.get(runOf(row)) ?? NOTHING) }));
}
