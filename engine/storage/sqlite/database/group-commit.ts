import type { CommitMs } from './connection.ts';

/** What a database committed in its turn. */
export interface Committed {
  readonly transactions: number;
  /** Time that the process stood still for it. */
  readonly ms: CommitMs;
  /** Settles when it is on disk, or is not going to be. */
  readonly flushed: Promise<unknown>;
}

/** `isAlone`: nothing else is committed or flushed meanwhile. */
export type Commit = (isAlone: boolean) => Promise<Committed>;

export interface GroupCommit {
  /** One more transaction waits for this database's commit, which is called once in the next turn. */
  request(commit: Commit): void;
}

/** Calls `turn` after so many ms; returns what calls it off. */
export type After = (ms: number, turn: () => void) => () => void;

/** So many times as long as the last turn stood still, up to a bound that nobody feels. */
const REST = 5;
const MAX_REST_MS = 15;
/** With so many waiting there is little left to share. */
const ENOUGH = 20;

/**
 * Turns in which all databases of a process commit what they were asked for meanwhile. With nothing else under way a
 * turn comes at once. While what the last one committed is flushed, and after one that had several transactions, the
 * next lets the process work for a while: what is asked for until then shares flushes and pages.
 */
export function createGroupCommit(now: () => number = () => performance.now(), after: After = later): GroupCommit {
  const commits = new Set<Commit>();
  let transactions = 0;
  let flushes = 0;
  let restUntil = 0;
  let callOff: (() => void) | null = null;

  const plan = () => {
    callOff?.();
    const rest = Math.max(0, restUntil - now());
    const ms = transactions >= ENOUGH ? 0 : flushes > 0 ? MAX_REST_MS : rest;
    callOff = after(ms, () => void turn());
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

function later(ms: number, turn: () => void): () => void {
  if (ms === 0) {
    const immediate = setImmediate(turn);
    return () => clearImmediate(immediate);
  }
  const timer = setTimeout(turn, ms);
  return () => clearTimeout(timer);
}
