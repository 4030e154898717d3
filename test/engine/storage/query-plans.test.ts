import SQLite from 'better-sqlite3';
import { describe, expect, it, vi } from 'vitest';
import { personaMigrations } from '../../../engine/storage/schema/persona.ts';
import { findForArrival } from '../../../engine/storage/sqlite/arriving/arriving.ts';
import { connect } from '../../../engine/storage/sqlite/database/connection.ts';
import { gatewayMigrations } from '../../../engine/storage/sqlite/gateway/migrations.ts';
import { seenListing } from '../../../engine/storage/sqlite/gateway/seen-listing.ts';
import type { GatewayTables } from '../../../engine/storage/sqlite/gateway/tables.ts';
import { listing } from '../../../engine/storage/sqlite/persona/listing.ts';
import { overviewOf } from '../../../engine/storage/sqlite/persona/overview.ts';
import { pageOfViewer } from '../../../engine/storage/sqlite/persona/reads.ts';
import type { PersonaTables, Trx } from '../../../engine/storage/sqlite/persona/schema/tables.ts';
import { likeQuestions, unnoticed } from '../../../engine/storage/sqlite/repositories/approvals.ts';
import { claimDueOutbox } from '../../../engine/storage/sqlite/repositories/outbox.ts';
import { leaseDueRun, nextDue } from '../../../engine/storage/sqlite/repositories/runs.ts';
import { mailOfViewers } from '../../../engine/storage/sqlite/search/mail-of-viewer.ts';
import { indexWaiting } from '../../../engine/storage/sqlite/search/write-index.ts';

const NOW = 1_790_000_000_000;
const claim = { instance: 'me', now: NOW, leaseMs: 1000, limit: 8 };
const seen = { threadId: 't', address: 'mia@example.com', beforeSeq: 9, limit: 50 };
const mail = {
  duplicateKey: 'key',
  messageId: '<a@example.com>',
  sender: 'mia@example.com',
  proven: true,
  references: ['<b@example.com>'],
  limits: [120],
  signatures: [],
  forgottenBefore: 0,
  counted: { proven: 1, sender: 's', family: 'f', subject: 'h', sketch: new Uint8Array(), fastMs: 30_000 },
  now: NOW,
};

/** What SQLite means to do for each statement that `work` runs, with its values still unknown to the planner. */
async function plansOf(work: (trx: Trx) => Promise<unknown>): Promise<string[]> {
  return (await statementsOf(work)).flatMap(({ plan }) => plan);
}

async function statementsOf(work: (trx: Trx) => Promise<unknown>): Promise<{ sql: string; plan: string[] }[]> {
  const database = new SQLite(':memory:');
  for (const sql of personaMigrations) database.exec(sql);
  const { transaction } = connect<PersonaTables>(database);
  const prepare = vi.spyOn(database, 'prepare');
  await transaction(async (trx) => void (await work(trx)));
  const asked = prepare.mock.calls.map(([sql]) => sql);
  prepare.mockRestore();
  const statements = asked.map((sql) => ({
    sql,
    plan: database
      .prepare<unknown[], { detail: string }>(`explain query plan ${sql}`)
      .all(...Array.from({ length: sql.split('?').length - 1 }, () => null))
      .map(({ detail }) => detail),
  }));
  database.close();
  return statements;
}

describe('what is asked of the database for every mail', () => {
  it.each([
    ['is there a run to work on', (trx: Trx) => leaseDueRun(trx, claim)],
    ['is there mail to send', (trx: Trx) => claimDueOutbox(trx, claim)],
    ['when is something due next', (trx: Trx) => nextDue(trx, { instance: 'me' })],
    ['what is known that bears on an arriving mail', (trx: Trx) => findForArrival(trx, mail)],
    ['do owners have to be asked', (trx: Trx) => unnoticed(trx, null)],
    ['what was said to such calls before', (trx: Trx) => likeQuestions(trx, { likeness: 'k', limit: 10 })],
    ['is there mail to be indexed', (trx: Trx) => indexWaiting(trx, null)],
    ['what do lists need of the persona', (trx: Trx) => overviewOf(trx, NOW)],
  ])('%s: never reads a whole table', async (_, work) => {
    const plans = await plansOf(work);
    expect(plans.length).toBeGreaterThan(0);
    expect(
      plans.filter((plan) =>
        /^SCAN (runs|messages|outbox|threads|jobs|approvals|suspensions|audit_log|counted_letters|r|b)$/.test(plan),
      ),
    ).toEqual([]);
  });

  it('is asked by statements that SQLite need not prepare again for other values', async () => {
    const statements = await statementsOf((trx) => findForArrival(trx, mail));
    expect(statements.filter(({ sql }) => /(?<!\+)\?/.test(sql))).toEqual([]);
  });

  it('looks for a run at open runs alone, not at all runs that a long thread ever had', async () => {
    const plans = await plansOf((trx) => leaseDueRun(trx, claim));
    expect(plans).toContainEqual(expect.stringContaining('USING INDEX runs_due'));
    expect(plans).toContainEqual(expect.stringContaining('runs_open_by_thread'));
  });

  it('looks for runs that were failed at before among those alone', async () => {
    const plans = await plansOf((trx) => leaseDueRun(trx, { ...claim, suspects: true }));
    expect(plans).toContainEqual(expect.stringContaining('USING INDEX runs_suspects'));
  });

  it('reads of a thread what its reader may see, and nothing that lies between', async () => {
    const plans = await plansOf((trx) => pageOfViewer(trx, seen));
    expect(plans[0]).toMatch(/^SEARCH message_viewers USING PRIMARY KEY \(thread_id=\? AND address=\? AND seq<\?\)$/);
    expect(plans.filter((plan) => /^SCAN|TEMP B-TREE/.test(plan))).toEqual([]);
  });

  it('looks for the words of a mail in what its sender may see, whatever threads it is of', async () => {
    const plans = await plansOf((trx) => mailOfViewers().of(trx, 'mia@example.com', 9));
    expect(plans).toEqual([expect.stringContaining('message_viewers USING COVERING INDEX message_viewers_by_address')]);
  });

  it('asks when something is due at one row of each kind, however much is waiting', async () => {
    const plans = await plansOf((trx) => nextDue(trx, { instance: 'me' }));
    expect(plans).toContainEqual(expect.stringMatching(/runs USING (COVERING )?INDEX runs_due/));
    expect(plans).toContainEqual(expect.stringMatching(/outbox USING (COVERING )?INDEX outbox_due/));
    expect(plans).toContainEqual(expect.stringContaining('INDEX outbox_leased'));
    expect(plans.filter((plan) => plan.includes('TEMP B-TREE'))).toEqual([]);
  });

  it('looks for mail to send at open mail alone', async () => {
    expect(await plansOf((trx) => claimDueOutbox(trx, claim))).toEqual(['SCAN outbox USING INDEX outbox_due']);
  });
});

describe('what an owner looks at', () => {
  it.each([
    ['questions that wait', 'approvals_open', (db: Trx) => listing(db).listApprovals({ status: 'pending', limit: 9 })],
    [
      'the next of them',
      'approvals_open',
      (db: Trx) => listing(db).listApprovals({ status: 'pending', limit: 9, after: 'a' }),
    ],
    ['mail that waits', 'outbox_unsent', (db: Trx) => listing(db).listOutbox({ status: 'queued', limit: 9 })],
    ['mail that did not leave', 'outbox_unsent', (db: Trx) => listing(db).listOutbox({ status: 'failed', limit: 9 })],
  ])('%s: is looked for among what is open, whatever was done before', async (_, index, work) => {
    const plans = await plansOf(work);
    expect(plans[0]).toContain(`INDEX ${index}`);
  });

  it.each([
    ['all mail', { personas: ['ada', 'ben', ''] }],
    ['mail of many personas', { personas: Array.from({ length: 40 }, (_, at) => `p${at}`) }],
    ['who wrote', { personas: ['ada'], newestOfEach: true }],
    ['a part of a name', { personas: ['ada'], who: 'bob', text: 'offer' }],
  ])('%s: goes by an index, whatever there is', async (_, wanted) => {
    const database = new SQLite(':memory:');
    for (const sql of gatewayMigrations) database.exec(sql);
    const { db } = connect<GatewayTables>(database);
    const prepare = vi.spyOn(database, 'prepare');
    const listing = seenListing(db);
    await listing.lookAtSeen({ limit: 5, ...wanted });
    await listing.seenOfPerson('bob@x.test', wanted.personas);
    const asked = prepare.mock.calls.map(([sql]) => sql);
    prepare.mockRestore();
    const plans = asked.flatMap((sql) =>
      database
        .prepare<unknown[], { detail: string }>(`explain query plan ${sql}`)
        .all(...Array.from({ length: sql.split('?').length - 1 }, () => null))
        .map(({ detail }) => detail),
    );
    database.close();
    expect(plans.some((plan) => plan.startsWith('SEARCH seen'))).toBe(true);
    // The newest of all is the end of the table.
    expect(plans.filter((plan) => /^SCAN (?:seen|later)\b/.test(plan) && plan !== 'SCAN seen').length).toBe(0);
    expect(asked.filter((sql) => /^select "id" from "seen" order by/.test(sql))).toHaveLength(1);
    expect(plans.filter((plan) => plan === 'SCAN seen').length).toBeLessThanOrEqual(1);
  });
});
