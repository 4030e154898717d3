import { type Kysely, sql } from 'kysely';
import { addJobs, type NewJob } from './repositories/jobs.ts';
import * as outbox from './repositories/outbox.ts';
import * as ownerActions from './repositories/owner-actions.ts';
import type { OutgoingMail } from './repositories/steps.ts';
import type { JobRow, PersonaTables } from './tables.ts';
import type { Transact } from './transactions.ts';

/** The part of the Store that has to do with mail that leaves, and with the jobs that follow from rows. */
export function mailOperations(db: Kysely<PersonaTables>, transact: Transact<PersonaTables>) {
  return {
    claimOutbox: (wanted: outbox.OutboxClaim): Promise<readonly outbox.ClaimedMail[]> =>
      transact((trx) => outbox.claimDueOutbox(trx, wanted)),
    settleOutbox: (id: string, outcome: Parameters<typeof outbox.settleOutbox>[2], jobs: readonly NewJob[] = []) =>
      transact(async (trx) => {
        await outbox.settleOutbox(trx, id, outcome);
        await addJobs(trx, jobs);
      }),
    /** For notices: inserts the mail (once per purpose) and ends the job that asked for it. */
    queueNotice: (jobId: string, mail: OutgoingMail) =>
      transact(async (trx) => {
        await outbox.insertOutbox(trx, mail.row, mail.recipients);
        await trx.deleteFrom('jobs').where('id', '=', jobId).execute();
      }),
    recordBounce: (bounce: Parameters<typeof outbox.applyBounce>[1] & { notice(outboxId: string): NewJob }) =>
      transact(async (trx) => {
        const mail = await outbox.applyBounce(trx, bounce);
        // Where notices themselves come back, one about each would come back, too, and so on for ever.
        if (mail && mail.kind !== 'notice') await addJobs(trx, [bounce.notice(mail.id)]);
      }),

    addJobs: (jobs: readonly NewJob[]) => transact((trx) => addJobs(trx, jobs)),
    dueJobs: (now: number, limit: number): Promise<JobRow[]> =>
      db.selectFrom('jobs').selectAll().where('due_at', '<=', now).orderBy('due_at').limit(limit).execute(),
    endJob: async (id: string) => {
      await db.deleteFrom('jobs').where('id', '=', id).execute();
    },
    postponeJob: async (id: string, dueAt: number) => {
      await db.updateTable('jobs').set({ due_at: dueAt, attempts: sql`attempts + 1` }).where('id', '=', id).execute();
    },
    changeOutbox: (wanted: Parameters<typeof ownerActions.changeOutbox>[1]) =>
      transact((trx) => ownerActions.changeOutbox(trx, wanted)),
  };
}
