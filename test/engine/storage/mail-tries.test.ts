import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connect } from '../../../engine/storage/sqlite/database/connection.ts';
import { deferredOperations } from '../../../engine/storage/sqlite/gateway/deferred-operations.ts';
import { gatewayMigrations } from '../../../engine/storage/sqlite/gateway/migrations.ts';
import { openGatewayStore } from '../../../engine/storage/sqlite/gateway/store.ts';
import type { GatewayTables } from '../../../engine/storage/sqlite/gateway/tables.ts';

const FOLDER = { mailbox: 'main', uidvalidity: '7' };
const seen = (uid: number, code: string | null, persona: string) => `
  insert into seen (message_id, persona_id, recipient, direction, decision, code, subject, received_at, mailbox, uidvalidity, uid)
  values ('<${uid}@x.test>', '${persona}', '${persona}@agents.localhost', 'in', 'deferred', ${code === null ? 'null' : `'${code}'`}, '', 1, 'main', '7', ${uid})`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'epistle-tries-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('H4: mail that an earlier version left for later', () => {
  it('is due at once, once', async () => {
    const file = join(folder, 'gateway.db');
    const old = new SQLite(file);
    for (const sql of gatewayMigrations.slice(0, 2)) old.exec(sql);
    old.exec(seen(3, 'auth_failed', 'ada'));
    old.exec(seen(3, null, 'ben'));
    old.pragma('user_version = 2');
    old.close();
    const gateway = openGatewayStore(file);
    expect(await gateway.dueUids(FOLDER, 1, 10)).toEqual([3]);
    expect(await gateway.beginTry({ ...FOLDER, uid: 3 }, 1000)).toEqual({ begun: 1, deferrals: 1 });
    expect(await gateway.dueUids(FOLDER, 1, 10)).toEqual([]);
    await gateway.close();
  });
});

describe('H4: what waits for a persona', () => {
  it('is named once for each persona, without what waits for time', async () => {
    const gateway = openGatewayStore(join(folder, 'gateway.db'));
    const database = new SQLite(join(folder, 'gateway.db'));
    for (const [uid, code, persona] of [
      [1, null, 'ada'],
      [2, 'persona_error', 'ada'],
      [3, 'auth_failed', 'ada'],
      [4, null, 'ben'],
      [5, 'dns', 'eve'],
    ] as const) {
      database.exec(seen(uid, code, persona));
    }
    database.close();
    expect(await gateway.waitedFor(FOLDER)).toEqual([
      { persona: 'ada', recipient: 'ada@agents.localhost' },
      { persona: 'ben', recipient: 'ben@agents.localhost' },
    ]);
    expect(await gateway.uidsWaitingFor(FOLDER, 'ada', 10)).toEqual([1, 2]);
    expect(await gateway.waitedFor({ ...FOLDER, uidvalidity: '8' })).toEqual([]);
    await gateway.close();
  });

  it('is looked for through indexes alone, however much of it there is', async () => {
    const database = new SQLite(':memory:');
    for (const sql of gatewayMigrations) database.exec(sql);
    const { db, transaction } = connect<GatewayTables>(database);
    const prepare = vi.spyOn(database, 'prepare');
    const operations = deferredOperations(db, (work) => {
      const result = Promise.withResolvers<Awaited<ReturnType<typeof work>>>();
      void transaction(async (trx) => result.resolve(await work(trx)));
      return result.promise;
    });
    await operations.waitedFor(FOLDER);
    await operations.uidsWaitingFor(FOLDER, 'ada', 10);
    await operations.dueUids(FOLDER, 1, 10);
    const asked = prepare.mock.calls.map(([sql]) => sql).filter((sql) => /select/i.test(sql));
    prepare.mockRestore();
    const plans = asked.flatMap((sql) =>
      database
        .prepare<unknown[], { detail: string }>(`explain query plan ${sql}`)
        .all(...Array.from({ length: sql.split('?').length - 1 }, () => null))
        .map(({ detail }) => detail),
    );
    expect(plans.filter((plan) => /SEARCH seen/.test(plan)).length).toBeGreaterThan(2);
    expect(plans.filter((plan) => /SEARCH seen/.test(plan) && !plan.includes('INDEX seen_waiting'))).toEqual([]);
    expect(plans).toContainEqual(expect.stringContaining('INDEX mail_tries_due'));
    expect(plans.filter((plan) => /^SCAN (seen|mail_tries)/.test(plan))).toEqual([]);
    database.close();
  });
});
