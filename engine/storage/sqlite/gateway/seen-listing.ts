import { type Kysely, sql } from 'kysely';
import { isLike } from '../../dialect.ts';
import type { NewlyRefused, SeenMail, SeenWanted } from '../../types/gateway.ts';
import { PASSING } from './seen-bounds.ts';
import type { GatewayTables } from './tables.ts';

/** As many as there may be rows of strangers at all. */
const MOST_SENDERS = 20_000;

/** Asked by people, who may wait for a walk over the table; nothing that takes mail in asks this. */
export function seenListing(db: Kysely<GatewayTables>) {
  return {
    listReceived: ({ limit, before, persona, decision, from, subject, since }: SeenWanted): Promise<SeenMail[]> =>
      db
        .selectFrom('seen')
        .selectAll()
        .where('direction', '=', sql.lit('in'))
        .$if(before !== undefined, (query) => query.where('id', '<', before ?? 0))
        .$if(persona !== undefined, (query) => query.where('persona_id', '=', persona ?? ''))
        .$if(decision !== undefined, (query) => query.where('decision', '=', decision ?? 'refused'))
        .$if(from !== undefined, (query) => query.where(partOf('from_address', from ?? '')))
        .$if(subject !== undefined, (query) => query.where(partOf('subject', subject ?? '')))
        .$if(since !== undefined, (query) => query.where('received_at', '>=', since ?? 0))
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),

    receivedById: (id: number): Promise<SeenMail | undefined> =>
      db.selectFrom('seen').selectAll().where('id', '=', id).where('direction', '=', 'in').executeTakeFirst(),

    async newlyRefused(since: number): Promise<NewlyRefused[]> {
      const { rows } = await sql<NewlyRefused>`
        select seen.persona_id, seen.from_address, seen.code, seen.message_id, seen.subject, mails from seen join (
          select max(id) as newest, count(*) as mails from seen
          where ${PASSING} and decision = 'refused' and code in ('sender_not_allowed', 'auth_failed')
            and persona_id is not null and from_address is not null
          group by persona_id, from_address, code having min(received_at) >= ${since}
        ) refused on seen.id = newest order by newest desc limit ${MOST_SENDERS}`.execute(db);
      return rows;
    },

    /** Message-IDs, without their angle brackets, that begin or end so; at most `limit`. */
    async messageIdsLike(part: string, limit: number): Promise<string[]> {
      const rows = await db
        .selectFrom('seen')
        .select('message_id')
        .distinct()
        .where((where) =>
          where.or([
            isLike(sql.ref('message_id'), `<${escaped(part)}%`),
            isLike(sql.ref('message_id'), `%${escaped(part)}>`),
          ]),
        )
        .limit(limit)
        .execute();
      return rows.map(({ message_id }) => message_id);
    },
  };
}

const escaped = (text: string): string => text.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`);

const partOf = (column: 'from_address' | 'subject', text: string) => isLike(sql.ref(column), `%${escaped(text)}%`);
