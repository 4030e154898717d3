import type { CommitMs } from './connection.ts';

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
