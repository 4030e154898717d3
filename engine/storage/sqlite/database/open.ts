import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import SQLite from 'better-sqlite3';
import type { Kysely } from 'kysely';
import { EngineError } from '#contract';
import { makePrivateFile } from '../../private-file.ts';
import { connect } from './connection.ts';
import { createGroupCommit, groupTransactions, type Transact } from './transactions.ts';
import { createWalFlush, noFlush } from './wal-flush.ts';

/** One for the process: what a database waits for the disk, all others wait, too. */
const turns = createGroupCommit();

/** What a database in memory begins with, by its migrations: those take longer than many a test that opens one. */
const images = new WeakMap<readonly string[], Buffer>();

export interface OpenDatabase<Tables> {
  /** For single statements. */
  readonly db: Kysely<Tables>;
  readonly transact: Transact<Tables>;
  /** Changes when another connection has written (`PRAGMA data_version`). */
  dataVersion(): number;
  /** Once all that was asked for is committed. */
  close(): Promise<void>;
}

/**
 * A log of 16 MB. A checkpoint stops the process for two flushes and for each page that changed since the last one, and
 * most mails change the same pages: at SQLite's 1000 that came every 20 mails.
 */
const CHECKPOINT_PAGES = 4000;

/**
 * Opens one SQLite file and brings it to the newest version; `migrations[n]` leads from version n to n + 1.
 * `':memory:'` is for tests. The raw handle stays here. `onWrite`: as `connect` has it.
 */
export function openDatabase<Tables>(
  file: string,
  migrations: readonly string[],
  onWrite?: () => void,
): OpenDatabase<Tables> {
  const isInMemory = file === ':memory:';
  if (!isInMemory) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    makePrivateFile(file);
  }
  const database = new SQLite((isInMemory && images.get(migrations)) || file);
  try {
    database.pragma('busy_timeout = 5000');
    database.pragma('journal_mode = WAL');
    // A commit is flushed by `flush`, a checkpoint by SQLite.
    database.pragma('synchronous = NORMAL');
    database.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    database.pragma('foreign_keys = ON');
    migrate(database, migrations);
    if (isInMemory && !images.has(migrations)) images.set(migrations, database.serialize());
  } catch (error) {
    database.close();
    throw error;
  }
  const connection = connect<Tables>(database, onWrite);
  const version = database.prepare<[], { data_version: number }>('pragma data_version');
  const flush = isInMemory ? noFlush : createWalFlush(`${file}-wal`);
  const inGroups = groupTransactions({ connection, turns, flush });
  let newest: Promise<unknown> = Promise.resolve();
  return {
    db: connection.db,
    transact(work, synchronous) {
      const asked = inGroups(work, synchronous);
      newest = asked.catch(() => {});
      return asked;
    },
    dataVersion: () => version.get()?.data_version ?? 0,
    async close() {
      await newest;
      await flush.close();
      database.close();
    },
  };
}

/** The way back is a backup: a migration is not undone, since an older version would not know what it has written since. */
export const WRITTEN_BY_NEWER =
  'this workspace was written by a newer version of Epistle, and nothing in it was changed; use that version, or go back to the backup that it made before its first start (docs/workspace.md, Backup)';

function migrate(database: SQLite.Database, migrations: readonly string[]): void {
  const version = () => Number(database.pragma('user_version', { simple: true }));
  if (version() > migrations.length) {
    throw new EngineError('storage_failed', WRITTEN_BY_NEWER);
  }
  if (version() === migrations.length) return;
  database
    .transaction(() => {
      // Read again inside the lock: another process may have migrated meanwhile.
      for (const sql of migrations.slice(version())) database.exec(sql);
      database.pragma(`user_version = ${migrations.length}`);
    })
    .immediate();
}
