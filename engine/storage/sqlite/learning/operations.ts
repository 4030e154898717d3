import { type Kysely, sql } from 'kysely';
import type { LearningStore } from '../../ports/learning/playbooks.ts';
import type { NewJob } from '../../types/jobs.ts';
import type { PlaybookOutcome, PlaybookScenario, PlaybookVersion } from '../../types/learning/playbooks.ts';
import type { Transact } from '../database/transactions.ts';
import type { PersonaTables, Trx } from '../persona/schema/tables.ts';
import { addJobs, endJob } from '../repositories/jobs.ts';
import * as read from './read.ts';

/** The part of the Store that has to do with what the persona has learned. */
export const learningOperations = (db: Kysely<PersonaTables>, transact: Transact<PersonaTables>): LearningStore => ({
  playbookInForce: (kind, limit) => read.playbookInForce(db, kind, limit),
  learnedKinds: () => read.learnedKinds(db),
  playbookVersions: (kind) =>
    db.selectFrom('playbook_versions').selectAll().where('kind', '=', kind).orderBy('number').execute(),
  playbookVersion: (id) => read.versionById(db, id),
  pinnedPlaybook: async (kind) => (await read.pinOf(db, kind)) ?? null,
  playbookOutcomes: (of, limit) => read.outcomesOf(db, of, limit),
  keepPlaybook: (version, drop = []) => transact((trx) => keepPlaybook(trx, version, drop)),
  pinPlaybook: (kind, version, now) => transact((trx) => pinPlaybook(trx, kind, version, now)),
  recordOutcome: (outcome, jobId, jobs = []) => transact((trx) => recordOutcome(trx, outcome, jobId, jobs)),
  runToJudge: (threadId) => read.runToJudge(db, threadId),
  newestOutcomeOfKind: async (kind) => (await read.outcomesOf(db, { kind }, 1))[0],
  outcomeOfRun: async (runId) => (await read.outcomesOf(db, { run: runId }, 1))[0],
  giveFeedback: ({ runId, verdict, by, now, jobs }) =>
    transact(async (trx) => {
      await addJobs(trx, jobs);
      if (verdict === null) {
        await trx.deleteFrom('playbook_feedback').where('run_id', '=', runId).execute();
        return;
      }
      await sql`insert into playbook_feedback (run_id, verdict, by, at) values (${runId}, ${verdict}, ${by}, ${now})
        on conflict (run_id) do update set verdict = excluded.verdict, by = excluded.by, at = excluded.at
        where playbook_feedback.verdict <> excluded.verdict`.execute(trx);
    }),
  settleScenario: (runId, scenario, of) => transact((trx) => settleScenario(trx, runId, scenario, of)),
  playbookScenarios: (kind) =>
    db
      .selectFrom('playbook_scenarios')
      .selectAll()
      .where('kind', '=', kind)
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .execute(),
  touchScenarios: (ids, now) =>
    transact(async (trx) => {
      if (ids.length === 0) return;
      await trx.updateTable('playbook_scenarios').set({ used_at: now }).where('id', 'in', ids).execute();
    }, 'normal'),
  eraseLearning: (kind) => transact((trx) => eraseLearning(trx, kind)),
});

/** The number of a version is its claim: of two that were made side by side, the second is not kept. */
export async function keepPlaybook(trx: Trx, version: PlaybookVersion, drop: readonly string[]): Promise<boolean> {
  const { rows } = await sql<{ newest: number | null }>`
    select max(number) as newest from playbook_versions where kind = ${version.kind}`.execute(trx);
  if (version.number !== (rows[0]?.newest ?? 0) + 1) return false;
  await trx.insertInto('playbook_versions').values(version).execute();
  if (drop.length > 0) await trx.deleteFrom('playbook_versions').where('id', 'in', drop).execute();
  return true;
}

export async function pinPlaybook(trx: Trx, kind: string, version: string | null, now: number): Promise<void> {
  await trx.deleteFrom('playbook_pins').where('kind', '=', kind).execute();
  if (version !== null)
    await trx.insertInto('playbook_pins').values({ kind, version_id: version, pinned_at: now }).execute();
}

async function recordOutcome(
  trx: Trx,
  outcome: PlaybookOutcome,
  jobId: string,
  jobs: readonly NewJob[],
): Promise<void> {
  await endJob(trx, jobId);
  await trx
    .insertInto('playbook_outcomes')
    .values(outcome)
    .onConflict((conflict) => conflict.column('run_id').doNothing())
    .execute();
  await addJobs(trx, jobs);
}

async function settleScenario(
  trx: Trx,
  runId: string,
  scenario: PlaybookScenario | null,
  { jobId, most, jobs = [] }: Parameters<LearningStore['settleScenario']>[2],
): Promise<readonly string[]> {
  await endJob(trx, jobId);
  const before = await askedBefore(trx, jobs);
  await addJobs(trx, jobs);
  await keepScenario(trx, runId, scenario, most);
  return before;
}

async function keepScenario(trx: Trx, runId: string, scenario: PlaybookScenario | null, most: number): Promise<void> {
  await trx.deleteFrom('playbook_scenarios').where('run_id', '=', runId).execute();
  if (scenario === null || (await isToBeForgotten(trx, runId))) return;
  const { kind } = scenario;
  await trx
    .insertInto('playbook_scenarios')
    .values(scenario)
    .onConflict((conflict) => conflict.columns(['kind', 'hash']).doNothing())
    .execute();
  // The last of each sender, then the last but one of each: whoever writes most lets go of their own.
  await sql`delete from playbook_scenarios where kind = ${kind} and id not in (
    select id from (
      select s.id, s.used_at, s.created_at, s.id = ${scenario.id} as is_new, row_number() over (
        partition by r.sender order by s.id = ${scenario.id} desc, s.used_at desc, s.created_at desc, s.id desc) as nth
      from playbook_scenarios s left join runs r on r.id = s.run_id where s.kind = ${kind}) ranked
    order by nth, is_new desc, used_at desc, created_at desc, id desc limit ${most})`.execute(trx);
}

/** Those of these jobs that are asked for already, so that they are not asked for again. */
async function askedBefore(trx: Trx, jobs: readonly NewJob[]): Promise<readonly string[]> {
  if (jobs.length === 0) return [];
  const ids = jobs.map(({ id }) => id);
  return (await trx.selectFrom('jobs').select('id').where('id', 'in', ids).execute()).map(({ id }) => id);
}

/** It may have come to that since the run was looked at. */
async function isToBeForgotten(trx: Trx, runId: string): Promise<boolean> {
  const { rows } = await sql<{ found: number }>`
    select 1 as found from runs r join threads t on t.id = r.thread_id join messages m on m.id = r.message
    where r.id = ${runId} and (t.private_since is not null
      or exists (select 1 from forgotten_messages f where f.seq = m.seq))`.execute(trx);
  return rows.length > 0;
}

async function eraseLearning(trx: Trx, kind: string | null) {
  const ofKind = kind === null ? sql`true` : sql`kind = ${kind}`;
  const erase = async (table: string): Promise<number> => {
    const { numAffectedRows } = await sql`delete from ${sql.table(table)} where ${ofKind}`.execute(trx);
    return Number(numAffectedRows ?? 0n);
  };
  await sql`delete from playbook_feedback where run_id in (
    select run_id from playbook_outcomes where ${ofKind})`.execute(trx);
  await erase('playbook_pins');
  await erase('playbook_refinements');
  return {
    versions: await erase('playbook_versions'),
    outcomes: await erase('playbook_outcomes'),
    scenarios: await erase('playbook_scenarios'),
  };
}
