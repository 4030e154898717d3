import { sql } from 'kysely';
import { z } from 'zod';
import { readJson } from '../../../lib/json.ts';
import { indexedBy } from '../../dialect.ts';
import { type FurtherMail, FurtherMailError, type FurtherOf, type TakenMail } from '../../ports/further-mail.ts';
import type { StepBatch } from '../../ports/runs.ts';
import type { StoredRun } from '../../types/runs.ts';
import { decidedQuestion, ownEvent } from '../../types/runs.ts';
import { compiledQuery } from '../database/compiled-query.ts';
import { messageOf } from '../persona/schema/rows.ts';
import type { Reader, Trx } from '../persona/schema/tables.ts';
import { attachmentsOf, messageById, privateSince } from './arrivals.ts';
import { appendEvents, firstEventOf, nextSeqOf } from './runs.ts';

type Candidate = Pick<
  StoredRun,
  'id' | 'message' | 'kind' | 'status' | 'sender' | 'tier' | 'fence' | 'deferred_code' | 'due_at'
>;

/** The index is named for the same reason as in `runs.ts`: else every run that the thread ever had is read. */
const runsBehind = compiledQuery<{ threadId: string; seq: number; most: number }>()(
  (_: Reader, $) => sql<Candidate>`
    select r.id, r.message, r.kind, r.status, r.sender, r.tier, r.fence, r.deferred_code, r.due_at
    from runs r ${indexedBy('runs_open_by_thread')}
    where r.thread_id = ${$.threadId} and r.status in ('queued', 'running') and r.seq > ${$.seq}
    order by r.seq limit ${$.most}`,
);
/**
 * What the run is to answer as well, in the order in which it came: an unbroken row of mails right behind its own, so that
 * nobody's mail is overtaken. It ends at the first that has to have a run of its own.
 */
export async function furtherMail(db: Reader, of: FurtherOf): Promise<readonly FurtherMail[]> {
  const { rows } = await runsBehind(db, { threadId: of.threadId, seq: of.seq, most: of.most });
  const found: FurtherMail[] = [];
  for (const run of rows) {
    const mail = await fitting(db, of, run);
    if (mail === null) break;
    found.push(mail);
  }
  return found;
}

async function fitting(db: Reader, of: FurtherOf, run: Candidate): Promise<FurtherMail | null> {
  const isNew = run.kind === 'message' && run.status === 'queued' && run.fence === 0;
  const isDue = run.deferred_code === null && run.due_at <= of.now;
  if (!isNew || !isDue || run.sender !== of.sender || run.tier !== of.tier) return null;
  const row = await messageById(db, run.message);
  if (!row) return null;
  // Somebody made the thread private, or asked for this mail to be worked once more: that is about the mail itself.
  const since = (await privateSince(db, of.threadId)) ?? null;
  const begun = await firstEventOf(db, run.id);
  if ((since !== null && since > of.createdAt) || begun === undefined || isNoNewMail(begun.payload_json)) return null;
  const mail = { runId: run.id, message: messageOf(row), attachments: await attachmentsOf(db, row.id) };
  return of.mayBeTakenIn(mail) ? mail : null;
}

const otherwise = z.union([z.object({ retry_of: z.string() }), z.object({ decided: decidedQuestion })]);
/** A mail is worked once more, or what was decided about a call is carried out: there is no new mail in it. */
const isNoNewMail = (payload: string): boolean => readJson(otherwise, payload) !== undefined;

/** Ends the runs of mails that another run answers. Throws where one of them is not as it was. */
export async function takeIn(trx: Trx, { lease, takenIn = [], now }: StepBatch): Promise<void> {
  for (const { runId, message, rendered } of takenIn) {
    if (runId !== null) await endTogether(trx, { runId, by: lease.runId, now });
    await trx
      .updateTable('messages')
      .set((row) => ({ run_id: lease.runId, rendered_json: row.fn.coalesce('rendered_json', row.val(rendered)) }))
      .where('id', '=', message)
      .execute();
  }
}

const TOGETHER = { status: 'done', outcome: 'silent:answered_together', code: 'answered_together' } as const;

async function endTogether(trx: Trx, { runId, by, now }: { runId: string; by: string; now: number }): Promise<void> {
  const ended = await trx
    .updateTable('runs')
    .set({ ...TOGETHER, ended_at: now })
    .where('id', '=', runId)
    .where('status', '=', 'queued')
    .where('fence', '=', 0)
    .executeTakeFirst();
  if (ended.numUpdatedRows === 0n) throw new FurtherMailError(`the mail of run ${runId} is in other hands`);
  await appendEvents(trx, runId, await nextSeqOf(trx, runId), [ownEvent('run_ended', { ...TOGETHER, by })], now);
}

/** The mails that a run has taken in, in their order. */
export async function takenInBy(
  db: Reader,
  run: Pick<StoredRun, 'id' | 'message' | 'thread_id'>,
): Promise<TakenMail[]> {
  const rows = await db
    .selectFrom('messages')
    .selectAll()
    .where('thread_id', '=', run.thread_id)
    .where('run_id', '=', run.id)
    .where('direction', '=', 'in')
    .where('id', '!=', run.message)
    .orderBy('seq')
    .execute();
  return Promise.all(
    rows.map(async (row) => ({ message: messageOf(row), attachments: await attachmentsOf(db, row.id) })),
  );
}
