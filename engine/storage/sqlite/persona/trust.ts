import { type Kysely, sql } from 'kysely';
import { asFlag } from '../../dialect.ts';
import { APPROVED_STATES } from '../../types/approvals.ts';
import type { Trust } from '../../types/trust.ts';
import type { PersonaTables } from './schema/tables.ts';

/** Of each the newest, since ids sort by time: a look costs the same however old a persona is. */
const NEWEST = 1000;
/** Most rows of the audit log tell of something else. */
const NEWEST_TOLD = 5000;

interface Counted {
  /** Of a question an `ApprovalState`, of a draft that of its outbox row. */
  readonly state: string;
  readonly edited: number;
  readonly count: number;
}

interface Looked {
  readonly asked: number;
  readonly put: number;
  readonly told: number;
}

/** For the page of a persona; no transaction, since a figure may be a moment old. */
export async function trustOf(db: Kysely<PersonaTables>): Promise<Trust> {
  const { rows: calls } = await sql<Counted>`with edited as (
      select approval_id from (select event, approval_id from audit_log order by id desc limit ${NEWEST_TOLD}) told
      where event = 'approval_edited')
    select state, ${asFlag(sql`id in (select approval_id from edited)`)} as edited, count(*) as count
    from (select id, state, kind from approvals order by id desc limit ${NEWEST}) asked
    where kind <> 'answer' group by 1, 2`.execute(db);
  const { rows: looked } = await sql<Looked>`select
    (select count(*) from (select 1 as one from approvals limit ${NEWEST + 1}) asked) as asked,
    (select count(*) from (select 1 as one from drafts limit ${NEWEST + 1}) put) as put,
    (select count(*) from (select 1 as one from audit_log limit ${NEWEST_TOLD + 1}) told) as told`.execute(db);
  const { rows: drafts } = await sql<Counted>`select outbox.state, put.edited, count(*) as count
    from (select outbox_id, edited from drafts order by outbox_id desc limit ${NEWEST}) put
    join outbox on outbox.id = put.outbox_id group by 1, 2`.execute(db);
  const among = (rows: readonly Counted[], fits: (row: Counted) => boolean): number =>
    rows.reduce((sum, row) => (fits(row) ? sum + row.count : sum), 0);
  const isApproved = ({ state }: Counted): boolean => APPROVED_STATES.some((one) => one === state);
  return {
    calls: {
      // What an owner has changed is asked about anew, and the first question is stale.
      asked: among(calls, ({ state }) => state !== 'stale'),
      approved: among(calls, isApproved),
      changed: among(calls, (row) => isApproved(row) && row.edited === 1),
      denied: among(calls, ({ state }) => state === 'rejected'),
      expired: among(calls, ({ state }) => state === 'expired'),
      open: among(calls, ({ state }) => state === 'pending'),
    },
    drafts: {
      sent: among(drafts, ({ state, edited }) => state === 'sent' && edited === 0),
      edited: among(drafts, ({ state, edited }) => state === 'sent' && edited === 1),
      deleted: among(drafts, ({ state }) => state === 'deleted'),
      open: among(drafts, ({ state }) => state === 'draft'),
    },
    of: NEWEST,
    isCut: looked.some(({ asked, put, told }) => Math.max(asked, put) > NEWEST || told > NEWEST_TOLD),
  };
}
