import { type Kysely, sql } from 'kysely';
import { APPROVED_STATES } from '../../types/approvals.ts';
import type { Week } from '../../types/week.ts';
import type { PersonaTables } from './schema/tables.ts';

const MOST_FACTS = 5;
const MOST_OPEN = 5;

interface Row {
  readonly answered: number;
  readonly people: number;
  readonly incomplete: number;
  readonly tasks: number;
  readonly asked: number;
  readonly yes: number;
  readonly no: number;
  readonly words: number;
  readonly open: number;
  readonly facts: number;
  readonly playbooks: number;
}

/** Read once a week for each persona; no transaction, since what comes meanwhile is told the next time. */
export async function weekOf(db: Kysely<PersonaTables>, from: number, to: number): Promise<Week> {
  const runs = sql`runs where ended_at >= ${from} and ended_at < ${to}`;
  const asked = sql`approvals where created_at >= ${from} and created_at < ${to}`;
  const kept = sql`facts where recorded_at >= ${from} and recorded_at < ${to} and status = 'kept' and superseded_by is null`;
  // A mail has more than one run where what it asked for was done later, or was tried again.
  const answered = sql`${runs} and kind = 'message' and outcome in ('final', 'clarification', 'refusal')`;
  const open = sql`${runs} and kind = 'message' and outcome is not null
    and outcome not in ('final', 'clarification', 'refusal') and outcome not like 'silent:%'
    and message_id not in (select message_id from ${answered})`;
  const said = sql`${asked} and state in (${sql.join(APPROVED_STATES)})`;
  const { rows } = await sql<Row>`select
    (select count(distinct message_id) from ${answered}) as answered,
    (select count(distinct sender) from ${answered}) as people,
    (select count(distinct message_id) from ${open}) as incomplete,
    (select count(*) from ${runs} and kind = 'task' and outcome is not null) as tasks,
    (select count(*) from ${asked}) as asked,
    (select count(*) from ${said} and kind <> 'answer') as yes,
    (select count(*) from ${said} and kind = 'answer') as words,
    (select count(*) from ${asked} and state = 'rejected') as no,
    (select count(*) from ${asked} and state = 'pending') as open,
    (select count(*) from ${kept}) as facts,
    (select count(distinct kind) from playbook_versions where created_at >= ${from} and created_at < ${to}) as playbooks`.execute(
    db,
  );
  const [row] = rows;
  const newest = await sql<{ text: string }>`select text from ${kept} order by seq desc limit ${MOST_FACTS}`.execute(
    db,
  );
  const unfinished = await sql<Week['unfinished'][number]>`
    select coalesce(nullif(messages.from_name, ''), messages.from_address, '?') as "from", messages.subject
    from messages where id in (select message from ${open}) order by received_at desc limit ${MOST_OPEN}`.execute(db);
  return {
    answered: row?.answered ?? 0,
    people: row?.people ?? 0,
    incomplete: row?.incomplete ?? 0,
    unfinished: unfinished.rows,
    tasks: row?.tasks ?? 0,
    asked: {
      all: row?.asked ?? 0,
      yes: row?.yes ?? 0,
      no: row?.no ?? 0,
      words: row?.words ?? 0,
      open: row?.open ?? 0,
    },
    facts: { count: row?.facts ?? 0, newest: newest.rows.map(({ text }) => text) },
    playbooks: row?.playbooks ?? 0,
  };
}
