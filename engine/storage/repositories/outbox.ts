import { sql } from 'kysely';
import type { NewOutbox, OutboxRecipientRow, OutboxRow, OutboxState, Reader, Trx } from '../tables.ts';

/** As literals: with bound values SQLite cannot see that `outbox_due` holds all such rows, and reads the whole table. */
const OPEN = (['queued', 'sending', 'unknown'] as const).map((state) => sql.lit(state));

/** Inserts once per (run_id, purpose, ordinal); a second time changes nothing and says so. */
export async function insertOutbox(
  trx: Trx,
  mail: NewOutbox,
  recipients: readonly string[],
): Promise<{ inserted: boolean }> {
  const result = await trx
    .insertInto('outbox')
    .values(mail)
    .onConflict((conflict) => conflict.columns(['run_id', 'purpose', 'ordinal']).doNothing())
    .executeTakeFirst();
  const inserted = (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
  if (inserted && recipients.length > 0) {
    await trx
      .insertInto('outbox_recipients')
      .values(recipients.map((address) => ({ outbox_id: mail.id, address, state: 'queued' as const, smtp: null })))
      .execute();
  }
  return { inserted };
}

export interface OutboxClaim {
  readonly instance: string;
  readonly now: number;
  /** While the persona is stopped. */
  readonly onlyNotices?: boolean;
}

/** The oldest mail to send now, or to look after because a dead process had it in hand. */
export function findDueOutbox(
  db: Reader,
  { instance, now, onlyNotices = false }: OutboxClaim,
): Promise<Pick<OutboxRow, 'seq' | 'state'> | undefined> {
  return db
    .selectFrom('outbox')
    .select(['seq', 'state'])
    .where('state', 'in', OPEN)
    .where((where) =>
      where.or([
        where('next_attempt_at', '<=', now),
        // Whoever was sending it, or looking after it, is dead: a lease of another instance counts for nothing.
        where('leased_by', '<>', instance),
      ]),
    )
    .$if(onlyNotices, (query) => query.where('kind', '=', 'notice'))
    .orderBy('next_attempt_at')
    .limit(1)
    .executeTakeFirst();
}

/**
 * Leases the oldest due mail. `crashed` is true when a dead process held it while sending: whether it left is
 * unknown then.
 */
export async function claimDueOutbox(
  trx: Trx,
  claim: OutboxClaim & { readonly leaseMs: number },
): Promise<(OutboxRow & { crashed: boolean }) | undefined> {
  const { instance, now, leaseMs } = claim;
  const due = await findDueOutbox(trx, claim);
  if (!due) return undefined;
  const { rows } = await sql<OutboxRow>`
    update outbox set state = case when state = 'unknown' then 'unknown' else 'sending' end, leased_by = ${instance},
      next_attempt_at = ${now + leaseMs}, updated_at = ${now}
    where seq = ${due.seq} returning *`.execute(trx);
  const row = rows[0];
  return row && { ...row, crashed: due.state === 'sending' };
}

export async function settleOutbox(
  trx: Trx,
  id: string,
  outcome: {
    state: OutboxState;
    attempts: number;
    nextAttemptAt: number;
    unknownSince: number | null;
    lastError: string | null;
    now: number;
    recipients: readonly Pick<OutboxRecipientRow, 'address' | 'state' | 'smtp'>[];
  },
): Promise<void> {
  await trx
    .updateTable('outbox')
    .set({
      state: outcome.state,
      attempts: outcome.attempts,
      next_attempt_at: outcome.nextAttemptAt,
      unknown_since: outcome.unknownSince,
      last_error: outcome.lastError,
      leased_by: null,
      updated_at: outcome.now,
    })
    .where('id', '=', id)
    .execute();
  for (const { address, state, smtp } of outcome.recipients) {
    await trx
      .updateTable('outbox_recipients')
      .set({ state, smtp })
      .where('outbox_id', '=', id)
      .where('address', '=', address)
      .execute();
  }
}

export function recipientsOf(trx: Trx, outboxId: string): Promise<OutboxRecipientRow[]> {
  return trx.selectFrom('outbox_recipients').selectAll().where('outbox_id', '=', outboxId).orderBy('address').execute();
}

/** Marks recipients of the named mail as failed; which mail, or null when no such mail was sent to them. */
export async function applyBounce(
  trx: Trx,
  bounce: { messageId: string; failed: readonly { address: string; smtp: string }[]; now: number },
): Promise<Pick<OutboxRow, 'id' | 'kind'> | null> {
  const mail = await trx
    .selectFrom('outbox')
    .select(['id', 'kind'])
    .where('message_id', '=', bounce.messageId)
    .executeTakeFirst();
  if (!mail) return null;
  let changed = 0n;
  for (const { address, smtp } of bounce.failed) {
    const result = await trx
      .updateTable('outbox_recipients')
      .set({ state: 'failed', smtp })
      .where('outbox_id', '=', mail.id)
      .where('address', '=', address.toLowerCase())
      .executeTakeFirst();
    changed += result.numUpdatedRows;
  }
  if (changed === 0n) return null;
  const patch = { state: 'failed' as const, last_error: bounce.failed[0]?.smtp ?? 'bounced', updated_at: bounce.now };
  await trx.updateTable('outbox').set(patch).where('id', '=', mail.id).execute();
  return mail;
}
