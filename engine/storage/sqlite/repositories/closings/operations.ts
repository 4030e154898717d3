import type { Kysely } from 'kysely';
import type { ClosingSearch, ClosingStore, KeptClosing } from '../../../ports/memory/closings.ts';
import type { Transact } from '../../database/transactions.ts';
import type { PersonaTables } from '../../persona/schema/tables.ts';
import { addJobs, endJob } from '../jobs.ts';
import { appendEvents, nextSeqOf } from '../runs.ts';
import * as rows from './rows.ts';

/** The part of the Store that has to do with threads that are over. */
export const closingOperations = (db: Kysely<PersonaTables>, transact: Transact<PersonaTables>): ClosingStore => ({
  closingOf: (threadId: string) => rows.closingOf(db, threadId),
  closingViewers: (threadId: string) => rows.closingViewers(db, threadId),
  findClosings: (wanted: ClosingSearch) => rows.findClosings(db, wanted),
  threadsToClose: (page) => rows.threadsToClose(db, page),
  keepClosing: ({ jobId, runId, event, closing, jobs, now }: KeptClosing): Promise<boolean> =>
    transact(async (trx) => {
      if (!(await endJob(trx, jobId))) return false;
      if (closing) await rows.keepClosing(trx, closing);
      if (event) await appendEvents(trx, runId, await nextSeqOf(trx, runId), [event], now);
      await addJobs(trx, jobs);
      return true;
    }),
});
