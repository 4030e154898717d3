import type { Kysely } from 'kysely';
import type { SuspensionStore } from '../../ports/suspensions.ts';
import type { Transact } from '../database/transactions.ts';
import { endJob } from '../repositories/jobs.ts';
import * as suspensions from '../repositories/suspensions/rows.ts';
import type { PersonaTables } from './schema/tables.ts';

/** The part of the Store that has to do with what runs wait for and nobody is asked about. */
export const suspensionOperations = (
  db: Kysely<PersonaTables>,
  transact: Transact<PersonaTables>,
): SuspensionStore => ({
  getSuspension: (id) => transact((trx) => suspensions.suspensionById(trx, id)),
  suspensionsOfRun: (runId) => transact((trx) => suspensions.suspensionsOf(trx, runId)),
  beginSuspension: (row, most) => transact((trx) => suspensions.begin(trx, row, most)),
  dropBegun: (id) => transact((trx) => suspensions.dropBegun(trx, id)),
  keepToken: ({ id, sha256 }) => transact((trx) => suspensions.keepToken(trx, id, sha256)),
  suspensionTokens: () => suspensions.tokens(db),
  openSuspensions: (kind) => suspensions.openOfKind(db, kind),
  endSuspension: (end, jobId) =>
    transact(async (trx) => {
      const isEnded = await suspensions.endSuspension(trx, end);
      await endJob(trx, jobId);
      return isEnded;
    }),
});
