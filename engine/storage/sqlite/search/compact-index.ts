import { sql } from 'kysely';
import { changesSoFar, freePages, zeros } from '../../dialect.ts';
import { mergeMailIndex } from '../../search/full-text.ts';
import type { Transact } from '../database/transactions.ts';
import type { PersonaTables, Trx } from '../persona/schema/tables.ts';
import { securely } from '../repositories/facts/securely.ts';

/** Pages of the index that one piece writes: some 10 ms. */
const PAGES = 32;

/**
 * Takes out of the index what was deleted of it: its words stand there, marked as deleted, until the parts of the index that
 * have them are written anew. One piece of that; `isFirst`: all parts are to become one. False: nothing is left to do.
 */
export async function compactIndex(trx: Trx, isFirst: boolean): Promise<boolean> {
  const left = { any: false };
  await securely(trx, async () => {
    left.any = await mergeIndex(trx, isFirst);
  });
  return left.any;
}

/**
 * Makes one of the parts of the index: a word is looked up in each of them. One piece of that; `isFirst`: what came since the last
 * time is to be taken in. False: nothing is left to do.
 */
export async function mergeIndex(trx: Trx, isFirst: boolean): Promise<boolean> {
  const before = await changesOf(trx);
  await mergeMailIndex(isFirst ? -PAGES : PAGES).execute(trx);
  // A merge that has nothing to do changes at most the row that says so.
  return (await changesOf(trx)) - before >= 2;
}

const changesOf = async (trx: Trx): Promise<number> =>
  (await sql<{ count: number }>`select ${changesSoFar} as count`.execute(trx)).rows[0]?.count ?? 0;

/** Bytes that one transaction overwrites. */
const AT_ONCE = 8_000_000;

/**
 * Overwrites the pages of the file that hold nothing: what was deleted stood in some of them. Each is taken for zeros once and let
 * go of again.
 */
export async function zeroFreePages(transact: Transact<PersonaTables>): Promise<void> {
  const letGo = () => transact((trx) => sql`delete from free_pages`.execute(trx));
  // What a process left that died here.
  await letGo();
  for (;;) {
    const left = await transact(async (trx) => {
      const { rows } = await freePages.execute(trx);
      const { free, size } = rows[0] ?? { free: 0, size: 4096 };
      if (free === 0) return false;
      const bytes = Math.min(AT_ONCE, free * (size - 4) - size / 2);
      await sql`insert into free_pages (zeros) values (${zeros(Math.max(size / 2, Math.floor(bytes)))})`.execute(trx);
      return true;
    });
    if (!left) break;
  }
  await letGo();
}
