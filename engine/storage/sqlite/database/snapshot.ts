import { closeSync, fsyncSync, openSync } from 'node:fs';
import SQLite from 'better-sqlite3';
import { makePrivateFile } from '../../private-file.ts';

/** More pages than any database has: the copy is one step, so a writer that commits meanwhile does not begin it anew. */
const ALL_PAGES = 2 ** 31 - 1;

/**
 * Copies a database that other processes may be writing to, as it stood at one moment. Resolves when the copy would
 * survive a power cut. Rejects with the error of SQLite.
 */
export async function snapshotDatabase(from: string, to: string): Promise<void> {
  makePrivateFile(to);
  const database = new SQLite(from, { readonly: true, timeout: 5000 });
  try {
    await database.backup(to, { progress: () => ALL_PAGES });
  } finally {
    database.close();
  }
  asSingleFile(to);
  const file = openSync(to, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Ends the write-ahead log of the copy: reading it then makes no files beside it. */
function asSingleFile(path: string): void {
  const copy = new SQLite(path);
  try {
    copy.pragma('journal_mode = DELETE');
  } finally {
    copy.close();
  }
}

/** How many migrations a database has behind it. Changes nothing. */
export function versionOf(file: string): number {
  const database = new SQLite(file, { readonly: true, timeout: 5000 });
  try {
    return Number(database.pragma('user_version', { simple: true }));
  } finally {
    database.close();
  }
}

interface InspectedDatabase {
  /** What `PRAGMA integrity_check` complains of; empty where it is sound. */
  readonly problems: readonly string[];
  readonly rows: Readonly<Record<string, number>>;
}

/** Checks a database that nobody writes to and counts the rows of those of the named tables that it has. */
export function inspectDatabase(file: string, tables: readonly string[]): InspectedDatabase {
  const database = new SQLite(file, { readonly: true });
  try {
    const found = database.pragma('integrity_check', { simple: false }) as readonly { integrity_check: string }[];
    const names = database.prepare<[], string>(`select name from sqlite_master where type = 'table'`).pluck().all();
    const count = (table: string) => database.prepare<[], number>(`select count(*) from "${table}"`).pluck().get() ?? 0;
    return {
      problems: found.map((row) => row.integrity_check).filter((line) => line !== 'ok'),
      rows: Object.fromEntries(tables.filter((table) => names.includes(table)).map((table) => [table, count(table)])),
    };
  } finally {
    database.close();
  }
}

/** How many rows of a table have a later time in a column than `after`, of each kind; nothing is written. Throws the error of SQLite. */
export function countedSince(
  file: string,
  table: string,
  by: { readonly kind: string; readonly at: string },
  after: number,
) {
  const database = new SQLite(file, { readonly: true, timeout: 5000 });
  try {
    const found = database
      .prepare<[number], { kind: string; count: number }>(
        `select "${by.kind}" as kind, count(*) as count from "${table}" where "${by.at}" > ? group by 1`,
      )
      .all(after);
    return new Map(found.map(({ kind, count }) => [kind, count]));
  } finally {
    database.close();
  }
}

/** The values of one column of a database that nobody writes to; none where there is no such table. */
export function columnOf(file: string, table: string, column: string): readonly string[] {
  const database = new SQLite(file, { readonly: true });
  try {
    const isThere = database.prepare(`select 1 from sqlite_master where type = 'table' and name = ?`).get(table);
    return isThere ? database.prepare<[], string>(`select "${column}" from "${table}"`).pluck().all() : [];
  } finally {
    database.close();
  }
}
