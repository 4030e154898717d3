import { type Kysely, sql, type Transaction } from 'kysely';
import { greatest } from '../../dialect.ts';
import type { MailPlace, MailTry } from '../../types/gateway.ts';
import { compiledQuery } from '../database/compiled-query.ts';
import type { Transact } from '../database/transactions.ts';
import type { GatewayTables } from './tables.ts';

type MailFolder = Omit<MailPlace, 'uid'>;

/** The part of the gateway's store that has to do with mail of a mailbox that is not settled yet. */
export function deferredOperations(db: Kysely<GatewayTables>, transact: Transact<GatewayTables>) {
  return {
    /** Since when the mail that lies there has been left for later for this reason; null when it has not. */
    async deferredSince({ mailbox, uidvalidity, uid }: MailPlace, code: string): Promise<number | null> {
      const row = await db
        .selectFrom('seen')
        .select((seen) => seen.fn.min<number | null>('received_at').as('since'))
        .where('mailbox', '=', mailbox)
        .where('uidvalidity', '=', uidvalidity)
        .where('uid', '=', uid)
        .where('decision', '=', sql.lit('deferred'))
        .where('code', '=', code)
        .executeTakeFirst();
      return row?.since ?? null;
    },

    /**
     * The mail is taken up: on record before anything is done with it, so that it is known after a crash. It is due
     * again at `nextAt` unless something else is said of it. Need not be on disk before all else: what follows is.
     */
    beginTry: (place: MailPlace, nextAt: number): Promise<MailTry> =>
      transact(async (trx) => {
        const { rows } = await insertTry(trx, { ...place, begun: 1, deferrals: 0, next_at: nextAt });
        return rows[0] ?? { begun: 1, deferrals: 0 };
      }, 'normal'),

    /** It came to no end because the gateway was asked to stop: that is not held against the mail. */
    forgiveTry: (place: MailPlace): Promise<void> =>
      transact(async (trx) => {
        await trx
          .updateTable('mail_tries')
          .set({ begun: greatest(sql`begun - 1`, sql`0`) })
          .where('mailbox', '=', place.mailbox)
          .where('uidvalidity', '=', place.uidvalidity)
          .where('uid', '=', place.uid)
          .execute();
      }, 'normal'),

    /** It came to an end, which is that it is looked at again at `nextAt`. Lost in a power cut, it was only begun. */
    putOff: (place: MailPlace, { nextAt, deferrals }: { nextAt: number; deferrals: number }): Promise<void> =>
      transact(async (trx) => {
        const end = { begun: 0, deferrals, next_at: nextAt };
        await trx
          .insertInto('mail_tries')
          .values({ ...place, ...end })
          .onConflict((conflict) => conflict.columns(['mailbox', 'uidvalidity', 'uid']).doUpdateSet(end))
          .execute();
      }, 'normal'),

    /** The folder has other UIDs now, under which its mail is offered again. */
    forgetOtherTries: ({ mailbox, uidvalidity }: MailFolder): Promise<void> =>
      transact(async (trx) => {
        await trx
          .deleteFrom('mail_tries')
          .where('mailbox', '=', mailbox)
          .where('uidvalidity', '<>', uidvalidity)
          .execute();
      }, 'normal'),

    /** The folder gives UIDs once more that it gave before: what is known of their places is that of other mail. */
    forgetPlaces: ({ mailbox, uidvalidity }: MailFolder): Promise<void> =>
      transact(async (trx) => {
        await trx
          .updateTable('seen')
          .set({ uidvalidity: `${uidvalidity} before` })
          .where('mailbox', '=', mailbox)
          .where('uidvalidity', '=', uidvalidity)
          .execute();
        const tries = trx.deleteFrom('mail_tries').where('mailbox', '=', mailbox);
        await tries.where('uidvalidity', '=', uidvalidity).execute();
      }),

    /** What waits for its owners, of all folders that the mailbox had: looked at now, or for ever left where it is. */
    settleHeld: (mailbox: string, what: 'take' | 'leave'): Promise<number> =>
      transact(async (trx) => {
        const held = trx
          .selectFrom('seen')
          .select(['uidvalidity', 'uid'])
          .where('mailbox', '=', mailbox)
          .where('decision', '=', sql.lit('deferred'))
          .where('code', '=', HELD);
        const rows = await held.execute();
        for (const { uidvalidity, uid } of rows) {
          const place = { mailbox, uidvalidity: uidvalidity ?? '', uid: uid ?? 0 };
          if (what === 'leave') await forgetTry(trx, place);
          else await dueAtOnce(trx, place);
        }
        const left = { decision: 'refused' as const, code: 'before_first_connect' };
        const seen = trx.updateTable('seen').set(left).where('mailbox', '=', mailbox);
        if (what === 'leave') await seen.where('decision', '=', sql.lit('deferred')).where('code', '=', HELD).execute();
        return rows.length;
      }),

    /** UIDs whose time has come, longest due first. */
    async dueUids({ mailbox, uidvalidity }: MailFolder, now: number, limit: number): Promise<number[]> {
      const rows = await db
        .selectFrom('mail_tries')
        .select('uid')
        .where('mailbox', '=', mailbox)
        .where('uidvalidity', '=', uidvalidity)
        .where('next_at', '<=', now)
        .orderBy('next_at')
        .limit(limit)
        .execute();
      return rows.map(({ uid }) => uid);
    },

    /** What was taken up so often without an end. */
    async brokenUids({ mailbox, uidvalidity }: MailFolder, begun: number): Promise<number[]> {
      const rows = await db
        .selectFrom('mail_tries')
        .select('uid')
        .where('mailbox', '=', mailbox)
        .where('uidvalidity', '=', uidvalidity)
        .where('begun', '>=', begun)
        .execute();
      return rows.map(({ uid }) => uid);
    },

    /** The personas that mail waits for, each with one of its addresses; from one to the next, not from mail to mail. */
    async waitedFor({ mailbox, uidvalidity }: MailFolder): Promise<{ persona: string; recipient: string | null }[]> {
      const found = sql`mailbox = ${mailbox} and uidvalidity = ${uidvalidity} and ${WAITING}`;
      const { rows } = await sql<{ persona: string; recipient: string | null }>`
        with recursive one(persona) as (
          select min(persona_id) from seen where ${found}
          union all
          select (select min(persona_id) from seen where ${found} and persona_id > one.persona) from one
          where one.persona is not null)
        select persona, (select recipient from seen where ${found} and persona_id = one.persona limit 1) as recipient
        from one where persona is not null`.execute(db);
      return rows;
    },

    async countUnsettled(mailbox: string): Promise<number> {
      const row = await db
        .selectFrom('mail_tries')
        .select((tries) => tries.fn.countAll<number>().as('mails'))
        .where('mailbox', '=', mailbox)
        .executeTakeFirst();
      return row?.mails ?? 0;
    },

    async uidsWaitingFor({ mailbox, uidvalidity }: MailFolder, persona: string, limit: number): Promise<number[]> {
      const { rows } = await sql<{ uid: number }>`
        select distinct uid from seen
        where mailbox = ${mailbox} and uidvalidity = ${uidvalidity} and ${WAITING} and persona_id = ${persona}
        order by uid limit ${limit}`.execute(db);
      return rows.map(({ uid }) => uid);
    },
  };
}

/** The condition of the index `seen_waiting`: left until something changes here, not until a time comes. */
const WAITING = sql`decision = 'deferred' and coalesce(code, '') not in ('auth_failed', 'dns') and uid is not null`;

const HELD = 'resync_held';

const dueAtOnce = (trx: Transaction<GatewayTables>, { mailbox, uidvalidity, uid }: MailPlace) =>
  trx
    .updateTable('mail_tries')
    .set({ next_at: 0 })
    .where('mailbox', '=', mailbox)
    .where('uidvalidity', '=', uidvalidity)
    .where('uid', '=', uid)
    .execute();

/** Nothing is left to settle there. */
export async function forgetTry(trx: Transaction<GatewayTables>, place: MailPlace): Promise<void> {
  await deleteTry(trx, { ...place });
}

const deleteTry = compiledQuery<MailPlace>()((db: Kysely<GatewayTables>, $) =>
  db
    .deleteFrom('mail_tries')
    .where('mailbox', '=', $.mailbox)
    .where('uidvalidity', '=', $.uidvalidity)
    .where('uid', '=', $.uid),
);

const insertTry = compiledQuery<MailPlace & { begun: number; deferrals: number; next_at: number }>()(
  (db: Kysely<GatewayTables>, $) =>
    db
      .insertInto('mail_tries')
      .values({
        mailbox: $.mailbox,
        uidvalidity: $.uidvalidity,
        uid: $.uid,
        begun: $.begun,
        deferrals: $.deferrals,
        next_at: $.next_at,
      })
      .onConflict((conflict) =>
        conflict
          .columns(['mailbox', 'uidvalidity', 'uid'])
          .doUpdateSet({ begun: sql<number>`mail_tries.begun + 1`, next_at: sql<number>`excluded.next_at` }),
      )
      .returning(['begun', 'deferrals']),
);
