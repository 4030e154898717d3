import { type Kysely, sql } from 'kysely';
import { eachText, isLike } from '../../dialect.ts';
import type { NewlyRefused, SeenLook, SeenMail, SeenOfPerson, SeenPage, SeenWanted } from '../../types/gateway.ts';
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

    lookAtSeen: (wanted: SeenLook): Promise<SeenPage> => lookAt(db, wanted),
    seenById: (id: number): Promise<SeenMail | undefined> =>
      db.selectFrom('seen').selectAll().where('id', '=', id).executeTakeFirst(),

    async seenOfPerson(address: string, personas: readonly string[]): Promise<SeenOfPerson[]> {
      const mine = isOneOf(personas);
      const { rows } = await sql<SeenOfPerson>`
        select persona_id, direction, decision, tier, count(*) as mails, min(received_at) as first_at,
          max(received_at) as last_at
        from (
          select * from (select * from seen where from_address = ${address} and direction = 'in' and ${mine}
            order by id desc limit ${MOST_OF_ONE}) wrote
          union all
          select * from (select * from seen where recipient = ${address} and direction = 'out' and ${mine}
            order by id desc limit ${MOST_OF_ONE}) was_written_to) mails
        group by persona_id, direction, decision, tier order by last_at desc`.execute(db);
      return rows;
    },

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

/** Of one person's mails so many are counted, from them and to them. */
const MOST_OF_ONE = 1000;

/**
 * So many rows are read at a time, and then the look is over: where most rows fit, the first are enough; where few do, whoever
 * looks goes on from where it ended.
 */
const WINDOWS = [500, 4_500, 15_000] as const;
/** So many personas are read one by one, each by its index; of more the rows are taken as they come. */
const MERGED = 16;

/** `personas`: all of the look, whatever is read at a time. */
type Narrowed = Omit<SeenLook, 'limit' | 'before'>;
type Of = string | readonly string[];
type Where = { readonly limit: number; readonly before: number };

async function lookAt(db: Kysely<GatewayTables>, { limit, before, ...narrowed }: SeenLook): Promise<SeenPage> {
  const { personas } = narrowed;
  const from = before ?? (await newest(db)) + 1;
  if (personas.length > MERGED) return walk(db, personas, narrowed, { limit, before: from });
  const pages: SeenPage[] = [];
  for (const persona of personas) pages.push(await walk(db, persona, narrowed, { limit, before: from }));
  // Of a persona whose rows were not all read nothing is known below this.
  const known = pages.reduce((most, page) => Math.max(most, page.before ?? 0), 0);
  const all = pages.flatMap(({ rows }) => rows).sort((a, b) => b.id - a.id);
  const rows = all.filter(({ id }) => id >= known).slice(0, limit);
  const isMore = rows.length < all.length || known > 0;
  return { rows, before: isMore ? (rows.length === limit ? (rows.at(-1)?.id ?? known) : known) : null };
}

async function walk(
  db: Kysely<GatewayTables>,
  of: Of,
  narrowed: Narrowed,
  { limit, before }: Where,
): Promise<SeenPage> {
  const rows: SeenMail[] = [];
  let from = before;
  for (const window of WINDOWS) {
    const to = await floorOf(db, of, from, window);
    rows.push(...(await rowsIn(db, of, narrowed, { from, to, limit: limit - rows.length })));
    if (rows.length === limit) return { rows, before: rows.at(-1)?.id ?? null };
    if (to === 0) return { rows, before: null };
    from = to;
  }
  return { rows, before: from };
}

const newest = async (db: Kysely<GatewayTables>): Promise<number> =>
  (await db.selectFrom('seen').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst())?.id ?? 0;

/** Down to which id so many rows reach; 0: there are no more. */
async function floorOf(db: Kysely<GatewayTables>, of: Of, from: number, window: number): Promise<number> {
  if (typeof of !== 'string') return Math.max(0, from - window);
  const { rows } = await sql<{ id: number }>`
    select id from seen where ${isOf(of)} and id < ${from} order by id desc limit 1 offset ${window - 1}`.execute(db);
  return rows[0]?.id ?? 0;
}

const isOf = (persona: string) =>
  persona === '' ? sql<boolean>`persona_id is null` : sql<boolean>`persona_id = ${persona}`;

/** The empty text stands for mail of no persona. */
const isOneOf = (personas: readonly string[], of: 'seen' | 'later' = 'seen') =>
  sql<boolean>`coalesce(${sql.ref(`${of}.persona_id`)}, '') in (select value from ${eachText(JSON.stringify(personas), 'mine')})`;

const rowsIn = (
  db: Kysely<GatewayTables>,
  of: Of,
  { personas, direction, decision, who, text, since, until, newestOfEach }: Narrowed,
  { from, to, limit }: { readonly from: number; readonly to: number; readonly limit: number },
): Promise<SeenMail[]> =>
  db
    .selectFrom('seen')
    .selectAll()
    .where('id', '<', from)
    .where('id', '>=', to)
    .where(typeof of === 'string' ? isOf(of) : isOneOf(of))
    .$if(direction !== undefined, (query) => query.where('direction', '=', direction ?? 'in'))
    .$if(decision !== undefined, (query) => query.where('decision', '=', decision ?? 'refused'))
    .$if(who !== undefined, (query) => query.where(isOtherSide(who ?? '')))
    .$if(text !== undefined, (query) =>
      query.where(sql<boolean>`(${isOtherSide(text ?? '')} or ${partOf('subject', text ?? '')})`),
    )
    .$if(since !== undefined, (query) => query.where('received_at', '>=', since ?? 0))
    .$if(until !== undefined, (query) => query.where('received_at', '<', until ?? 0))
    .$if(newestOfEach === true, (query) => query.where(isNewestOfIts(personas)))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

/** Who wrote what came, or got what left. */
const isOtherSide = (part: string) => sql<boolean>`((direction = 'in' and ${partOf('from_address', part)})
  or (direction = 'out' and ${partOf('recipient', part)}))`;

/** Whoever wrote it has written no other since, as far as the look may know. */
const isNewestOfIts = (personas: readonly string[]) => sql<boolean>`direction = 'in' and from_address is not null
  and not exists (select 1 from seen later where later.from_address = seen.from_address and later.direction = 'in'
    and later.id > seen.id and ${isOneOf(personas, 'later')})`;

const escaped = (text: string): string => text.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`);

const partOf = (column: 'from_address' | 'recipient' | 'subject', text: string) =>
  isLike(sql.ref(column), `%${escaped(text)}%`);
