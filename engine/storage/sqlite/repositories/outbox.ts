import { type Insertable, sql, type Updateable } from 'kysely';
import { z } from 'zod';
import { parseJson } from '../../../lib/json.ts';
import { asFlag, asText, eachText, jsonListsOf } from '../../dialect.ts';
import type { BounceOf, OutboxClaim } from '../../ports/outbox.ts';
import { FencedError } from '../../ports/runs.ts';
import type {
  ClaimedMail,
  NewOutboxMail,
  OutboxMail,
  OutboxRecipient,
  OutboxState,
  OutgoingMail,
} from '../../types/outbox.ts';
import { compiledQuery } from '../database/compiled-query.ts';
import { leaseName, ownLeases } from '../database/lease-name.ts';
import type { PersonaTables, Reader, Trx } from '../persona/schema/tables.ts';

/** Literals: with bound values SQLite cannot see that `outbox_due` holds all such rows, and reads the whole table. */
const OPEN = (['queued', 'sending', 'unknown'] as const).map((state) => sql.lit(state));

const insertMail = compiledQuery<{ row: NewOutboxMail }>()((db: Reader, $) =>
  db
    .insertInto('outbox')
    .values($.row)
    .onConflict((conflict) => conflict.columns(['run_id', 'purpose', 'ordinal']).doNothing()),
);
const insertRecipients = compiledQuery<{ rows: readonly Insertable<PersonaTables['outbox_recipients']>[] }>()(
  (db: Reader, $) => db.insertInto('outbox_recipients').values($.rows),
);

/** Inserts a mail and what goes out with it; false where the mail itself is there already. */
export async function insertOutgoing(trx: Trx, { row, recipients, also = [] }: OutgoingMail): Promise<boolean> {
  const isNew = await insertOutbox(trx, row, recipients);
  if (isNew) for (const one of also) await insertOutbox(trx, one.row, one.recipients);
  return isNew;
}

/** Inserts once per (run_id, purpose, ordinal); a second time changes nothing, and is false. */
export async function insertOutbox(trx: Trx, mail: NewOutboxMail, recipients: readonly string[]): Promise<boolean> {
  const { numAffectedRows = 0n } = await insertMail(trx, { row: mail });
  if (numAffectedRows === 0n) return false;
  if (recipients.length === 0) return true;
  const rows = recipients.map((address) => ({ outbox_id: mail.id, address, state: 'queued' as const, smtp: null }));
  await insertRecipients(trx, { rows });
  return true;
}

const dueMail = (onlyNotices: boolean) =>
  compiledQuery<{ own: string; othersAreDead: number; now: number }>()((db: Reader, $) =>
    db
      .selectFrom('outbox')
      .select(['seq', 'state', 'purpose', 'in_reply_to'])
      .where('state', 'in', OPEN)
      .where((where) =>
        where.or([
          where('next_attempt_at', '<=', $.now),
          sql<boolean>`(${$.othersAreDead} = 1 and substr(leased_by, 1, length(${$.own})) <> ${$.own})`,
        ]),
      )
      .$if(onlyNotices, (query) => query.where('kind', '=', 'notice'))
      .orderBy('next_attempt_at')
      .limit(1),
  );
const dueMails = { any: dueMail(false), notices: dueMail(true) };

type DueMail = Pick<OutboxMail, 'seq' | 'state' | 'purpose' | 'in_reply_to'>;

/** The oldest mail to send now, or to look after because a dead process had it in hand. */
async function findDueOutbox(
  db: Reader,
  { instance, deadHolders, now, onlyNotices = false }: OutboxClaim,
): Promise<DueMail | undefined> {
  const find = onlyNotices ? dueMails.notices : dueMails.any;
  return (await find(db, { own: ownLeases(instance), othersAreDead: deadHolders ? 1 : 0, now })).rows[0];
}

const recipientsAsJson = jsonListsOf([sql`address`, sql`state`, sql`smtp`], sql`address`);
const recipients = z.array(
  z.tuple([z.string(), z.enum(['queued', 'sent', 'failed', 'unknown']), z.string().nullable()]),
);

const leaseMail = compiledQuery<{ seq: number; lease: string; now: number; until: number }>()(
  (_: Reader, $) => sql<OutboxMail & { readonly recipients_json: string }>`
    update outbox set state = case when state = 'unknown' then 'unknown' else 'sending' end, leased_by = ${$.lease},
      next_attempt_at = ${$.until}, trying_since = coalesce(trying_since, ${$.now}), updated_at = ${$.now}
    where seq = ${$.seq}
    returning *, (select ${recipientsAsJson} from outbox_recipients where outbox_id = outbox.id) as recipients_json`,
);

/** What answers a mail; `follow_up` is what goes behind the others. */
const ANSWERS = (['final', 'so_far', 'follow_up'] as const).map((purpose) => sql.lit(purpose));

/** The answer to the same mail that a follow-up must not overtake: it waits for another attempt, or one is being made. */
const openBefore = compiledQuery<{ seq: number; about: string }>()((db: Reader, $) =>
  db
    .selectFrom('outbox')
    .select('next_attempt_at')
    .where('in_reply_to', '=', $.about)
    .where('seq', '<', $.seq)
    .where('purpose', 'in', ANSWERS)
    .where('state', 'in', [sql.lit('queued' as const), sql.lit('sending' as const)])
    .orderBy('next_attempt_at', 'desc')
    .limit(1),
);

const putOff = compiledQuery<{ seq: number; until: number }>()((db: Reader, $) =>
  db.updateTable('outbox').set({ next_attempt_at: $.until }).where('seq', '=', $.seq),
);

/** Without an attempt: a mail that is not tried is not counted, and `settleOutbox` has it looked at once that answer has left. */
async function isPutOff(trx: Trx, due: DueMail, now: number): Promise<boolean> {
  if (due.purpose !== 'follow_up' || due.state !== 'queued' || due.in_reply_to === null) return false;
  const [before] = (await openBefore(trx, { seq: due.seq, about: due.in_reply_to })).rows;
  if (!before) return false;
  await putOff(trx, { seq: due.seq, until: Math.max(before.next_attempt_at, now) + 1 });
  return true;
}

const hurryFollowing = compiledQuery<{ id: string; now: number }>()(
  (_: Reader, $) => sql`
    update outbox set next_attempt_at = ${$.now}
    where state = 'queued' and purpose = 'follow_up' and attempts = 0 and next_attempt_at > ${$.now}
      and in_reply_to = (select in_reply_to from outbox
        where id = ${$.id} and state not in ('queued', 'sending') and purpose in (${sql.join(ANSWERS)}))`,
);

/** Leases what is due, oldest first, `limit` at most. */
export async function claimDueOutbox(trx: Trx, claim: OutboxClaim): Promise<readonly ClaimedMail[]> {
  const { instance, now, leaseMs } = claim;
  const claimed: ClaimedMail[] = [];
  while (claimed.length < claim.limit) {
    const due = await findDueOutbox(trx, claim);
    if (!due) break;
    if (await isPutOff(trx, due, now)) continue;
    const { rows } = await leaseMail(trx, {
      seq: due.seq,
      lease: leaseName(instance, now + leaseMs),
      now,
      until: now + leaseMs,
    });
    for (const { recipients_json: json, ...row } of rows) {
      const to = parseJson(recipients, json);
      claimed.push({
        ...row,
        crashed: due.state === 'sending',
        recipients: to.map(([address, state, smtp]) => ({ outbox_id: row.id, address, state, smtp })),
      });
    }
  }
  return claimed;
}

/** Whether a follow-up waits that answers the same mail. */
const isFollowed = asFlag(sql`exists (select 1 from outbox as later
  where later.in_reply_to = outbox.in_reply_to and later.purpose = 'follow_up' and later.state = 'queued')`).as(
  'is_followed',
);

const setMail = compiledQuery<{ id: string; patch: MailPatch }>()((db: Reader, $) =>
  db.updateTable('outbox').set($.patch).where('id', '=', $.id).returning(isFollowed),
);
const setRecipients = compiledQuery<{
  id: string;
  addresses: string;
  state: OutboxRecipient['state'];
  smtp: string | null;
}>()((db: Reader, $) =>
  db
    .updateTable('outbox_recipients')
    .set({ state: $.state, smtp: $.smtp })
    .where('outbox_id', '=', $.id)
    .where('address', 'in', sql<string>`(select value from ${eachText($.addresses, 'one')})`)
    // A bounce that came during the attempt: what the attempt knew of that recipient is older.
    .where('state', '!=', 'failed'),
);

type MailPatch = Updateable<PersonaTables['outbox']>;

/** Under no name: it was given up for the attempt that is being made, and nobody has taken it since. */
const setHeldMail = compiledQuery<{ id: string; lease: string | null; patch: MailPatch }>()((db: Reader, $) =>
  db
    .updateTable('outbox')
    .set($.patch)
    .where('id', '=', $.id)
    .where(sql<boolean>`leased_by is not distinct from ${asText($.lease)}`)
    .where('state', 'in', ['sending', 'unknown'])
    .returning(isFollowed),
);

const extend = compiledQuery<{ id: string; lease: string; until: number }>()((db: Reader, $) =>
  db.updateTable('outbox').set({ next_attempt_at: $.until }).where('id', '=', $.id).where('leased_by', '=', $.lease),
);

/** False when somebody else has the mail by now. */
export async function extendOutbox(trx: Trx, id: string, lease: string, until: number): Promise<boolean> {
  const { numAffectedRows = 0n } = await extend(trx, { id, lease, until });
  return numAffectedRows > 0n;
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
    recipients: readonly Pick<OutboxRecipient, 'address' | 'state' | 'smtp'>[];
    lease?: string | null;
    untried?: true;
  },
): Promise<void> {
  const patch = {
    state: outcome.state,
    attempts: outcome.attempts,
    next_attempt_at: outcome.nextAttemptAt,
    unknown_since: outcome.unknownSince,
    last_error: outcome.lastError,
    leased_by: null,
    updated_at: outcome.now,
    ...(outcome.untried ? { trying_since: null } : {}),
  };
  const { lease } = outcome;
  const {
    rows: [held],
  } = lease === undefined ? await setMail(trx, { id, patch }) : await setHeldMail(trx, { id, lease, patch });
  if (lease !== undefined && held === undefined) throw new FencedError(`the lease of mail ${id} was lost`);
  let bounced = false;
  // Most servers say the same of all.
  for (const all of Map.groupBy(outcome.recipients, ({ state, smtp }) => JSON.stringify([state, smtp])).values()) {
    const [one] = all;
    if (!one) continue;
    const { state, smtp } = one;
    const addresses = JSON.stringify(all.map(({ address }) => address));
    const { numAffectedRows: set = 0n } = await setRecipients(trx, { id, addresses, state, smtp });
    bounced ||= state === 'sent' && set < BigInt(all.length);
  }
  if (bounced && outcome.state === 'sent')
    await setMail(trx, { id, patch: { state: 'failed', last_error: 'bounced' } });
  if (held?.is_followed === 1) await hurryFollowing(trx, { id, now: outcome.now });
}

const selectRecipients = compiledQuery<{ id: string }>()((db: Reader, $) =>
  db.selectFrom('outbox_recipients').selectAll().where('outbox_id', '=', $.id).orderBy('address'),
);

export const recipientsOf = async (trx: Trx, outboxId: string): Promise<OutboxRecipient[]> =>
  (await selectRecipients(trx, { id: outboxId })).rows;

/** A bounce counts only in these states. Before, our own attempts decide: anybody who knows the Message-ID could forge one. */
const BOUNCED = ['sent', 'unknown'] as const;

/** Whether the bounce names a mail of ours and, of its recipients, one who may have got it. */
export async function isNewBounce(db: Reader, { messageId, failed }: BounceOf): Promise<boolean> {
  if (failed.length === 0) return false;
  const found = await db
    .selectFrom('outbox')
    .innerJoin('outbox_recipients', 'outbox_recipients.outbox_id', 'outbox.id')
    .select('outbox.id')
    .where('outbox.message_id', '=', messageId)
    .where(
      'outbox_recipients.address',
      'in',
      failed.map(({ address }) => address.toLowerCase()),
    )
    .where('outbox_recipients.state', 'in', BOUNCED)
    .executeTakeFirst();
  return found !== undefined;
}

/** Marks recipients of the named mail as failed; which mail, or null when no such mail was sent to them. */
export async function applyBounce(
  trx: Trx,
  bounce: BounceOf & { readonly now: number },
): Promise<Pick<OutboxMail, 'id' | 'kind'> | null> {
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
      .where('state', 'in', BOUNCED)
      .executeTakeFirst();
    changed += result.numUpdatedRows;
  }
  if (changed === 0n) return null;
  const open = (await recipientsOf(trx, mail.id)).some(({ state }) => state === 'queued' || state === 'unknown');
  // While somebody else is still to get it the row goes on being tried.
  if (open) return mail;
  const patch = { state: 'failed' as const, last_error: bounce.failed[0]?.smtp ?? 'bounced', updated_at: bounce.now };
  await trx.updateTable('outbox').set(patch).where('id', '=', mail.id).where('state', 'in', BOUNCED).execute();
  return mail;
}
