import SQLite from 'better-sqlite3';
import { type Kysely, sql } from 'kysely';
import { describe, expect, it, vi } from 'vitest';
import { compiledQuery } from '../../../engine/storage/sqlite/database/compiled-query.ts';
import { connect } from '../../../engine/storage/sqlite/database/connection.ts';

interface Tables {
  notes: { id: number; text: string | null; bytes: Uint8Array | null };
}

function open() {
  const database = new SQLite(':memory:');
  database.exec('create table notes (id integer primary key, text text, bytes blob)');
  return connect<Tables>(database).db;
}

const insert = compiledQuery<{ rows: readonly { id: number; text?: string | null; bytes?: Uint8Array }[] }>()(
  (db: Kysely<Tables>, $) => db.insertInto('notes').values($.rows as never),
);
const change = compiledQuery<{ id: number; patch: { text?: string | null; bytes?: Uint8Array } }>()(
  (db: Kysely<Tables>, $) => db.updateTable('notes').set($.patch).where('id', '=', $.id),
);
const all = compiledQuery<object>()((db: Kysely<Tables>) => db.selectFrom('notes').selectAll().orderBy('id'));

describe('a query that is built once', () => {
  it('is run with the values of each call, in the order that the query has them in', async () => {
    const db = open();
    const near = compiledQuery<{ top: number; low: number }>()(
      (_: Kysely<Tables>, $) => sql<{ low: number; top: number }>`select ${$.low} as low, ${$.top} as top`,
    );
    expect((await near(db, { top: 9, low: 1 })).rows).toEqual([{ low: 1, top: 9 }]);
    expect((await near(db, { low: 3, top: 5 })).rows).toEqual([{ low: 3, top: 5 }]);
  });

  it('is built again for another number of rows, and for other columns', async () => {
    const db = open();
    await insert(db, { rows: [{ id: 1, text: 'one' }] });
    await insert(db, {
      rows: [
        { id: 2, text: null },
        { id: 3, text: 'three' },
      ],
    });
    await insert(db, { rows: [{ id: 4, bytes: new Uint8Array([7]) }] });
    const rows = (await all(db, {})).rows;
    expect(rows.map(({ text }) => text)).toEqual(['one', null, 'three', null]);
    expect([...(rows[3]?.bytes ?? [])]).toEqual([7]);
  });

  it('leaves alone what is not given', async () => {
    const db = open();
    await insert(db, { rows: [{ id: 1, text: 'kept', bytes: new Uint8Array([1]) }] });
    const { numAffectedRows } = await change(db, {
      id: 1,
      patch: { text: undefined as never, bytes: new Uint8Array([2]) },
    });
    expect(numAffectedRows).toBe(1n);
    expect((await all(db, {})).rows[0]).toMatchObject({ text: 'kept', bytes: Buffer.from([2]) });
  });

  it('is built no second time for the same shape', async () => {
    const db = open();
    const build = vi.fn((_: Kysely<Tables>, $: { readonly n: ReturnType<typeof sql> }) => sql`select ${$.n} as n`);
    const query = compiledQuery<{ n: number }>()(build as never);
    for (const n of [1, 2, 3]) expect((await query(db as never, { n })).rows).toEqual([{ n }]);
    expect(build).toHaveBeenCalledTimes(1);
  });

  it('takes no part for a value, and no shape for one that it begins like', async () => {
    const db = open();
    const told = compiledQuery<Record<string, never>>()(
      (_: Kysely<Tables>, $) => sql`select ${JSON.stringify($)} as shape`,
    );
    const shapes = [{ a: 1 }, { a: { b: 1 } }, { a: 1, b: 1 }, { a: { b: 1 }, c: 1 }, { a: { b: { c: 1 } } }, {}];
    for (const round of [1, 2]) {
      const rows = [];
      for (const shape of shapes) rows.push((await told(db, shape as never)).rows[0]);
      expect(new Set(rows.map((row) => JSON.stringify(row))).size, `round ${round}`).toBe(shapes.length);
    }
  });
});
