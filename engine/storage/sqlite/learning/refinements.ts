import type { Kysely } from 'kysely';
import type { EndedRefinement, RefinementStore } from '../../ports/learning/refinements.ts';
import type { Refinement } from '../../types/learning/refinements.ts';
import type { Transact } from '../database/transactions.ts';
import { rowOfUndo } from '../persona/schema/rows.ts';
import type { PersonaTables, Trx } from '../persona/schema/tables.ts';
import { addJobs, endJob } from '../repositories/jobs.ts';
import { appendEvents, nextSeqOf } from '../repositories/runs.ts';
import { keepPlaybook } from './operations.ts';

/** The part of the Store that has to do with refining playbooks. */
export const refinementOperations = (
  db: Kysely<PersonaTables>,
  transact: Transact<PersonaTables>,
): RefinementStore => ({
  keepRefinement: (ended) => transact((trx) => keepRefinement(trx, ended)),
  refinements: (kind, limit) =>
    db
      .selectFrom('playbook_refinements')
      .selectAll()
      .where('kind', '=', kind)
      .orderBy('at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute(),
});

async function keepRefinement(trx: Trx, ended: EndedRefinement): Promise<Refinement | null> {
  const { jobId, refinement: wanted, shown } = ended;
  if (!(await endJob(trx, jobId))) return null;
  const isKept = await keepVersions(trx, ended);
  const refinement = isKept ? wanted : lost(wanted);
  const { run_id: runId, at } = refinement;
  await trx.insertInto('playbook_refinements').values(refinement).execute();
  await appendEvents(trx, runId, await nextSeqOf(trx, runId), [ended.event(refinement)], at);
  if (shown.length > 0)
    await trx.updateTable('playbook_scenarios').set({ used_at: at }).where('id', 'in', shown).execute();
  if (isKept && ended.undo.length > 0) await trx.insertInto('undo_items').values(ended.undo.map(rowOfUndo)).execute();
  await addJobs(trx, ended.jobs(refinement));
  return refinement;
}

/** Where the number of the first is free, those of the others are. */
async function keepVersions(trx: Trx, { versions, drop }: EndedRefinement): Promise<boolean> {
  for (const [index, version] of versions.entries())
    if (!(await keepPlaybook(trx, version, index === 0 ? drop : []))) return false;
  return true;
}

const lost = (wanted: Refinement): Refinement => ({
  ...wanted,
  accepted: 0,
  reason: 'lost_race',
  detail: 'another version was kept meanwhile',
  to_version: null,
});
