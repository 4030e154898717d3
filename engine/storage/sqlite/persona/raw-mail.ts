import type { Kysely, NotNull } from 'kysely';
import type { HeldRaw, MailStore } from '../../ports/mail.ts';
import type { Transact } from '../database/transactions.ts';
import type { PersonaTables } from './schema/tables.ts';

/** The part of the Store that has to do with bytes of mail that are not files yet. */
export const rawMailOperations = (
  db: Kysely<PersonaTables>,
  transact: Transact<PersonaTables>,
): Pick<MailStore, 'heldRaw' | 'listHeldRaw' | 'releaseRaw'> => ({
  async heldRaw(seq) {
    return (await db.selectFrom('raw_mail').select('bytes').where('seq', '=', seq).executeTakeFirst())?.bytes;
  },
  listHeldRaw: (limit): Promise<HeldRaw[]> =>
    db
      .selectFrom('raw_mail')
      .innerJoin('messages', 'messages.seq', 'raw_mail.seq')
      .select(['raw_mail.seq', 'raw_mail.bytes', 'messages.raw_sha256 as sha256'])
      .where('messages.raw_sha256', 'is not', null)
      .$narrowType<{ sha256: NotNull }>()
      .orderBy('raw_mail.seq')
      .limit(limit)
      .execute(),
  // What a failing machine brings back is the same file once more.
  releaseRaw: (seqs) =>
    transact(async (trx) => {
      await trx.deleteFrom('raw_mail').where('seq', 'in', seqs).execute();
    }, 'normal'),
});
