import { sql } from 'kysely';
import type { KeptMail } from '../../types/mail.ts';
import type { Trx } from './schema/tables.ts';

/** Limits for one persona. The mails only serve to look up what an owner or a mail system once said. */
const MOST = { mails: 1000, bytes: 256 * 1024 * 1024 };

/** Names the bytes of a mail that is no message; the oldest are named no longer, and the sweep removes them. */
export async function keepRecorded(trx: Trx, mail: KeptMail): Promise<void> {
  await trx.replaceInto('kept_mail').values(mail).execute();
  await sql`
    delete from kept_mail where raw_sha256 in (
      select raw_sha256 from (
        select raw_sha256, row_number() over newest as place, sum(bytes) over newest as total from kept_mail
        window newest as (order by at desc, raw_sha256 desc rows unbounded preceding))
      where place > 1 and (place > ${MOST.mails} or total > ${MOST.bytes}))`.execute(trx);
}
