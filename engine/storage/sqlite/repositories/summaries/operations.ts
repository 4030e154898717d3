import type { Kysely } from 'kysely';
import type { ItemsAsked, KeptThreadMemory, SummaryStore } from '../../../ports/memory/summaries.ts';
import type { Viewer } from '../../../types/mail.ts';
import type { Transact } from '../../database/transactions.ts';
import type { PersonaTables } from '../../persona/schema/tables.ts';
import { addJobs, endJob } from '../jobs.ts';
import { appendEvents, nextSeqOf } from '../runs.ts';
import { threadItems } from './items.ts';
import * as rows from './rows.ts';

/** The part of the Store that has to do with summaries of threads. */
export const summaryOperations = (db: Kysely<PersonaTables>, transact: Transact<PersonaTables>): SummaryStore => ({
  threadMemory: (threadId: string, viewer: Viewer) => rows.threadMemory(db, threadId, viewer),
  threadMemories: (limit: number) => rows.threadMemories(db, limit),
  threadMemoryViewers: (threadId: string) => rows.threadMemoryViewers(db, threadId),
  threadItems: (asked: ItemsAsked) => threadItems(db, asked),
  shownTexts: (threadIds: readonly string[], hashes: readonly string[]) => rows.shownTexts(db, threadIds, hashes),
  keepThreadMemory: ({ jobId, runId, event, memory, jobs, now }: KeptThreadMemory): Promise<boolean> =>
    transact(async (trx) => {
      if (!(await endJob(trx, jobId))) return false;
      if (memory) await rows.keepThreadMemory(trx, memory);
      await appendEvents(trx, runId, await nextSeqOf(trx, runId), [event], now);
      await addJobs(trx, jobs);
      return true;
    }),
});
