import SQLite from 'better-sqlite3';
import { type Kysely, sql, type Transaction } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connect } from '../../../engine/storage/sqlite/database/connection.ts';
import {
  createGroupCommit,
  groupTransactions,
  type Transact,
} from '../../../engine/storage/sqlite/database/transactions.ts';

interface Tables {
  notes: { id: number; text: string };
}

let database: SQLite.Database;
let db: Kysely<Tables>;
let transact: Transact<Tables>;
let commits: number;
let flushes: number;
/** The flush that is under way; null: each is over at once. */
let flushing: PromiseWithResolvers<void> | null;

beforeEach(() => {
  commits = 0;
  flushes = 0;
  flushing = null;
  database = new SQLite(':memory:', {
    verbose: (statement) => {
      if (statement === 'commit') commits += 1;
    },
  });
  database.exec('create table notes (id integer primary key, text text not null)');
  const connection = connect<Tables>(database);
  db = connection.db;
  const requested = () => flushing?.promise ?? Promise.resolve();
  const flush = {
    request() {
      flushes += 1;
      return { ms: 0, done: requested() };
    },
    requested,
    close: async () => {},
  };
  transact = groupTransactions({ connection, turns: createGroupCommit(), flush });
});
afterEach(() => database.close());

const write = (id: number) => transact(async (trx) => trx.insertInto('notes').values({ id, text: 'x' }).execute());
const ids = () =>
  database
    .prepare<[], { id: number }>('select id from notes order by id')
    .all()
    .map(({ id }) => id);

describe('transactions that are asked for together', () => {
  it('share one commit', async () => {
    await Promise.all([write(1), write(2), write(3)]);
    expect(ids()).toEqual([1, 2, 3]);
    expect(commits).toBe(1);
  });

  it('each get their own result', async () => {
    const results = await Promise.all([1, 2, 3].map((id) => transact(async () => id * 10)));
    expect(results).toEqual([10, 20, 30]);
  });

  it('see what those before them wrote', async () => {
    const count = () => transact((trx) => trx.selectFrom('notes').select('id').execute());
    const [, seen] = await Promise.all([write(1), count()]);
    expect(seen).toEqual([{ id: 1 }]);
  });

  it('undo nothing but themselves when they throw', async () => {
    const half = transact(async (trx) => {
      await trx.insertInto('notes').values({ id: 2, text: 'half' }).execute();
      throw new Error('no');
    });
    const results = await Promise.allSettled([write(1), half, write(3)]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(ids()).toEqual([1, 3]);
  });

  it('all fail when the database has rolled all of it back', async () => {
    const full = transact(async (trx) => {
      // What SQLite does by itself when the disk is full.
      await sql`rollback`.execute(trx);
      throw new Error('disk full');
    });
    const results = await Promise.allSettled([write(1), full, write(3)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(results.map((result) => result.status === 'rejected' && String(result.reason))).toContain(
      'Error: disk full',
    );
    expect(ids()).toEqual([]);
  });

  it('leave the way free for those that come later', async () => {
    await transact(() => Promise.reject(new Error('no'))).catch(() => {});
    await write(1);
    expect(ids()).toEqual([1]);
  });
});

describe('a statement outside transactions', () => {
  it('waits for the one that is open, so that it neither sees half of it nor becomes part of it', async () => {
    const seen: unknown[] = [];
    const open = transact(async (trx) => {
      await trx.insertInto('notes').values({ id: 1, text: 'half' }).execute();
      const other = db.selectFrom('notes').select('id').execute();
      seen.push(other);
      await trx.insertInto('notes').values({ id: 2, text: 'whole' }).execute();
    });
    await open;
    expect(await Promise.all(seen)).toEqual([[{ id: 1 }, { id: 2 }]]);
  });
});

describe('a transaction alone', () => {
  it('is over when it is over: what is kept of it writes nothing', async () => {
    const kept: Transaction<Tables>[] = [];
    await transact(async (trx) => void kept.push(trx));
    const late = kept.map((trx) => trx.insertInto('notes').values({ id: 1, text: 'late' }).execute());
    await expect(Promise.all(late)).rejects.toThrow('over');
    expect(ids()).toEqual([]);
  });

  it('is rolled back when it throws', async () => {
    const failing = transact(async (trx) => {
      await trx.insertInto('notes').values({ id: 1, text: 'half' }).execute();
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(ids()).toEqual([]);
  });

  it('that is asked for inside another one waits for the next commit instead of joining it', async () => {
    const inner: Promise<unknown>[] = [];
    await transact(async () => {
      inner.push(write(1));
    });
    await Promise.all(inner);
    expect(commits).toBe(2);
  });
});

describe('a flush', () => {
  const order: string[] = [];
  const note = async (what: string, work: Promise<unknown>) =>
    void order.push(
      await work.then(
        () => what,
        (error: Error) => `${what}: ${error.message}`,
      ),
    );
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const writing = (id: number, synchronous: 'full' | 'normal') =>
    transact(async (trx) => trx.insertInto('notes').values({ id, text: 'x' }).execute(), synchronous);
  const reading = () => transact((trx) => trx.selectFrom('notes').select('id').execute());
  beforeEach(() => {
    order.length = 0;
    flushing = Promise.withResolvers();
  });

  it('is over before a promise, unless less was asked for', async () => {
    const all = [note('full', writing(1, 'full')), note('normal', writing(2, 'normal'))];
    await settled();
    await settled();
    expect([order, ids()]).toEqual([['normal'], [1, 2]]);
    flushing?.resolve();
    await Promise.all(all);
    expect(order).toEqual(['normal', 'full']);
  });

  it('is made for nobody who changes nothing, but they wait for that of what they read', async () => {
    const writer = note('written', writing(1, 'full'));
    await settled();
    await settled();
    const reader = note('read', reading());
    await settled();
    await settled();
    expect([order, flushes]).toEqual([[], 1]);
    flushing?.resolve();
    await Promise.all([writer, reader]);
    expect([order, flushes]).toEqual([['written', 'read'], 1]);
  });

  it('that fails is told to whoever was to be promised something', async () => {
    const all = [note('full', writing(1, 'full')), note('normal', writing(2, 'normal'))];
    await settled();
    await settled();
    flushing?.reject(new Error('disk'));
    await Promise.all(all);
    expect(order.sort()).toEqual(['full: disk', 'normal']);
  });
});
