import SQLite from 'better-sqlite3';
import { personaMigrations } from '../../../../engine/storage/schema/persona.ts';
import { connect } from '../../../../engine/storage/sqlite/database/connection.ts';
import type { PersonaTables } from '../../../../engine/storage/sqlite/persona/schema/tables.ts';
import { indexMessages } from '../../../../engine/storage/sqlite/search/write-index.ts';
import { keepDialogues } from '../../../../scripts/lib/dialogues/keep-dialogues.ts';

/** The mails in the tables of a persona, indexed; and the CPU time of that, ms for one. */
export async function remembered(letters: Parameters<typeof keepDialogues>[1]) {
  const database = new SQLite(':memory:');
  for (const sql of personaMigrations) database.exec(sql);
  database.pragma('foreign_keys = OFF');
  keepDialogues(database, letters);
  const { db, transaction } = connect<PersonaTables>(database);
  const before = process.cpuUsage();
  const left = { more: 1 };
  while (left.more > 0) {
    await transaction(async (trx) => {
      left.more = await indexMessages(trx, 32);
    });
  }
  const { user, system } = process.cpuUsage(before);
  return { db, close: () => database.close(), indexMs: (user + system) / 1000 / letters.length };
}
