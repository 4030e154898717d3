import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../engine/storage/ports/store.ts';
import { personaMigrations } from '../../../engine/storage/schema/persona.ts';
import { type OpenDatabase, openDatabase } from '../../../engine/storage/sqlite/database/open.ts';
import { rowOfApproval, rowOfMessage } from '../../../engine/storage/sqlite/persona/schema/rows.ts';
import type { PersonaTables } from '../../../engine/storage/sqlite/persona/schema/tables.ts';
import { decide } from '../../../engine/storage/sqlite/repositories/approvals.ts';
import { insertRun, insertThread } from '../../../engine/storage/sqlite/repositories/arrivals.ts';
import { countRun, reserve } from '../../../engine/storage/sqlite/repositories/budget.ts';
import { approval, DAY, message, NOON, plan } from '../../storage/world.ts';

const LIMITS = { usd_per_run: null, usd_per_day: 1, tokens_per_run: null, runs_per_day: null };

/**
 * Two operations that run between each other's statements, as those of two writers would: here in one transaction, since
 * SQLite lets one writer in at a time.
 */
describe('operations whose statements alternate', () => {
  let database: OpenDatabase<PersonaTables>;
  beforeEach(async () => {
    database = openDatabase<PersonaTables>(':memory:', personaMigrations);
    await database.transact(async (trx) => {
      for (const id of ['a', 'b']) {
        const { run } = plan(id);
        await insertThread(trx, { id: `t-${id}`, kind: 'thread', subject: '', now: NOON });
        await trx
          .insertInto('messages')
          .values(rowOfMessage(message(id, `t-${id}`)))
          .execute();
        if (run) await insertRun(trx, run);
      }
    });
  });
  afterEach(() => database.close());

  it('do not both get the money that both have seen', async () => {
    const want = (runId: string): Parameters<Store['reserveBudget']>[0] => ({
      runId,
      day: DAY,
      inputTokens: 1,
      inputUsd: 0.1,
      usdPerOutputToken: 0.001,
      outputTokens: 800,
      leastOutputTokens: 500,
    });
    const granted = await database.transact((trx) =>
      Promise.all(['r-a', 'r-b'].map((id) => reserve(trx, want(id), LIMITS))),
    );
    expect(granted.toSorted()).toEqual([{ outputTokens: 800, usd: 0.9, capped: null }, 'in_use']);
  });

  it('count two runs as two', async () => {
    const numbers = await database.transact((trx) => Promise.all([countRun(trx, DAY), countRun(trx, DAY)]));
    expect(numbers.toSorted()).toEqual([1, 2]);
  });

  it('do not both decide what both have seen pending', async () => {
    const verdict = (by: string) => ({ id: 'x', state: 'approved' as const, by, reason: null });
    const decided = await database.transact(async (trx) => {
      await trx
        .insertInto('approvals')
        .values(rowOfApproval(approval('x', 'r-a')))
        .execute();
      return Promise.all(['mail', 'cli'].map((by) => decide(trx, [verdict(by)], NOON)));
    });
    expect(
      decided
        .flat()
        .map(({ outcome }) => outcome)
        .toSorted(),
    ).toEqual(['decided', 'not_pending']);
  });
});
