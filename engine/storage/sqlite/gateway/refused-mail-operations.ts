import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { z } from 'zod';
import { parseJson } from '../../../lib/json.ts';
import { asNumber, joinedOnce } from '../../dialect.ts';
import { type RefusedLimits, type RefusedMail, TAKEN } from '../../types/gateway.ts';
import type { Transact } from '../database/transactions.ts';
import { seenId } from './seen-bounds.ts';
import type { GatewayTables, RefusedMailTable } from './tables.ts';

/** The same Message-ID may stand on many mails: whoever writes one chooses it. */
const MOST_OF_ONE_ID = 20;

const IS_TAKEN = sql<boolean>`counted_as like ${sql.lit(`${TAKEN}%`)}`;

/**
 * Keeps a mail as the newest, once and as it came first, and lets others of its kind go until the rest is within the
 * limits: first the oldest of those who sent most, or two hundred mails of one would push out the one that somebody waits
 * for. They are told apart by what is proven or has connected, since anybody can write as many domains into From as they
 * like. What was refused never pushes out what was taken in, from however many addresses it comes.
 */
export async function keepRefused(
  trx: Transaction<GatewayTables>,
  { recipients, ...mail }: RefusedMail,
  most: RefusedLimits,
): Promise<void> {
  const row = { ...mail, recipients: recipients === null ? null : JSON.stringify(recipients) };
  await trx
    .insertInto('refused_mail')
    .values(row)
    .onConflict((conflict) => conflict.column('raw_sha256').doUpdateSet({ at: row.at }))
    .execute();
  await sql`
    with ranked as (
      select raw_sha256, at, bytes, counted_as like 'proven %' as is_proven,
        row_number() over (partition by counted_as order by at desc, raw_sha256 desc) as nth
      from refused_mail where ${IS_TAKEN} = ${mail.counted_as.startsWith(TAKEN) ? 1 : 0})
    delete from refused_mail where raw_sha256 in (
      select raw_sha256 from (
        select raw_sha256, row_number() over kept as place, sum(bytes) over kept as total from ranked
        window kept as (order by nth, is_proven desc, at desc, raw_sha256 desc rows unbounded preceding)) counted
      where place > ${most.mails} or total > ${most.bytes})`.execute(trx);
}

const asKept = ({ recipients, ...mail }: Selectable<RefusedMailTable>): RefusedMail => ({
  ...mail,
  recipients: recipients === null ? null : parseJson(z.array(z.string()), recipients),
});

/** The part of the gateway's store that has to do with refused mail that is kept for a while. */
export function refusedMailOperations(db: Kysely<GatewayTables>, transact: Transact<GatewayTables>) {
  return {
    async refusedMail(messageId: string): Promise<RefusedMail[]> {
      const rows = await db
        .selectFrom('refused_mail')
        .selectAll()
        .where('message_id', '=', seenId(messageId))
        .orderBy('at', 'desc')
        .limit(MOST_OF_ONE_ID)
        .execute();
      return rows.map(asKept);
    },

    async keptRefusals(): Promise<{ rawSha256: string; codes: string[] }[]> {
      const rows = await db
        .selectFrom('refused_mail')
        .innerJoin('seen', 'seen.message_id', 'refused_mail.message_id')
        .where('seen.decision', '=', sql.lit('refused'))
        .select(['raw_sha256 as rawSha256', joinedOnce(sql`seen.code`).as('codes')])
        .groupBy('raw_sha256')
        .orderBy('refused_mail.at')
        .execute();
      return rows.map(({ rawSha256, codes }) => ({ rawSha256, codes: codes?.split(',') ?? [] }));
    },

    async keptRefusal(rawSha256: string): Promise<RefusedMail | undefined> {
      const row = db.selectFrom('refused_mail').selectAll().where('raw_sha256', '=', rawSha256);
      const found = await row.executeTakeFirst();
      return found && asKept(found);
    },

    removeRefused: (rawSha256: string): Promise<void> =>
      transact(async (trx) => {
        await trx.deleteFrom('refused_mail').where('raw_sha256', '=', rawSha256).execute();
      }),

    pruneRefused: (olderThan: { readonly refused: number; readonly taken: number }): Promise<void> =>
      transact(async (trx) => {
        await sql`delete from refused_mail
          where at < case when ${IS_TAKEN} then ${asNumber(olderThan.taken)} else ${asNumber(olderThan.refused)} end`.execute(
          trx,
        );
      }, 'normal'),
  };
}
