import type { Kysely } from 'kysely';
import type { StepBatch } from '../../ports/runs.ts';
import type { TakenUp, Waiting } from '../../ports/waiting.ts';
import type { NewJob } from '../../types/jobs.ts';
import type { DeferredCode } from '../../types/runs.ts';
import type { Transact } from '../database/transactions.ts';
import { addJobs } from '../repositories/jobs.ts';
import * as waiting from '../repositories/waiting.ts';
import type { PersonaTables } from './schema/tables.ts';

/** The part of the Store that has to do with mail that waits: for its owner, for money, for a model. */
export function waitingOperations(db: Kysely<PersonaTables>, transact: Transact<PersonaTables>) {
  return {
    /** Throws FencedError when the lease was lost. */
    parkRun: (batch: StepBatch, park: Parameters<typeof waiting.parkRun>[2]): Promise<void> =>
      transact((trx) => waiting.parkRun(trx, batch, park)),
    /** Looks first: mostly nothing is due, and then nothing is written. */
    deferUnbegun: async (why: Waiting, which: { onlyNew: boolean }): Promise<number> =>
      (await waiting.hasDueUnbegun(db, why.now)) ? transact((trx) => waiting.deferUnbegun(trx, why, which)) : 0,
    deferredCodes: () => waiting.deferredCodes(db),
    hasOneToTakeUp: (code: DeferredCode) => waiting.hasOneToTakeUp(db, code),
    takeUp: (code: DeferredCode, which: TakenUp): Promise<number> =>
      transact((trx) => waiting.takeUp(trx, code, which)),
    respread: (limit: Parameters<typeof waiting.respread>[1]) => transact((trx) => waiting.respread(trx, limit)),
    countDeferred: () => waiting.countDeferred(db),
    waitingMails: (wanted: Parameters<typeof waiting.waitingMails>[1]) => waiting.waitingMails(db, wanted),
    isToldOfWaiting: (wanted: Parameters<typeof waiting.isToldOfWaiting>[1]) => waiting.isToldOfWaiting(db, wanted),
    incident: (code: DeferredCode) => waiting.incidentOf(db, code),
    dearestSender: (since: number) => waiting.dearestSender(db, since),
    /** Owners hear once a day that the day's budget is nearly spent. */
    warnOnce: (day: string, now: number, job: NewJob): Promise<void> =>
      transact(async (trx) => {
        if (await waiting.markWarned(trx, day, now)) await addJobs(trx, [job]);
      }),
  };
}
