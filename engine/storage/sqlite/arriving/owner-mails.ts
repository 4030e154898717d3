import { z } from 'zod';
import { parseJson } from '../../../lib/json.ts';
import type { OwnerMail } from '../../ports/mail.ts';
import type { Reader, Trx } from '../persona/schema/tables.ts';

const names = z.array(z.object({ name: z.string(), address: z.string() }));

export async function keepOwnerMail(trx: Trx, message: string, { ground, names: called }: OwnerMail): Promise<void> {
  await trx
    .insertInto('owner_mails')
    .values({ message, ground, names_json: JSON.stringify(called) })
    .execute();
}

export async function ownerMail(db: Reader, message: string): Promise<OwnerMail | undefined> {
  const row = await db.selectFrom('owner_mails').selectAll().where('message', '=', message).executeTakeFirst();
  return row && { ground: row.ground, names: parseJson(names, row.names_json) };
}

/** What is behind them counts as not said. */
const MOST_MAILS = 2000;

export async function namesOfPeople(
  db: Reader,
  threadId: string,
): Promise<Record<'byOwners' | 'bySelf', OwnerMail['names']>> {
  const byOwners = await db
    .selectFrom('owner_mails')
    .innerJoin('messages', 'messages.id', 'owner_mails.message')
    .innerJoin('threads', 'threads.id', 'messages.thread_id')
    .select('names_json')
    .where('names_json', '<>', '[]')
    .where((row) => row.or([row('threads.private_since', 'is', null), row('threads.id', '=', threadId)]))
    .orderBy('messages.seq', 'desc')
    .limit(MOST_MAILS)
    .execute();
  const bySelf = await db
    .selectFrom('messages')
    .select(['from_name as name', 'from_address as address'])
    .where('direction', '=', 'in')
    .orderBy('seq', 'desc')
    .limit(MOST_MAILS)
    .execute();
  return {
    byOwners: byOwners.flatMap(({ names_json }) => parseJson(names, names_json)),
    bySelf: bySelf.flatMap(({ name, address }) => (name === '' || address === null ? [] : [{ name, address }])),
  };
}
