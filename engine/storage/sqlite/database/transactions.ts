import { CompiledQuery, type Transaction } from 'kysely';
import type { CommitMs, Connection, WrittenRows } from './connection.ts';
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

async function write<Tables>(connection: Connection<Tables>, group: readonly Waiting<Tables>[]): Promise<WrittenRows> {
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

/** What a database committed in its turn. */
interface Committed {
  readonly transactions: number;
  /** Time that the process stood still for it. */
  readonly ms: CommitMs;
  /** Settles when it is on disk, or is not going to be. */
  readonly flushed: Promise<unknown>;
}

/** `isAlone`: nothing else is committed or flushed meanwhile. */
type Commit = (isAlone: boolean) => Promise<Committed>;

export interface GroupCommit {
  /** One more transaction waits for this database's commit, which is called once in the next turn. */
  request(commit: Commit): void;
}

/** Calls `turn` after so many ms; returns what calls it off. */
type After = (ms: number, turn: () => void) => () => void;

interface Timing {
  /** ms */
  now(): number;
  readonly after: After;
  /** Like `after`, but earlier when the process has nothing else to do. */
  readonly whenIdle: After;
}

/** The pause, as a multiple of how long the last turn blocked the process, up to a bound. */
const REST = 2;
const MAX_REST_MS = 15;
/** How long a turn waits for a busy process, after its pause. */
const MAX_BUSY_MS = 25;
/** Waiting transactions after which a longer wait has little left to share. */
const ENOUGH = 64;

/**
 * Turns in which all databases of a process commit what they were asked for meanwhile. With nothing else under way a
 * turn comes at once. While what the last one committed is flushed, and after one that had several transactions, the
 * next lets the process work for a while, and on while it has other work to do: what is asked for until then shares
 * flushes and pages. A page that several mails change is written once for all of them, and that is most of what a
 * commit costs.
 */
export function createGroupCommit({ now, after, whenIdle }: Timing = CLOCK): GroupCommit {
  const commits = new Set<Commit>();
  let transactions = 0;
  let flushes = 0;
  let restUntil = 0;
  let callOff: (() => void) | null = null;

  const plan = () => {
    callOff?.();
    const rest = Math.max(0, restUntil - now());
    const isAlone = transactions === 1 && flushes === 0;
    if (transactions >= ENOUGH || (isAlone && rest === 0)) {
      callOff = after(0, () => void turn());
      return;
    }
    callOff = after(flushes > 0 ? MAX_REST_MS : rest, () => {
      callOff = whenIdle(MAX_BUSY_MS, () => void turn());
    });
  };

  const flushed = () => {
    flushes -= 1;
    if (flushes === 0 && callOff !== null) plan();
  };

  const turn = async () => {
    callOff = null;
    const isAlone = transactions === 1 && flushes === 0;
    transactions = 0;
    const due = [...commits];
    commits.clear();
    const committed = await Promise.all(due.map((commit) => commit(isAlone)));
    const done = committed.reduce((sum, one) => sum + one.transactions, 0);
    const ms = committed.reduce((sum, one) => sum + one.ms, 0);
    restUntil = done > 1 ? now() + Math.min(REST * ms, MAX_REST_MS) : 0;
    for (const one of committed) {
      flushes += 1;
      void one.flushed.then(flushed, flushed);
    }
  };

  return {
    request(commit) {
      commits.add(commit);
      transactions += 1;
      if (callOff === null || transactions === ENOUGH) plan();
    },
  };
}

const CLOCK: Timing = { now: () => performance.now(), after: later, whenIdle };

function later(ms: number, turn: () => void): () => void {
  if (ms === 0) {
    const immediate = setImmediate(turn);
    return () => clearImmediate(immediate);
  }
  const timer = setTimeout(turn, ms);
  return () => clearTimeout(timer);
}

/** One round of the event loop takes so long at most when nothing happened in it. */
const EMPTY_ROUND_MS = 0.1;

function whenIdle(atMostMs: number, turn: () => void): () => void {
  let seenAt = performance.now();
  const until = seenAt + atMostMs;
  const look = () => {
    const at = performance.now();
    if (at - seenAt < EMPTY_ROUND_MS || at >= until) return turn();
    seenAt = at;
    immediate = setImmediate(look);
  };
  let immediate = setImmediate(look);
  return () => clearImmediate(immediate);
}
