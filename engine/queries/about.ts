import type { LookUpStore } from '../storage/ports/store.ts';

/** Whose mail a row is about, and its subject; nulls where it is about none. */
export interface About {
  readonly from: string | null;
  readonly subject: string | null;
}

const NOTHING: About = { from: null, subject: null };

/** Rows with what the runs are about that they belong to. */
export async function withAbout<Row>(
  store: LookUpStore,
  rows: readonly Row[],
  runOf: (row: Row) => string,
): Promise<(Row & { readonly about: About })[]> {
  const found = await store.subjectsOfRuns([...new Set(rows.map(runOf).filter((id) => id !== ''))]);
  const byRun = new Map(found.map(({ run_id: id, from, subject }) => [id, { from, subject }]));
  return rows.map((row) => ({ ...row, about: byRun.get(runOf(row)) ?? NOTHING }));
}
