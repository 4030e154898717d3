import { type Kysely, sql } from 'kysely';
import { indexedBy } from '../../dialect.ts';
import type { RuleStore } from '../../ports/rules.ts';
import type { Rule, RuleChange } from '../../types/rules.ts';
import { compiledQuery } from '../database/compiled-query.ts';
import type { Transact } from '../database/transactions.ts';
import { ruleOf } from '../persona/schema/rows.ts';
import type { PersonaTables, Reader, Row, Trx } from '../persona/schema/tables.ts';
import { audit } from './approvals.ts';
import { emptyLogOf, securely } from './facts/securely.ts';

// Asked before each call of each run, so it is built once.
const forRun = compiledQuery<{ sender: string; thread: string | null; now: number }>()(
  (_: Reader, $) => sql<Row<'rules'>>`
    select * from rules ${indexedBy('rules_in_force')}
    where ended_at is null and (until is null or until > ${$.now})
      and (scope = 'persona'
        or (scope = 'thread' and scope_of = ${$.thread})
        or (scope = 'person' and (effect = 'cc' or (${$.sender} <> '' and scope_of = ${$.sender}))))
    order by seq`,
);

/** The part of the Store that has to do with standing rules. */
export const ruleOperations = (db: Kysely<PersonaTables>, transact: Transact<PersonaTables>): RuleStore => ({
  rulesFor: async ({ sender, threadId, now }) =>
    (await forRun(db, { sender: sender.toLowerCase(), thread: threadId, now })).rows.map(ruleOf),
  async rulesInForce(now) {
    const open = db.selectFrom('rules').selectAll().where('ended_at', 'is', null).orderBy('seq');
    const rows = await open.where((row) => row.or([row('until', 'is', null), row('until', '>', now)])).execute();
    return rows.map(ruleOf);
  },
  async rulesByIds(ids) {
    if (ids.length === 0) return [];
    const rows = await db.selectFrom('rules').selectAll().where('id', 'in', ids).orderBy('seq').execute();
    return rows.map(ruleOf);
  },
  async listRules({ all, after, limit, now }) {
    let query = db.selectFrom('rules as r').selectAll('r').orderBy('r.seq', 'desc').limit(limit);
    if (!all)
      query = query
        .where('r.ended_at', 'is', null)
        .where((row) => row.or([row('r.until', 'is', null), row('r.until', '>', now)]));
    if (after !== undefined)
      query = query.where('r.seq', '<', (where) =>
        where.selectFrom('rules as a').select('a.seq').where('a.id', '=', after),
      );
    return (await query.execute()).map(ruleOf);
  },
  changeRules: (changes, rows) =>
    transact(async (trx) => {
      for (const change of changes) await changeRule(trx, change);
      await audit(trx, rows);
    }),
  async forgetRules(of, told = () => []) {
    const gone = await transact(async (trx) => {
      let deleted = 0n;
      await securely(trx, async () => {
        const rows = trx.deleteFrom('rules');
        const theirs =
          'person' in of
            ? rows.where('said_by', '=', of.person.toLowerCase())
            : rows.where('source_message', 'in', of.messages);
        deleted = (await theirs.executeTakeFirst()).numDeletedRows;
      });
      await audit(trx, told(Number(deleted)));
      return Number(deleted);
    });
    if (gone > 0) await emptyLogOf(db);
    return gone;
  },
});

export async function changeRule(trx: Trx, change: RuleChange): Promise<void> {
  if (change.change === 'add') {
    const { tools, whom, ...rule }: Rule = change.rule;
    await trx
      .insertInto('rules')
      .values({ ...rule, tools_json: JSON.stringify(tools), whom_json: JSON.stringify(whom) })
      .execute();
    for (const id of change.replaces) await end(trx, id, rule.id, rule.made_at);
  } else if (change.change === 'end') await end(trx, change.id, change.by, change.at);
  else await trx.updateTable('rules').set({ ended_at: null, ended_by: null }).where('id', '=', change.id).execute();
}

async function end(trx: Trx, id: string, by: string, at: number): Promise<void> {
  const open = trx.updateTable('rules').set({ ended_at: at, ended_by: by }).where('id', '=', id);
  await open.where('ended_at', 'is', null).execute();
}
