import type { Insertable, Selectable } from 'kysely';
import { describe, expect, it } from 'vitest';
import { personaMigrations } from '../../../engine/storage/schema/persona.ts';
import { openDatabase } from '../../../engine/storage/sqlite/database/open.ts';
import type { PersonaTables } from '../../../engine/storage/sqlite/persona/schema/tables.ts';
import type { BudgetDay } from '../../../engine/storage/types/budget.ts';
import type { Incident } from '../../../engine/storage/types/runs.ts';

// What is wrong in these types is said by the compiler; `@ts-expect-error` is an error where nothing is wrong.

type Kept = Pick<Incident, 'code' | 'since' | 'cause' | 'provider' | 'message' | 'whose'>;
const incident: Kept = {
  code: 'budget',
  since: 1,
  cause: 'rate_limited',
  provider: 'p',
  message: 'slow down',
  whose: 'vendor',
};

({ ...incident, whose: null }) satisfies Kept;
// @ts-expect-error: it holds text.
({ ...incident, whose: 3 }) satisfies Kept;
// @ts-expect-error: it is never null.
null satisfies BudgetDay['extra'];

describe('a column that a migration has added', () => {
  it('is written and read by statements, and may be left out where it has a value by itself', async () => {
    const { db, close } = openDatabase<PersonaTables>(':memory:', personaMigrations);
    await db.insertInto('incidents').values(incident).execute();
    expect(await db.selectFrom('incidents').selectAll().execute()).toMatchObject([incident]);
    const day: Insertable<PersonaTables['budget_days']> = { day: '2026-11-30' };
    await db.insertInto('budget_days').values(day).execute();
    const kept: Selectable<PersonaTables['budget_days']> = await db
      .selectFrom('budget_days')
      .selectAll()
      .executeTakeFirstOrThrow();
    expect(kept.extra).toBe(0);
    await close();
  });
});
