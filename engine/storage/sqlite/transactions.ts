import { CompiledQuery, type Transaction } from 'kysely';
import type { Connection, Synchronous } from './connection.ts';
import type { GroupCommit } from './group-commit.ts';

export type Transact<Tables> = <Result>(
  work: (trx: Transaction<Tables>) => Promise<Result>,
  synchronous?: Synchronous,
) => Promise<Result>;

interface Waiting<Tables> {
  readonly run: (trx: Transaction<Tables>) => Promise<void>;
  readonly synchronous: Synchronous;
  /** Called once the commit is on disk, or when nothing of it is. */
  readonly settle: (error: unknown, failed: boolean) => void;
}

const savepoint = CompiledQuery.raw('savepoint one');
const release = CompiledQuery.raw('release one');
const rollback = CompiledQuery.raw('rollback to one');

/**
 * Runs each work as one transaction that is durable when the promise resolves, unless it asks for less. Those asked
 * for before one turn share one commit and so one flush to disk, which is what a busy gateway waits for most; each
 * stands behind a savepoint, so that one which throws undoes itself alone. A work awaits nothing but `trx`.
 */
export function groupTransactions<Tables>({ transaction }: Connection<Tables>, turns: GroupCommit): Transact<Tables> {
  let waiting: Waiting<Tables>[] = [];

  const commit = async () => {
    const group = waiting;
    waiting = [];
    const transactions = group.length;
    try {
      const synchronous = group.some((one) => one.synchronous === 'full') ? 'full' : 'normal';
      const ms = await transaction((trx) => runAll(trx, group), synchronous);
      for (const { settle } of group) settle(undefined, false);
      return { transactions, ms };
    } catch (error) {
      for (const { settle } of group) settle(error, true);
      return { transactions, ms: 0 };
    }
  };

  return <Result>(work: (trx: Transaction<Tables>) => Promise<Result>, synchronous: Synchronous = 'full') =>
    new Promise<Result>((resolve, reject) => {
      let end: () => void = () => {};
      waiting.push({
        synchronous,
        run: async (trx) => {
          const result = await work(trx);
          end = () => resolve(result);
        },
        settle: (error, failed) => (failed ? reject(error) : end()),
      });
      turns.request(commit);
    });
}

async function runAll<Tables>(trx: Transaction<Tables>, group: readonly Waiting<Tables>[]): Promise<void> {
  const [only, ...more] = group;
  if (only && more.length === 0) return only.run(trx);
  for (const one of group) {
    await trx.executeQuery(savepoint);
    try {
      await one.run(trx);
    } catch (error) {
      // After a full disk SQLite has rolled everything back by itself: then nobody's work may be taken for done.
      await trx.executeQuery(rollback).catch(() => Promise.reject(error));
      one.settle(error, true);
    }
    await trx.executeQuery(release);
  }
}
