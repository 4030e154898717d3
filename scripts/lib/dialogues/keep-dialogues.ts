import type SQLite from 'better-sqlite3';
import type { Letter } from './dialogues.ts';

const PERSONA = 'ada@agents.localhost';

/** Puts letters into the tables of a persona's database as their arrival would have, without the index. */
export function keepDialogues(database: SQLite.Database, letters: readonly Letter[]): void {
  const message = database.prepare(
    `insert into messages (id, thread_id, direction, message_id, from_address, from_name, to_json, to_names, cc_json,
      subject, references_json, date, received_at, tier, text, new_text)
     values (?, ?, ?, ?, ?, ?, ?, ?, '[]', ?, '[]', ?, ?, ?, ?, ?) returning seq`,
  );
  const viewer = database.prepare('insert into message_viewers (thread_id, address, seq) values (?, ?, ?)');
  const thread = database.prepare(
    "insert or ignore into threads (id, kind, subject, created_at, updated_at) values (?, 'thread', ?, ?, ?)",
  );
  database.transaction(() => {
    for (const { messageId, thread: id, direction, person, subject, text, at } of letters) {
      thread.run(id, subject, at, at);
      const isIn = direction === 'in';
      const [from, to] = isIn ? [person.address, PERSONA] : [PERSONA, person.address];
      const [name, toName] = isIn ? [person.name, 'Ada'] : ['Ada', person.name];
      const own = [messageId, id, direction, messageId, from, name, JSON.stringify([to]), toName];
      const row = message.get(...own, subject, at, at, isIn ? 'member' : null, text, text) as { seq: number };
      viewer.run(id, person.address, row.seq);
    }
  })();
}
