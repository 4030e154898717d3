import { type Kysely, sql } from 'kysely';
import { sha256 } from '../../../lib/ids.ts';
import type { NewSeenMail, SeenLimits, SeenMail } from '../../types/gateway.ts';
import type { Transact } from '../database/transactions.ts';
import type { GatewayTables } from './tables.ts';

// What strangers can have written into `seen`, and how long it stays.

const MOST = { messageId: 200, subject: 150, address: 254, detail: 200 };

/** The Message-ID as `seen` stores it; a longer one is cut in the same way when it is asked for. */
export const seenId = (messageId: string): string =>
  messageId.length <= MOST.messageId ? messageId : `${messageId.slice(0, MOST.messageId - 65)}~${sha256(messageId)}`;

const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
const cutOrNull = (text: string | null | undefined, most: number): string | null => (text ? cut(text, most) : null);

export const boundedSeen = (row: NewSeenMail): NewSeenMail => ({
  ...row,
  message_id: seenId(row.message_id),
  subject: cut(row.subject, MOST.subject),
  recipient: cutOrNull(row.recipient, MOST.address),
  from_address: cutOrNull(row.from_address, MOST.address),
  detail: cutOrNull(row.detail, MOST.detail),
});

/** Under the Message-ID that was asked for. */
export const asAsked = (rows: readonly SeenMail[], messageId: string): SeenMail[] =>
  rows.map((row) => ({ ...row, message_id: messageId }));

/**
 * The rows of the partial index `seen_passing`, in its own words, or SQLite would not use it. What an owner, a member
 * or somebody known sent stays, and so does what waits in a mailbox.
 */
export const PASSING = sql<boolean>`direction = 'in' and run_id is null
  and (decision in ('refused', 'recorded', 'duplicate') or (decision = 'deferred' and mailbox is null))
  and (tier is null or tier in ('stranger', 'unauthenticated'))`;

/**
 * Whether the mailbox may still be read past the row: a place that the cursor has passed is settled by the cursor. A
 * place of another UIDVALIDITY may be one of a folder that is being looked at again, which has no cursor until its end.
 */
const IS_NEEDED = sql<boolean>`mailbox is not null and not exists (
  select 1 from cursors where cursors.mailbox = seen.mailbox
    and cursors.uidvalidity = seen.uidvalidity and cursors.uid >= seen.uid)`;

export function seenBounds(db: Kysely<GatewayTables>, transact: Transact<GatewayTables>) {
  return {
    /** Grows with every row, and never again gives one that it gave. */
    newestSeen: async (): Promise<number> => {
      const row = await db
        .selectFrom('seen')
        .select((seen) => seen.fn.max<number | null>('id').as('id'))
        .executeTakeFirst();
      return row?.id ?? 0;
    },

    /** Removes a batch of the oldest of those that are too old or too many; how many. */
    pruneSeen: ({ olderThan, rows, batch }: SeenLimits): Promise<number> =>
      transact(async (trx) => {
        const old = await sql`
          delete from seen where id in (
            select id from seen where ${PASSING} and received_at < ${olderThan} order by received_at limit ${batch})`.execute(
          trx,
        );
        const removed = Number(old.numAffectedRows ?? 0n);
        if (removed >= batch) return removed;
        const { rows: found } = await sql<{ received_at: number; id: number }>`
          select received_at, id from seen where ${PASSING} order by received_at desc, id desc limit 1 offset ${rows}`.execute(
          trx,
        );
        const [last] = found;
        if (!last) return removed;
        const many = await sql`
          delete from seen where id in (
            select id from seen where ${PASSING} and (received_at, id) <= (${last.received_at}, ${last.id}) and not (${IS_NEEDED})
            order by received_at limit ${batch})`.execute(trx);
        return removed + Number(many.numAffectedRows ?? 0n);
      }, 'normal'),

    /** Refusals by code, over the rows that are kept. */
    refusalCounts: (): Promise<{ code: string | null; count: number }[]> =>
      db
        .selectFrom('seen')
        .select(['code', (count) => count.fn.countAll<number>().as('count')])
        .where(PASSING)
        .where('decision', '=', sql.lit('refused'))
        .groupBy('code')
        .execute(),

    /** The names of the files in quarantine that a letter is about. */
    async deadLetterFiles(): Promise<ReadonlySet<string>> {
      const rows = await db.selectFrom('dead_letters').select('raw_path').where('raw_path', 'is not', null).execute();
      // The workspace may have been moved since.
      return new Set(rows.map(({ raw_path }) => (raw_path ?? '').split(/[\\/]/).at(-1) ?? ''));
    },
  };
}
