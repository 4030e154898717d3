import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../engine/storage/ports/store.ts';
import { personaMigrations } from '../../../engine/storage/sqlite/persona/migrations.ts';
import { openStore } from '../../../engine/storage/sqlite/persona/store.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const DAY = '2026-11-21';
const folder = mkdtempSync(join(tmpdir(), 'epistle-store-'));
const open: Store[] = [];
const numbers = { next: 0 };

afterEach(async () => {
  await Promise.all(open.splice(0).map((store) => store.close()));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function newStore(file = join(folder, `${numbers.next++}.db`)): Store {
  const store = openStore(file);
  open.push(store);
  return store;
}

describe('a database', () => {
  it('of the first version is brought up to date with what is in it', async () => {
    const file = join(folder, 'old.db');
    const old = new SQLite(file);
    old.exec(personaMigrations[0] ?? '');
    old.exec(`insert into budget_days (day, runs) values ('${DAY}', 7)`);
    old.pragma('user_version = 1');
    old.close();
    const store = newStore(file);
    expect(await store.budgetOfDay(DAY)).toMatchObject({ runs: 7 });
    const job = { id: 'near', kind: 'waiting_notice' as const, due_at: NOON, payload: '{}' };
    await store.warnOnce(DAY, NOON, job);
    await store.endJob('near');
    await store.warnOnce(DAY, NOON, job);
    expect(await store.dueJobs(NOON, 10)).toEqual([]);
  });

  it('of before it was written down who may see a message is told by what its mails say', async () => {
    const file = join(folder, 'unseen.db');
    const old = new SQLite(file);
    const version = personaMigrations.findIndex((sql) => sql.includes('create table message_viewers'));
    for (const sql of personaMigrations.slice(0, version)) old.exec(sql);
    old.exec(`insert into threads (id, kind, subject, created_at, updated_at) values ('t', 'thread', '', 0, 0)`);
    const insert = old.prepare(
      `insert into messages (id, thread_id, direction, message_id, from_address, to_json, cc_json, subject, references_json,
         received_at, tier, text, new_text) values (?, 't', ?, ?, ?, ?, ?, '', '[]', 0, ?, 'words', '')`,
    );
    const mia = 'mia@member.example';
    insert.run('sent', 'in', '<sent>', mia, '["ada@x.example"]', '[]', 'member');
    insert.run('copied', 'in', '<copied>', 'boss@x.example', '["ada@x.example"]', '["Mia@Member.Example"]', 'owner');
    insert.run('private', 'in', '<private>', 'boss@x.example', '["ada@x.example"]', '[]', 'owner');
    insert.run('forged', 'in', '<forged>', mia, '["ada@x.example"]', '[]', 'unauthenticated');
    insert.run('task', 'in', '<task>', null, '["ada@x.example"]', '[]', 'owner');
    insert.run('answer', 'out', '<answer>', 'ada@x.example', '["mia@member.example"]', '[]', null);
    insert.run('other', 'out', '<other>', 'ada@x.example', '["boss@x.example"]', '[]', null);
    old.pragma(`user_version = ${version}`);
    old.close();
    const store = newStore(file);
    const seenBy = async (address: string | null) => {
      const viewer = address === null ? null : { address, threadId: null };
      return (await store.threadPage('t', 1e9, 50, viewer)).map(({ id }) => id);
    };
    expect(await seenBy(mia)).toEqual(['answer', 'copied', 'sent']);
    expect(await seenBy('boss@x.example')).toEqual(['other', 'private', 'copied']);
    expect(await seenBy('')).toEqual([]);
    expect(await seenBy(null)).toHaveLength(7);
  });

  it('is closed once all that was asked for is in it', async () => {
    const file = join(folder, 'closed.db');
    const store = openStore(file);
    const job = { kind: 'notice' as const, due_at: NOON, payload: '{}' };
    const asked = ['one', 'two'].map((id) => store.addJobs([{ ...job, id }]));
    await store.close();
    await Promise.all(asked);
    expect((await newStore(file).dueJobs(NOON, 9)).map(({ id }) => id)).toEqual(['one', 'two']);
  });

  it('of a later version is left alone', () => {
    const file = join(folder, 'new.db');
    const later = new SQLite(file);
    later.pragma('user_version = 999');
    later.close();
    expect(() => openStore(file)).toThrow('written by a newer version');
  });
});
