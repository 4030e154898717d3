import { CompiledQuery, type Transaction } from 'kysely';
import type { Connection, Written } from './connection.ts';
import type { GroupCommit } from './group-commit.ts';
import type { WalFlush } from './wal-flush.ts';

/**
 * `full`: on disk when the promise resolves. `normal`: on disk with the next full one of this database, and only a
 * failing machine can undo it until then, not a process that dies; for what may as well not have happened then.
 */
export type Synchronous = 'full' | 'normal';

export type Transact<Tables> = <Result>(
  work: (trx: Transaction<Tables>) => Promise<Result>,
  synchronous?: Synchronous,
) => Promise<Result>;

interface Waiting<Tables> {
  readonly run: (trx: Transaction<Tables>) => Promise<void>;
  readonly synchronous: Synchronous;
  /** Called once the commit is as durable as was asked for, or when it is not going to be. */
  readonly settle: (error: unknown, failed: boolean) => void;
}

const savepoint = CompiledQuery.raw('savepoint one');
const release = CompiledQuery.raw('release one');
const rollback = CompiledQuery.raw('rollback to one');

/**
 * Runs each work as one transaction that is durable when the promise resolves, unless it asks for less. Those asked
 * for before one turn share one commit and so one flush to disk, which is what a busy gateway waits for most. A work
 * awaits nothing but `trx`, and may be run again: where one of a group throws, all is undone and each runs once more
 * behind a savepoint, so that whoever throws undoes itself alone. A savepoint makes SQLite copy every page that is
 * changed behind it, and above 64 KB write the copies to a file, which would cost each mail more than its rows.
 *
 * What is committed is seen by others before it is on disk. Whoever acts on it commits first that they do, to the same
 * log, and a log is flushed in its order; who changes nothing waits for the flush of what they may have read.
 */
export function groupTransactions<Tables>(options: {
  readonly connection: Connection<Tables>;
  readonly turns: GroupCommit;
  readonly flush: WalFlush;
}): Transact<Tables> {
  const { connection, turns, flush } = options;
  let waiting: Waiting<Tables>[] = [];

  const settleAll = (group: readonly Waiting<Tables>[], error: unknown, failed: boolean) => {
    for (const { settle } of group) settle(error, failed);
  };

  const commit = async (isAlone: boolean) => {
    const group = waiting;
    waiting = [];
    const transactions = group.length;
    try {
      const { ms, anything } = await write(connection, group);
      const { full = [], normal = [] } = Object.groupBy(group, ({ synchronous }) => synchronous);
      settleAll(normal, undefined, false);
      if (full.length === 0) return { transactions, ms, flushed: Promise.resolve() };
      const flushing = anything ? flush.request(isAlone) : { ms: 0, done: flush.requested() };
      const flushed = flushing.done.then(
        () => settleAll(full, undefined, false),
        (error: unknown) => settleAll(full, error, true),
      );
      return { transactions, ms: ms + flushing.ms, flushed };
    } catch (error) {
      settleAll(group, error, true);
      return { transactions, ms: 0, flushed: Promise.resolve() };
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

async function write<Tables>(connection: Connection<Tables>, group: readonly Waiting<Tables>[]): Promise<Written> {
  const together = connection.transaction(async (trx) => {
    for (const one of group) await one.run(trx);
  });
  return group.length === 1 ? together : together.catch(() => connection.transaction((trx) => runApart(trx, group)));
}

async function runApart<Tables>(trx: Transaction<Tables>, group: readonly Waiting<Tables>[]): Promise<void> {
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
