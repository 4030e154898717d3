import { type Kysely, sql } from 'kysely';
import { indexedBy, isLike, jsonIsFalse, jsonNumber, jsonText } from '../../dialect.ts';
import type { CallSum, UsageSum } from '../../ports/runs.ts';
import type { LookedUp, RunSubject } from '../../ports/store.ts';
import type { ApprovalState } from '../../types/approvals.ts';
import type { KeptMail, RowPage } from '../../types/mail.ts';
import { type OutboxMail, type OutboxState, UNSENT_STATES } from '../../types/outbox.ts';
import { type RunStatus, WAITING } from '../../types/runs.ts';
import { approvalById, ofRun, PENDING } from '../repositories/approvals.ts';
import { messageById } from '../repositories/arrivals.ts';
import { threadById } from '../repositories/claimed-runs.ts';
import { eventsOf, runById } from '../repositories/runs.ts';
import { UNSENT } from './overview.ts';
import { approvalOf, auditOf, messageOf } from './schema/rows.ts';
import type { PersonaTables, Row } from './schema/tables.ts';

const withoutRaw = [
  'seq',
  'id',
  'run_id',
  'thread_id',
  'message_id',
  'in_reply_to',
  'kind',
  'state',
  'attempts',
  'next_attempt_at',
  'last_error',
  'purpose',
  'created_at',
] as const satisfies readonly (keyof OutboxMail)[];

/** What people and scripts look at; never on the path of a mail. */
export function listing(db: Kysely<PersonaTables>) {
  return {
    listRuns: (page: RowPage & { status?: string | undefined; sender?: string | undefined }) =>
      db
        .selectFrom('runs')
        .selectAll()
        .$if(page.after !== undefined, (query) => query.where('id', '<', page.after ?? ''))
        .$if(page.status === 'deferred', (query) => query.where('deferred_code', 'is not', null))
        .$if(page.status !== undefined && page.status !== 'deferred', (query) =>
          query.where('status', '=', page.status as RunStatus),
        )
        .$if(page.sender !== undefined, (query) => query.where('sender', '=', page.sender ?? ''))
        .orderBy('id', 'desc')
        .limit(page.limit)
        .execute(),
    dearestRuns: (from: number, to: number, limit: number) =>
      db
        .selectFrom('runs')
        .selectAll()
        .where('created_at', '>=', from)
        .where('created_at', '<', to)
        .where('cost_usd', '>', 0)
        .orderBy('cost_usd', 'desc')
        .orderBy('id')
        .limit(limit)
        .execute(),
    getRun: (id: string) => runById(db, id),
    runsByMessageId: (messageId: string) =>
      db.selectFrom('runs').selectAll().where('message_id', '=', messageId).orderBy('seq').limit(50).execute(),
    runEvents: (runId: string) => eventsOf(db, runId),
    eventsOfRuns: (runIds: readonly string[]) =>
      db.selectFrom('run_events').selectAll().where('run_id', 'in', runIds).execute(),

    subjectsOfRuns: async (runIds: readonly string[]) => {
      if (runIds.length === 0) return [];
      // A child run has no mail but what it was handed: it is about that of the run at the top.
      const { rows } = await sql<RunSubject>`
        with recursive above(of, id, parent) as (
          select id, id, parent_run_id from runs where id in (${sql.join([...runIds])})
          union select above.of, runs.id, runs.parent_run_id from runs join above on runs.id = above.parent)
        select above.of as run_id, messages.from_address as "from", messages.subject,
          case when above.of = above.id then null else above.id end as helps
        from above join runs on runs.id = above.id join messages on messages.id = runs.message
        where above.parent is null`.execute(db);
      return rows;
    },
    async idsLike({ of, part, limit }: LookedUp): Promise<string[]> {
      const like = part.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`);
      const rows = await db
        .selectFrom(of)
        .select('id')
        .where((where) => where.or([isLike(sql.ref('id'), `${like}%`), isLike(sql.ref('id'), `%${like}`)]))
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },

    listApprovals: async ({ status, after, limit }: RowPage & { status?: string | undefined }) => {
      if (status === 'pending') {
        const isBefore = after === undefined ? sql`true` : sql`id < ${after}`;
        const { rows } = await sql<Row<'approvals'>>`
          select * from approvals ${indexedBy('approvals_open')} where state = ${PENDING} and ${isBefore}
          order by id desc limit ${limit}`.execute(db);
        return rows.map(approvalOf);
      }
      const found = db
        .selectFrom('approvals')
        .selectAll()
        .$if(after !== undefined, (query) => query.where('id', '<', after ?? ''))
        .$if(status !== undefined, (query) => query.where('state', '=', status as ApprovalState))
        .orderBy('id', 'desc')
        .limit(limit);
      return (await found.execute()).map(approvalOf);
    },
    approvalsOfRun: (runId: string) => ofRun(db, runId),
    getApproval: async (id: string) => {
      const row = await approvalById(db, id);
      return row && approvalOf(row);
    },
    listAudit: async (page: RowPage) =>
      (
        await db
          .selectFrom('audit_log')
          .selectAll()
          .$if(page.after !== undefined, (query) => query.where('id', '<', page.after ?? ''))
          .orderBy('id', 'desc')
          .limit(page.limit)
          .execute()
      ).map(auditOf),

    listThreads: (page: RowPage) =>
      db
        .selectFrom('threads')
        .selectAll()
        .where('kind', '<>', 'test')
        .$if(page.after !== undefined, (query) => query.where('id', '<', page.after ?? ''))
        .orderBy('id', 'desc')
        .limit(page.limit)
        .execute(),
    getThread: (id: string) => threadById(db, id),
    threadMessages: async (threadId: string, limit: number) => {
      const found = db.selectFrom('messages').selectAll().where('thread_id', '=', threadId);
      return (await found.orderBy('seq', 'desc').limit(limit).execute()).map(messageOf);
    },
    messageById: async (id: string) => {
      const row = await messageById(db, id);
      return row && messageOf(row);
    },
    attachmentsOf: (messageId: string) =>
      db
        .selectFrom('attachments')
        .selectAll()
        .where('message', '=', messageId)
        .orderBy('position')
        .limit(200)
        .execute(),
    keptByMessageId: (messageId: string): Promise<KeptMail[]> =>
      db
        .selectFrom('kept_mail')
        .selectAll()
        .where('message_id', '=', messageId)
        .orderBy('at', 'desc')
        .limit(10)
        .execute(),
    messagesByMessageId: async (messageId: string) => {
      const found = db.selectFrom('messages').selectAll().where('message_id', '=', messageId);
      return (await found.orderBy('seq').limit(50).execute()).map(messageOf);
    },

    listOutbox: (page: RowPage & { status?: string | undefined }) =>
      db
        .selectFrom('outbox')
        .select(withoutRaw)
        .$if(page.after !== undefined, (query) => query.where('id', '<', page.after ?? ''))
        .$if(page.status !== undefined, (query) => query.where('state', '=', page.status as OutboxState))
        .$if(
          UNSENT_STATES.some((state) => state === page.status),
          (query) => query.where(UNSENT),
        )
        .orderBy('id', 'desc')
        .limit(page.limit)
        .execute(),
    outboxByMessageId: (messageId: string) =>
      db
        .selectFrom('outbox')
        .select(withoutRaw)
        .where((where) =>
          where.or([
            where('message_id', '=', messageId),
            where('id', 'in', where.selectFrom('drafts').select('outbox_id').where('sent_message_id', '=', messageId)),
          ]),
        )
        .executeTakeFirst(),
    /** Mail that belongs to no run, by what it is for. */
    outboxByPurpose: (purpose: string) =>
      db
        .selectFrom('outbox')
        .select(withoutRaw)
        .where('run_id', '=', '')
        .where('purpose', '=', purpose)
        .executeTakeFirst(),
    getOutbox: (id: string) => db.selectFrom('outbox').select(withoutRaw).where('id', '=', id).executeTakeFirst(),
    outboxRaw: (id: string) =>
      db
        .selectFrom('outbox')
        .select(['id', 'message_id', 'mailbox', 'envelope_from', 'raw'])
        .where('id', '=', id)
        .executeTakeFirst(),
    outboxHeads: (ids: readonly string[], bytes: number) =>
      ids.length === 0
        ? Promise.resolve([])
        : db
            .selectFrom('outbox')
            .select(['id', sql<Uint8Array>`substr(raw, 1, ${bytes})`.as('head')])
            .where('id', 'in', ids)
            .execute(),
    outboxOfMail: (messageId: string) =>
      db
        .selectFrom('outbox')
        .select(withoutRaw)
        .where((where) =>
          where.or([
            where('in_reply_to', '=', messageId),
            where('run_id', 'in', where.selectFrom('runs').select('id').where('message_id', '=', messageId)),
          ]),
        )
        .orderBy('seq')
        .limit(50)
        .execute(),
    outboxRecipients: (ids: readonly string[]) =>
      ids.length === 0
        ? Promise.resolve([])
        : db
            .selectFrom('outbox_recipients')
            .selectAll()
            .where('outbox_id', 'in', ids)
            .orderBy('outbox_id')
            .orderBy('address')
            .execute(),
    unsentOutbox: () =>
      db
        .selectFrom('outbox')
        .select(['id', 'kind', 'state', 'mailbox'])
        .where('state', 'in', ['queued', 'sending', 'unknown', 'draft'])
        .orderBy('seq')
        .execute(),
    outboxCounts: () =>
      db
        .selectFrom('outbox')
        .select(['state', (count) => count.fn.countAll<number>().as('count')])
        .where('state', 'in', UNSENT_STATES)
        .groupBy('state')
        .execute(),
    /** What is too large for its row has its name from its run, and counts as a call that went well. */
    async callUsage(from: number, to: number, by: 'tool' | 'model'): Promise<CallSum[]> {
      const payload = sql.ref('e.payload_json');
      const ms = jsonNumber(payload, 'ms');
      const key =
        by === 'tool'
          ? sql<string>`coalesce(${jsonText(payload, 'tool')}, '')`
          : sql<string>`coalesce(${jsonText(payload, 'provider')}, r.provider) || '/' ||
              coalesce(${jsonText(payload, 'model')}, r.model)`;
      const { rows } = await sql<CallSum>`
        select ${key} as key, count(*) as calls, sum(case when ${jsonIsFalse(payload, 'ok')} then 1 else 0 end) as failures,
          coalesce(sum(${ms}), 0) as ms,
          coalesce(max(${ms}), 0) as slowest_ms
        from runs r join run_events e on e.run_id = r.id
        where r.created_at >= ${from} and r.created_at < ${to} and e.type = ${`${by}_call_ended`}
          and coalesce(${jsonText(payload, 'code')}, '') <> ${WAITING}
        group by 1`.execute(db);
      return rows.filter(({ key }) => key !== null && key !== '');
    },
    /** Sums of ended and running runs created between two times, by one column or in all. */
    usage: (from: number, to: number, by: 'provider' | 'sender' | 'thread_id' | 'task' | null) => {
      const group =
        by === null
          ? sql<string | null>`null`
          : by === 'provider'
            ? sql<string | null>`provider || '/' || model`
            : by === 'task'
              ? sql<string | null>`(select task from task_times where run_id = runs.id)`
              : by === 'sender'
                ? // What somebody tries is not what the one cost with whose eyes it was done.
                  sql<string | null>`case when kind = 'test' then null else sender end`
                : sql.ref<string | null>(by);
      return db
        .selectFrom('runs')
        .select(group.as('key'))
        .select(SUMS)
        .where('created_at', '>=', from)
        .where('created_at', '<', to)
        .$if(by === 'task', (query) => query.where('kind', '=', 'task'))
        .groupBy(sql`1`)
        .execute();
    },
    async usageOfSender(from: number, to: number, sender: string): Promise<UsageSum | undefined> {
      const sum = await db
        .selectFrom('runs')
        .select(SUMS)
        .where('sender', '=', sender)
        .where('kind', '<>', 'test')
        .where('created_at', '>=', from)
        .where('created_at', '<', to)
        .executeTakeFirstOrThrow();
      return sum.runs === 0 ? undefined : { key: sender, ...sum };
    },
  };
}

const SUMS = [
  sql<number>`count(*)`.as('runs'),
  sql<number>`coalesce(sum(model_calls), 0)`.as('model_calls'),
  sql<number>`coalesce(sum(input_tokens), 0)`.as('input'),
  sql<number>`coalesce(sum(output_tokens), 0)`.as('output'),
  sql<number>`coalesce(sum(cached_tokens), 0)`.as('cached'),
  sql<number>`coalesce(sum(cost_usd), 0)`.as('cost_usd'),
  sql<number>`coalesce(sum(estimated_tokens), 0)`.as('estimated_tokens'),
  sql<number>`coalesce(sum(estimated_usd), 0)`.as('estimated_usd'),
] as const;
