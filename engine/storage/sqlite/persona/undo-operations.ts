import { type Kysely, sql } from 'kysely';
import type { SettledUndo, UndoneKind } from '../../ports/undo.ts';
import type { ApprovalNotice, AuditRecord, RemovedFile, UndoItem } from '../../types/approvals.ts';
import type { NewJob } from '../../types/jobs.ts';
import { LEARNED } from '../../types/learning/refinements.ts';
import type { OutgoingMail } from '../../types/outbox.ts';
import type { Transact } from '../database/transactions.ts';
import { pinPlaybook } from '../learning/operations.ts';
import * as approvals from '../repositories/approvals.ts';
import { addJobs, endJob } from '../repositories/jobs.ts';
import * as outbox from '../repositories/outbox.ts';
import { undoOf } from './schema/rows.ts';
import type { PersonaTables, Reader, Trx } from './schema/tables.ts';

const MAX_IN_NOTICE = 50;

/** Of two changes that are taken back, in whatever order, the version before both holds again; and no undo goes forward. */
async function pinBack(trx: Trx, { kind, version }: NonNullable<SettledUndo['pin']>, now: number): Promise<void> {
  const numbered = trx.selectFrom('playbook_versions').select('number');
  const wanted = await numbered.where('id', '=', version).executeTakeFirst();
  const pinned = await numbered
    .innerJoin('playbook_pins', 'playbook_pins.version_id', 'playbook_versions.id')
    .where('playbook_pins.kind', '=', kind)
    .executeTakeFirst();
  if (wanted && pinned && pinned.number < wanted.number) return;
  await pinPlaybook(trx, kind, version, now);
}

/** The part of the Store that has to do with taking back what was done. */
export function undoOperations(db: Kysely<PersonaTables>, transact: Transact<PersonaTables>) {
  const unnoticed = async (trx: Reader | Trx, of: UndoneKind): Promise<UndoItem[]> => {
    const open = trx.selectFrom('undo_items').selectAll().where('state', '=', 'open').where('notice_id', 'is', null);
    const wanted = open.where('tool', of === 'learned' ? '=' : '!=', LEARNED);
    return (await wanted.orderBy('id').limit(MAX_IN_NOTICE).execute()).map(undoOf);
  };

  return {
    unnoticedUndo: (of: UndoneKind) => unnoticed(db, of),
    areMoreDecided: async (since: number): Promise<boolean> => {
      const open = db
        .selectFrom('runs')
        .select('runs.id')
        .where('runs.ended_at', 'is', null)
        .where('runs.created_at', '>=', since)
        .where(
          sql<boolean>`exists (select 1 from run_events as first
            where first.run_id = runs.id and first.seq = 0 and first.payload_json like '%"decided"%')`,
        );
      return (await open.limit(1).executeTakeFirst()) !== undefined;
    },
    learnedToldAt: async (): Promise<number | null> => {
      const told = db
        .selectFrom('undo_items')
        .innerJoin('approval_notices', 'approval_notices.id', 'undo_items.notice_id')
        .select((rows) => rows.fn.max<number | null>('approval_notices.created_at').as('at'));
      return (await told.where('undo_items.tool', '=', LEARNED).executeTakeFirst())?.at ?? null;
    },
    getUndo: async (id: string): Promise<UndoItem | undefined> => {
      const row = await db.selectFrom('undo_items').selectAll().where('id', '=', id).executeTakeFirst();
      return row && undoOf(row);
    },
    undoOfNotice: async (noticeId: string): Promise<UndoItem[]> => {
      const found = db.selectFrom('undo_items').selectAll().where('notice_id', '=', noticeId);
      return (await found.orderBy('number').execute()).map(undoOf);
    },
    /** The newest that an approved call left behind. */
    undosOfRun: async (runId: string): Promise<UndoItem[]> => {
      const found = db.selectFrom('undo_items').selectAll().where('run_id', '=', runId);
      return (await found.orderBy('id').limit(MAX_IN_NOTICE).execute()).map(undoOf);
    },
    undoOfCall: async ({ runId, callId }: { runId: string; callId: string }): Promise<UndoItem | undefined> => {
      const found = db.selectFrom('undo_items').selectAll().where('run_id', '=', runId).where('call_id', '=', callId);
      const row = await found.orderBy('id', 'desc').limit(1).executeTakeFirst();
      return row && undoOf(row);
    },

    /** The notice that tells of these, its mail and the end of its job; what came since keeps a job of its own. */
    sendUndoNotice: (
      notice: ApprovalNotice,
      numbered: readonly { id: string; number: number }[],
      mail: OutgoingMail,
      /** The job, as it is asked for again where more came. */
      { of, job }: { readonly of: UndoneKind; readonly job: NewJob },
    ) =>
      transact(async (trx) => {
        await approvals.insertNotice(trx, notice);
        for (const { id, number } of numbered) {
          const patch = { notice_id: notice.id, number, updated_at: notice.created_at };
          await trx.updateTable('undo_items').set(patch).where('id', '=', id).execute();
        }
        await outbox.insertOutgoing(trx, mail);
        await endJob(trx, job.id);
        if ((await unnoticed(trx, of)).length > 0) await addJobs(trx, [job]);
      }),

    /** One transaction: who asked is on record, and the work is a job. */
    askUndo: (jobs: readonly NewJob[], audit: readonly AuditRecord[]) =>
      transact(async (trx) => {
        await addJobs(trx, jobs);
        await approvals.audit(trx, audit);
      }),
    /** What became of it; a state that is not open any more stays. */
    settleUndo: (settled: SettledUndo, audit: readonly AuditRecord[], jobId: string, jobs: readonly NewJob[]) =>
      transact(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable('undo_items')
          .set({ state: settled.state, decided_by: settled.by, updated_at: settled.now })
          .where('id', '=', settled.id)
          .where('state', '=', 'open')
          .executeTakeFirstOrThrow();
        if (settled.pin && numUpdatedRows > 0n) await pinBack(trx, settled.pin, settled.now);
        await approvals.audit(trx, audit);
        await endJob(trx, jobId);
        await addJobs(trx, jobs);
      }),

    recordRemovedFile: (file: RemovedFile, job: NewJob) =>
      transact(async (trx) => {
        await trx
          .insertInto('removed_files')
          .values(file)
          .onConflict((conflict) => conflict.columns(['run_id', 'path']).doUpdateSet(file))
          .execute();
        await addJobs(trx, [job]);
      }),
    removedFile: (runId: string, path: string): Promise<RemovedFile | undefined> =>
      db
        .selectFrom('removed_files')
        .selectAll()
        .where('run_id', '=', runId)
        .where('path', '=', path)
        .executeTakeFirst(),
    async removedBytes(): Promise<number> {
      const row = await db
        .selectFrom('removed_files')
        .select((files) => files.fn.sum<number | null>('bytes').as('bytes'))
        .executeTakeFirst();
      return Number(row?.bytes ?? 0);
    },
    /** Ends what nobody took back in time; the hashes that nothing stands for any more, and when to look again. */
    endUndo: (now: number): Promise<{ hashes: readonly string[]; nextAt: number | null }> =>
      transact(async (trx) => {
        const open = trx.updateTable('undo_items').where('state', '=', 'open').where('until', '<=', now);
        await open.set({ state: 'expired', updated_at: now }).execute();
        const ended = await trx.selectFrom('removed_files').select('sha256').where('until', '<=', now).execute();
        await trx.deleteFrom('removed_files').where('until', '<=', now).execute();
        const kept = await trx.selectFrom('removed_files').select(['sha256', 'until']).orderBy('until').execute();
        const stillKept = new Set(kept.map(({ sha256 }) => sha256));
        const hashes = [...new Set(ended.map(({ sha256 }) => sha256))].filter((hash) => !stillKept.has(hash));
        return { hashes, nextAt: kept[0]?.until ?? null };
      }),
  };
}
