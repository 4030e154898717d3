import type { CommitMs } from './connection.ts';

/** What a database committed in its turn. */
export interface Committed {
  readonly transactions: number;
  readonly ms: CommitMs;
}

export interface GroupCommit {
  /** One more transaction waits for this database's commit, which is called once in the next turn. */
  request(commit: () => Promise<Committed>): void;
}

/** Calls `turn` after so many ms; returns what calls it off. */
export type After = (ms: number, turn: () => void) => () => void;

/** So many times as long as the last turn waited for the disk, up to a bound that nobody feels. */
const REST = 5;
const MAX_REST_MS = 15;
/** With so many waiting there is little left to share. */
const ENOUGH = 20;

/**
 * Turns in which all databases of a process commit what they were asked for meanwhile. With nothing else under way a
 * turn comes at once. After one that had several transactions the next lets the process work for a while: what is asked
 * for until then shares flushes and pages. A commit for every two or three transactions took a third of the loop's time.
 */
export function createGroupCommit(now: () => number = () => performance.now(), after: After = later): GroupCommit {
  const commits = new Set<() => Promise<Committed>>();
  let transactions = 0;
  let restUntil = 0;
  let callOff: (() => void) | null = null;

  const turn = async () => {
    callOff = null;
    transactions = 0;
    const due = [...commits];
    commits.clear();
    const committed = await Promise.all(due.map((commit) => commit()));
    const done = committed.reduce((sum, one) => sum + one.transactions, 0);
    const ms = committed.reduce((sum, one) => sum + one.ms, 0);
    restUntil = done > 1 ? now() + Math.min(REST * ms, MAX_REST_MS) : 0;
  };

  return {
    request(commit) {
      commits.add(commit);
      transactions += 1;
      if (callOff !== null && transactions !== ENOUGH) return;
      callOff?.();
      const rest = transactions < ENOUGH ? Math.max(0, restUntil - now()) : 0;
      callOff = after(rest, () => void turn());
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
