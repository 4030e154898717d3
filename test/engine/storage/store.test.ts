import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../engine/storage/ports/store.ts';
import { personaMigrations } from '../../../engine/storage/schema/persona.ts';
import { openStore } from '../../../engine/storage/sqlite/persona/store.ts';
import { arrival } from '../../storage/world.ts';

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

/** As a file said before tasks could be pinned, or have something to go on from. */
const SNAPSHOT = {
  task: 'brief',
  name: 'Brief',
  due_at: 1,
  timezone: 'UTC',
  file_sha256: 'f',
  prompt_sha256: 'p',
  deliver: ['ada@x.example'],
  sticky: false,
  condition: null,
};
const RELEASED = `
  insert into threads (id, kind, subject, created_at, updated_at) values ('t', 'thread', '', 0, 0);
  insert into messages (id, thread_id, direction, message_id, to_json, cc_json, subject, references_json, received_at,
    text, new_text, limitations_json) values
    ('m', 't', 'in', '<m@x>', '["ada@x.example"]', '[]', '', '["<a@x>","<b@x>"]', 0, '', '', '["no html"]'),
    ('s', 't', 'out', '<s@x>', '[]', '[]', '', '["<m@x>"]', 0, '', '', '[]');
  insert into runs (id, thread_id, message, message_id, kind, status, tier, recursion, due_at, created_at) values
    ('r', 't', 'm', '<m@x>', 'message', 'waiting_approval', 'owner', 3, 0, 0);
  insert into approvals (id, run_id, thread_id, call_id, tool, arguments_json, arguments_hash, fingerprint, risk, preview,
    attached_json, origins_json, state, expires_at, created_at, updated_at) values
    ('p1', 'r', 't', 'c1', 'send', '{"to":"x"}', 'h', 'f', 'external', 'what it changes',
      '[{"name":"a.txt","type":"text/plain","bytes":2,"sha256":"${'f'.repeat(64)}","kept":true}]',
      '[{"kind":"address","value":"eve@evil.example","at":"to","origin":null}]', 'pending', 9, 0, 0),
    ('p2', 'r', 't', 'c2', 'send', '{}', 'h', 'f', 'external', null, null, null, 'pending', 9, 0, 0);
  insert into undo_items (id, run_id, thread_id, call_id, tool, arguments_json, result_json, state, until, created_at,
    updated_at) values ('u', 'r', 't', 'c3', 'delete_file', '{"path":"a"}', 'null', 'open', 9, 0, 0);
  insert into approval_answers (id, notice_id, message_id, at, by, verdict, rules_json, items_json, asked_back) values
    ('w', 'n', '<w@x>', 0, 'owner', 'approve', '["yes"]', '[{"number":1,"verdict":"approve"}]', 1);
  insert into audit_log (id, at, actor, event, detail_json) values ('l', 0, 'owner', 'approval', '{"reason":null}');
  insert into task_times (task, due_at, decision, count, run_id, snapshot_json, decided_at) values
    ('brief', 1, 'run', 1, 'r', '${JSON.stringify(SNAPSHOT)}', 0);
`;

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

  it('of before one run of a thread was a rule keeps the older of two', async () => {
    const file = join(folder, 'two.db');
    const old = new SQLite(file);
    const before = personaMigrations.findIndex((migration) => String(migration).includes('runs_one_running'));
    for (const migration of personaMigrations.slice(0, before)) if (typeof migration === 'string') old.exec(migration);
    const run = `insert into runs (id, thread_id, message, message_id, kind, status, tier, recursion, due_at, created_at,
      leased_by, leased_until) values (?, 't', 'm', '<m@x>', 'message', 'running', 'member', 3, 1, 1, 'dead', 1)`;
    old.pragma('foreign_keys = off');
    for (const id of ['older', 'newer']) old.prepare(run).run(id);
    old.pragma(`user_version = ${before}`);
    old.close();
    const store = newStore(file);
    expect(await store.getRun('older')).toMatchObject({ status: 'running', fence: 0 });
    expect(await store.getRun('newer')).toMatchObject({ status: 'queued', leased_by: null, fence: 1 });
  });

  it('holds one running run of a thread, whoever writes it', async () => {
    const file = join(folder, 'thread.db');
    await newStore(file).listRuns({ limit: 1 });
    const beside = new SQLite(file);
    beside.pragma('foreign_keys = off');
    const insert = (id: string, cancelledBy: string | null) =>
      beside
        .prepare(
          `insert into runs (id, thread_id, message, message_id, kind, status, tier, recursion, due_at, created_at, cancelled_by)
             values (?, 't', 'm', '<m@x>', 'message', 'running', 'member', 3, 1, 1, ?)`,
        )
        .run(id, cancelledBy);
    insert('one', null);
    expect(() => insert('two', null)).toThrow('UNIQUE');
    // One that an owner cancels only ends.
    insert('cancelled', 'cli');
    beside.close();
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

  it('of before it was kept which mails were named that never came knows the newest of them', async () => {
    const file = join(folder, 'named.db');
    const old = new SQLite(file);
    const version = personaMigrations.findIndex((sql) => sql.includes('create table named_mails'));
    for (const sql of personaMigrations.slice(0, version)) old.exec(sql);
    const insert = old.prepare(
      `insert into messages (id, thread_id, direction, message_id, to_json, cc_json, subject, references_json,
         received_at, tier, text, new_text) values (?, ?, 'in', ?, '[]', '[]', '', ?, 0, ?, '', '')`,
    );
    for (const id of ['a', 'b', 'c'])
      old.exec(`insert into threads (id, kind, subject, created_at, updated_at) values ('${id}', 'thread', '', 0, 0)`);
    insert.run('1', 'a', '<1@x>', '["<Root@x>","<1@x>"]', 'member');
    insert.run('2', 'b', '<2@x>', '["<1@x>"]', 'member');
    insert.run('3', 'c', '<3@x>', '["<root@x>"]', 'unauthenticated');
    old.pragma(`user_version = ${version}`);
    old.close();
    const store = newStore(file);
    const query = { ...arrival('new'), ancestors: ['<root@x>', '<1@x>'] };
    expect((await store.readForArrival(query)).threads.map(({ id }) => id)).toEqual(['a']);
    expect((await store.readForArrival({ ...query, ancestors: ['<1@x>'] })).threads).toEqual([]);
  });

  it('of the last release gives what it holds as JSON as values', async () => {
    const file = join(folder, 'released.db');
    const old = new SQLite(file);
    const version = personaMigrations.findIndex((sql) => sql.includes('create index jobs_parked'));
    for (const sql of personaMigrations.slice(0, version)) old.exec(sql);
    old.exec(RELEASED);
    old.pragma(`user_version = ${version}`);
    old.close();
    const store = newStore(file);
    expect(await store.messageById('m')).toMatchObject({
      to: ['ada@x.example'],
      cc: [],
      references: ['<a@x>', '<b@x>'],
      limitations: ['no html'],
    });
    expect(await store.lastSent('t')).toEqual({ message_id: '<s@x>', references: ['<m@x>'] });
    const attached = [{ name: 'a.txt', type: 'text/plain', bytes: 2, sha256: 'f'.repeat(64), kept: true }];
    const origins = [{ kind: 'address', value: 'eve@evil.example', at: 'to', origin: null }];
    expect(await store.approvalsOfRun('r')).toMatchObject([
      { id: 'p1', attached, origins, preview: 'what it changes' },
      { id: 'p2', attached: [], origins: [] },
    ]);
    expect(await store.getUndo('u')).toMatchObject({ arguments: { path: 'a' }, result: null });
    const items = [{ number: 1, verdict: 'approve' }];
    expect(await store.answersByMessageId('<w@x>')).toMatchObject([{ rules: ['yes'], items, asked_back: true }]);
    expect(await store.listAudit({ limit: 9 })).toMatchObject([{ detail: { reason: null } }]);
    const [time] = await store.taskTimes({ limit: 9 });
    expect(time?.snapshot).toEqual({ ...SNAPSHOT, pinned: null, previous: null });
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
