import { sql } from 'kysely';
import { asFlag } from '../../dialect.ts';
import { playbookOutcomeJobId } from '../../types/jobs.ts';
import type { JudgedOutcome, PlaybookInForce, PlaybookVersion } from '../../types/learning/playbooks.ts';
import { compiledQuery } from '../database/compiled-query.ts';
import type { Reader } from '../persona/schema/tables.ts';

/** The pinned version first, then the newest: one look for each run. */
const inForce = compiledQuery<{ kind: string }>()(
  (_: Reader, $) => sql<PlaybookVersion & { pinned: number }>`
    select v.*, ${asFlag(sql`p.version_id is not null`)} as pinned from playbook_versions v
    left join playbook_pins p on p.kind = v.kind and p.version_id = v.id
    where v.kind = ${$.kind} order by pinned desc, v.number desc limit 1`,
);

export async function playbookInForce(db: Reader, kind: string, limit: number): Promise<PlaybookInForce | undefined> {
  const [row] = (await inForce(db, { kind })).rows;
  if (!row) return undefined;
  const { pinned, ...version } = row;
  const pinIsGone = pinned === 0 && (await pinOf(db, kind)) !== undefined;
  const outcomes = await outcomesOf(db, { version: version.id }, limit);
  const inherited = version.parent_id === null ? [] : await outcomesOf(db, { before: version.parent_id }, limit);
  return { version, pinned: pinned === 1, pinIsGone, outcomes, inherited };
}

export async function pinOf(db: Reader, kind: string): Promise<string | undefined> {
  const pin = db.selectFrom('playbook_pins').select('version_id').where('kind', '=', kind);
  return (await pin.executeTakeFirst())?.version_id;
}

export const versionById = (db: Reader, id: string): Promise<PlaybookVersion | undefined> =>
  db.selectFrom('playbook_versions').selectAll().where('id', '=', id).executeTakeFirst();

export async function learnedKinds(db: Reader): Promise<readonly string[]> {
  const { rows } = await sql<{ kind: string }>`
    select kind from playbook_versions union select kind from playbook_outcomes order by kind`.execute(db);
  return rows.map(({ kind }) => kind);
}

type Of =
  | { readonly kind: string }
  | { readonly version: string }
  /** And those that it was made of. */
  | { readonly before: string }
  | { readonly run: string };

/** Newest first. */
export async function outcomesOf(db: Reader, of: Of, limit: number): Promise<readonly JudgedOutcome[]> {
  const which =
    'kind' in of
      ? sql`o.kind = ${of.kind}`
      : 'version' in of
        ? sql`o.version_id = ${of.version}`
        : 'before' in of
          ? sql`o.version_id in (with recursive line (id, parent_id) as (
              select id, parent_id from playbook_versions where id = ${of.before}
              union select v.id, v.parent_id from playbook_versions v join line on v.id = line.parent_id)
              select id from line)`
          : sql`o.run_id = ${of.run}`;
  const { rows } = await sql<JudgedOutcome & { seq: number }>`
    select o.*, f.verdict from playbook_outcomes o left join playbook_feedback f on f.run_id = o.run_id
    where ${which} order by o.seq desc limit ${limit}`.execute(db);
  return rows.map(({ seq: _, ...outcome }) => outcome);
}

export async function runToJudge(db: Reader, threadId: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select r.id from runs r where r.thread_id = ${threadId}
      and (exists (select 1 from playbook_outcomes o where o.run_id = r.id)
        or exists (select 1 from jobs j where j.id = ${playbookOutcomeJobId('')} || r.id))
    order by r.seq desc limit 1`.execute(db);
  return rows[0]?.id;
}
