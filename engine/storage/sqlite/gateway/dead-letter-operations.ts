import { type Kysely, sql } from 'kysely';
import type { DeadLetter } from '../../types/gateway.ts';
import type { Transact } from '../database/transactions.ts';
import type { GatewayTables } from './tables.ts';

/** The part of the gateway's store that has to do with mail that could not be understood. */
export function deadLetterOperations(db: Kysely<GatewayTables>, transact: Transact<GatewayTables>) {
  return {
    /**
     * Keeps a letter, once, and no more than so many with so many bytes: the oldest go. Returns the files that no
     * letter is about any more.
     */
    addDeadLetter: (row: DeadLetter, most: { readonly letters: number; readonly bytes: number }): Promise<string[]> =>
      transact(async (trx) => {
        await trx
          .insertInto('dead_letters')
          .values(row)
          .onConflict((conflict) => conflict.column('id').doNothing())
          .execute();
        // Whatever its size, the newest stays: its sender was told that we have it.
        const { rows } = await sql<{ raw_path: string | null }>`
          delete from dead_letters where id in (
            select id from (
              select id, row_number() over newest as place, sum(bytes) over newest as total from dead_letters
              window newest as (order by at desc, id desc rows unbounded preceding)) counted
            where place > 1 and (place > ${most.letters} or total > ${most.bytes}))
          returning raw_path`.execute(trx);
        const gone = rows.flatMap(({ raw_path }) => (raw_path === null ? [] : [raw_path]));
        if (gone.length === 0) return [];
        const kept = await trx.selectFrom('dead_letters').select('raw_path').where('raw_path', 'in', gone).execute();
        return gone.filter((path) => !kept.some(({ raw_path }) => raw_path === path));
      }),

    listDeadLetters: (options: { after?: string | undefined; limit: number; persona?: string | undefined }) =>
      db
        .selectFrom('dead_letters')
        .selectAll()
        .$if(options.after !== undefined, (query) => query.where('id', '<', options.after ?? ''))
        .$if(options.persona !== undefined, (query) => query.where('persona_id', '=', options.persona ?? ''))
        .orderBy('id', 'desc')
        .limit(options.limit)
        .execute(),

    getDeadLetter: (id: string) => db.selectFrom('dead_letters').selectAll().where('id', '=', id).executeTakeFirst(),

    removeDeadLetter: (id: string): Promise<void> =>
      transact(async (trx) => {
        await trx.deleteFrom('dead_letters').where('id', '=', id).execute();
      }),

    countDeadLetters: async () =>
      (
        await db
          .selectFrom('dead_letters')
          .select((count) => count.fn.countAll<number>().as('count'))
          .executeTakeFirstOrThrow()
      ).count,
  };
}
