import { sql } from 'kysely';
import { FencedError } from '../../../ports/runs.ts';
import type { Draft, DraftChange, DraftPatch, WatchedDraft } from '../../../types/drafts.ts';
import { DRAFT_WATCH } from '../../../types/drafts.ts';
import type { NewMessage } from '../../../types/mail.ts';
import { countReply } from '../../arriving/arriving.ts';
import { compiledQuery } from '../../database/compiled-query.ts';
import { draftOf, patchOfDraft, rowOfDraft } from '../../persona/schema/rows.ts';
import type { Reader, Trx } from '../../persona/schema/tables.ts';
import { addParticipants, insertMessage } from '../arrivals.ts';
import { endJob } from '../jobs.ts';

/** States of a mail that lies, or lay, in Drafts. */
const LOOKED_FOR = ['draft', 'deleted'] as const;

/** Stores the message of a draft beside it: it enters the thread when the draft is sent. */
export async function insertDraft(trx: Trx, outboxId: string, message: NewMessage): Promise<void> {
  await trx
    .insertInto('drafts')
    .values(rowOfDraft(outboxId, message))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function patchDraft(trx: Trx, outboxId: string, patch: DraftPatch): Promise<void> {
  await trx.updateTable('drafts').set(patchOfDraft(patch)).where('outbox_id', '=', outboxId).execute();
}

/** Throws FencedError where the mail is not one that lies in Drafts: somebody was faster. */
export async function assertLies(trx: Trx, outboxId: string): Promise<void> {
  const found = await trx
    .selectFrom('outbox')
    .select('id')
    .where('id', '=', outboxId)
    .where('state', 'in', LOOKED_FOR)
    .executeTakeFirst();
  if (!found) throw new FencedError(`mail ${outboxId} does not lie in Drafts`);
}

/** What was seen of a draft; where it was sent, its thread says so from now on. */
export async function changeDraft(trx: Trx, outboxId: string, change: DraftChange, now: number): Promise<void> {
  const { patch, sent } = change;
  await patchDraft(trx, outboxId, patch);
  if (patch.look_at) await hurryWatch(trx, patch.look_at);
  if (!sent) return;
  const { message, viewers } = sent;
  await insertMessage(trx, message, { viewers, ofThread: { last_reply_at: now } });
  const participants = message.to.map((address) => ({ address, role: 'sender' as const }));
  await addParticipants(trx, message.thread_id, participants);
  if (message.run_id) await countReply(trx, message.run_id, now);
}

async function hurryWatch(trx: Trx, dueAt: number): Promise<void> {
  await trx
    .updateTable('jobs')
    .set({ due_at: dueAt })
    .where('id', '=', DRAFT_WATCH)
    .where('due_at', '>', dueAt)
    .execute();
}

/** The watch is due when the next draft is to be looked for; without any it ends. */
export async function planDraftLooks(trx: Trx): Promise<void> {
  const next = await trx
    .selectFrom('drafts')
    .select('look_at')
    .where('look_at', 'is not', null)
    .orderBy('look_at')
    .limit(1)
    .executeTakeFirst();
  const dueAt = next?.look_at ?? null;
  if (dueAt === null) {
    await endJob(trx, DRAFT_WATCH);
    return;
  }
  await trx
    .updateTable('jobs')
    .set({ due_at: dueAt, attempts: 0, parked_code: null, leased_by: null, leased_until: null })
    .where('id', '=', DRAFT_WATCH)
    .execute();
}

/** Drafts that are to be looked for by then, the longest due first. */
export async function dueDrafts(db: Reader, now: number, limit: number): Promise<WatchedDraft[]> {
  const rows = await db
    .selectFrom('drafts')
    .innerJoin('outbox', 'outbox.id', 'drafts.outbox_id')
    .selectAll('drafts')
    .select(['outbox.run_id', 'outbox.message_id', 'outbox.in_reply_to', 'outbox.mailbox', 'outbox.envelope_from'])
    .select(['outbox.state', 'outbox.attempts'])
    .where('drafts.look_at', '<=', now)
    .where('outbox.state', 'in', LOOKED_FOR)
    .$narrowType<{ state: WatchedDraft['state'] }>()
    .orderBy('drafts.look_at')
    .limit(limit)
    .execute();
  return rows.map(draftOf);
}

const lyingIn = compiledQuery<{ threadId: string }>()((db: Reader, $) =>
  db
    .selectFrom('outbox')
    .innerJoin('runs', 'runs.id', 'outbox.run_id')
    .select(['runs.sender', 'runs.tier'])
    .where('outbox.thread_id', '=', $.threadId)
    // A literal: with a bound value SQLite cannot see that `outbox_drafts` holds all such rows.
    .where('outbox.state', '=', sql.lit('draft' as const))
    .limit(20),
);

/** For whom answers of the thread lie in Drafts. */
export const draftsOfThread = async (db: Reader, threadId: string) => (await lyingIn(db, { threadId })).rows;

export async function getDraft(db: Reader, outboxId: string): Promise<Draft | undefined> {
  const row = await db.selectFrom('drafts').selectAll().where('outbox_id', '=', outboxId).executeTakeFirst();
  return row && draftOf(row);
}
