import { join } from 'node:path';
import { folderOf, look } from '../rows.ts';
import { CALL_USD, LIMIT_USD, leavesOf } from './household.ts';

const RUNS = 13;
/** The money is summed up over some dozens of amounts. */
const ROUNDING = 1e-9;

/** All runs that began with the mail of a tree. */
const TREE = `with recursive tree(id) as (
  select id from runs where message_id = ? union select runs.id from runs join tree on runs.parent_run_id = tree.id)`;

const database = (root: string): string => join(folderOf(root, 'ada'), 'persona.db');

/** Whether its answer has left and nothing of it is under way. */
export const isOver = (root: string, tree: string): boolean =>
  look(database(root), (rows) => {
    const query = `${TREE} select (select count(*) from outbox where state = 'sent' and run_id in (select id from tree)) > 0
      and not exists (select 1 from runs where id in (select id from tree) and ended_at is null)`;
    return Number(rows.prepare(query).pluck().get(`<${tree}@example.com>`)) === 1;
  });

/** The types of the events of all runs so far, and in how many runs there is one. */
export const eventTypes = (root: string): { readonly type: string; readonly runs: number }[] =>
  look(database(root), (rows) =>
    rows
      .prepare<[], { type: string; runs: number }>(
        'select type, count(distinct run_id) as runs from run_events group by type order by type',
      )
      .all(),
  );

export interface Told {
  readonly usd: number;
  /** Stamps of which nobody knows whether they were made. */
  readonly unknown: number;
  readonly problems: readonly string[];
}

/** What became of a tree, against what has to: the names of all leaves in one mail, each stamped once at most. */
export const toldOf = (root: string, tree: string, stamps: readonly string[]): Told =>
  look(database(root), (rows) => {
    const id = `<${tree}@example.com>`;
    const one = (query: string): unknown => rows.prepare(`${TREE} ${query}`).pluck().get(id);
    const count = (query: string): number => Number(one(query));
    const text = String(
      one(
        "select text from messages where direction = 'out' and run_id = (select id from runs where kind = 'message' and id in (select id from tree))",
      ),
    );
    const usd = count('select sum(cost_usd) from runs where id in (select id from tree)');
    const unknown = count(`select count(*) from thread_tool_events where run_id in (select id from tree)
      and event_type = 'tool_result' and payload_json like '%side_effect_unknown%'`);
    const mine = stamps.filter((name) => name.startsWith(`${tree}-`));
    const problems: string[] = [];
    const must = (isSo: boolean, problem: string) => void (isSo || problems.push(problem));
    const wanted = leavesOf(tree)
      .map((leaf) => `${leaf}!`)
      .join(' ');
    must(text.startsWith(wanted), `it answered ${text}`);
    must(count('select count(*) from outbox where run_id in (select id from tree)') === 1, 'it is not one mail');
    const done = `select count(*) from runs where id in (select id from tree) and status = 'done' and outcome = 'final'`;
    must(count(done) === RUNS, `${count(done)} of ${RUNS} runs are done`);
    must(count('select count(*) from tree') === RUNS, `there are ${count('select count(*) from tree')} runs`);
    must(new Set(mine).size === mine.length, `a leaf was stamped twice: ${mine.join(' ')}`);
    must(mine.length + unknown >= leavesOf(tree).length, `${mine.length} stamps, ${unknown} unknown`);
    must(usd <= LIMIT_USD + ROUNDING && usd >= 2 * RUNS * CALL_USD - ROUNDING, `it cost ${usd} USD`);
    must(
      count('select sum(reserved_usd) from runs where id in (select id from tree)') === 0,
      'money is still set aside',
    );
    const open = `select count(*) from suspensions where run_id in (select id from tree) and state <> 'resolved'`;
    must(count(open) === 0, 'a wait for a child is not over');
    const ends = `select count(*) from run_events where run_id in (select id from tree) and type in ('child_ended', 'resumed')`;
    must(count(ends) === 2 * (RUNS - 1), `the ends of children are ${count(ends)} events`);
    return { usd, unknown, problems };
  });
