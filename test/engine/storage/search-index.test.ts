import SQLite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { personaMigrations } from '../../../engine/storage/schema/persona.ts';
import { connect } from '../../../engine/storage/sqlite/database/connection.ts';
import type { PersonaTables } from '../../../engine/storage/sqlite/persona/schema/tables.ts';
import { findMail } from '../../../engine/storage/sqlite/search/find-mail.ts';
import { indexMessages, indexWaiting } from '../../../engine/storage/sqlite/search/write-index.ts';

describe('the full-text index', () => {
  let database: SQLite.Database;
  beforeEach(() => {
    database = new SQLite(':memory:');
    for (const sql of personaMigrations) database.exec(sql);
    database.pragma('foreign_keys = OFF');
  });
  afterEach(() => database.close());

  const arrive = (from: number, to: number) => {
    const insert = database.prepare(
      `insert into messages (id, thread_id, direction, message_id, from_address, subject, tier, text, new_text,
        received_at, to_json, cc_json, references_json)
        values (?, 't', 'in', ?, 'mia@member.example', 'Plan', 'member', 'the figures', 'the figures', 1, '[]', '[]', '[]')`,
    );
    for (let mail = from; mail <= to; mail += 1) insert.run(`m${mail}`, `<${mail}@member.example>`);
  };
  const indexed = () => database.prepare<[], number>('select count(*) from mail_fts_docsize').pluck().get() ?? 0;
  const runEnds = (newest: Parameters<typeof indexWaiting>[1] = null) =>
    connect<PersonaTables>(database).transaction((trx) => indexWaiting(trx, newest));

  it('takes in what came when there is enough of it, since one by one it costs ten times as much', async () => {
    arrive(1, 15);
    await runEnds();
    expect(indexed()).toBe(0);
    arrive(16, 40);
    await runEnds();
    expect(indexed()).toBe(32);
    // What is left is too little again.
    await runEnds();
    expect(indexed()).toBe(32);
  });

  it('goes by the message that was inserted with the end of a run, where there is one', async () => {
    arrive(1, 16);
    await runEnds({ seq: 15, indexed: null });
    expect(indexed()).toBe(0);
    await runEnds({ seq: 16, indexed: null });
    expect(indexed()).toBe(16);
    arrive(17, 32);
    await runEnds({ seq: 31, indexed: 16 });
    expect(indexed()).toBe(16);
    await runEnds({ seq: 32, indexed: 16 });
    expect(indexed()).toBe(32);
  });

  it('takes in what came first, and what was there before it after that, newest first', async () => {
    arrive(1, 50);
    const { transaction, db } = connect<PersonaTables>(database);
    const take = (limit: number) => transaction(async (trx) => void (await indexMessages(trx, limit)));
    const newest = async () =>
      (await findMail(db, { query: 'figures', limit: 3, viewer: null })).messages.map(({ message_id: id }) => id);
    await take(20);
    arrive(51, 55);
    await take(10);
    expect([indexed(), await newest()]).toEqual([30, [55, 54, 53].map((n) => `<${n}@member.example>`)]);
    await take(100);
    await take(100);
    expect(indexed()).toBe(55);
  });
});
