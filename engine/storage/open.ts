import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import SQLite from 'better-sqlite3';
import { Kysely } from 'kysely';
import { makePrivateFile } from './private-file.ts';
import { cachingSqliteDialect } from './sqlite/dialect.ts';

export interface OpenDatabase<Tables> {
  readonly db: Kysely<Tables>;
  /** Changes when another connection has written (`PRAGMA data_version`). */
  dataVersion(): number;
  close(): Promise<void>;
}

/**
 * Opens one SQLite file and brings it to the newest version; `migrations[n]` leads from version n to n + 1.
 * `':memory:'` is for tests. The raw handle stays here.
 */
export function openDatabase<Tables>(file: string, migrations: readonly string[]): OpenDatabase<Tables> {
  if (file !== ':memory:') {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    makePrivateFile(file);
  }
  const database = new SQLite(file);
  try {
    database.pragma('busy_timeout = 5000');
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.pragma('foreign_keys = ON');
    migrate(database, migrations);
  } catch (error) {
    database.close();
    throw error;
  }
  const db = new Kysely<Tables>({ dialect: cachingSqliteDialect(database) });
  const version = database.prepare<[], { data_version: number }>('pragma data_version');
  return { db, dataVersion: () => version.get()?.data_version ?? 0, close: () => db.destroy() };
}

function migrate(database: SQLite.Database, migrations: readonly string[]): void {
  const version = () => Number(database.pragma('user_version', { simple: true }));
  if (version() > migrations.length) {
    throw new Error(`${database.name} was written by a newer version of Epistle`);
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
