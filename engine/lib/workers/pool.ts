import { EngineError } from '#contract';
import { createFairQueue, type Peer } from './fair-queue.ts';
import { createLane, type Flight, type LaneOptions, type Task } from './lane.ts';

export type { Peer } from './fair-queue.ts';
export type { Task } from './lane.ts';

export interface PoolOptions extends LaneOptions {
  /** What the threads do, in the words of an error. */
  readonly name: string;
  readonly lanes: number;
  /** Limit on the bytes of all requests that are in threads; a larger request goes alone. */
  readonly maxBytes: number;
  readonly slowPeers: SlowPeers;
}

export interface Pool<Request, Outcome, Question = never, Answer = never> {
  /**
   * Never rejects because of the task. Rejects with `unavailable` when no thread can start, with `cancelled` after
   * `close`.
   */
  run(task: Task<Request, Outcome, Question, Answer>): Promise<Outcome>;
  /** Ends the threads; what they were at rejects. */
  close(): Promise<void>;
}

/** Processor time of one task from which on its peer counts as slow. */
const SLOW_MS = 1000;
/** Requests that may wait for one thread; each is no larger than a mail. */
const MAX_QUEUED = 16;
const LETTER_BYTES = 64 * 1024;
/** A task above that takes its time, whoever sent it. */
const LARGE_BYTES = 1024 * 1024;
/** Tasks of one lane that wait for answers, and those of one peer in all lanes. */
const MAX_PARKED = 64;
const MAX_PARKED_PER_PEER = 8;
/** What a parked task still holds, at most: its bulk is worked off before the first question. */
const PARKED_BYTES = 512 * 1024;
/** A task whose thread died so often under others is given back, so that nothing is tried for ever. */
const MAX_ATTEMPTS = 3;

/**
 * A few threads and the queue before them. Served in turn by peer: those of the house first, then everybody, then who
 * was slow within the last minute. With more than one lane, no peer computes in all of them, and neither do the slow or
 * the large together, so that somebody else's letter never waits for more than what one lane is at.
 */
export function createPool<Request, Outcome, Question = never, Answer = never>(
  options: PoolOptions,
): Pool<Request, Outcome, Question, Answer> {
  interface Waiting extends Task<Request, Outcome, Question, Answer> {
    readonly settle: PromiseWithResolvers<Outcome>;
    attempts: number;
  }
  const { slowPeers } = options;
  const isSlow = (peer: Peer) => !peer.first && slowPeers.has(peer.key);
  const queue = createFairQueue<Waiting>((peer) => (peer.first ? 0 : isSlow(peer) ? 2 : 1));
  const mostLanes = Math.max(1, options.lanes - 1);
  const waitingOf = new WeakMap<Flight<Task<Request, Outcome, Question, Answer>>, Waiting>();
  let lastId = 0;
  let closed = false;

  const lanes = Array.from({ length: options.lanes }, () =>
    createLane<Request, Outcome, Question, Answer>(options, {
      done(flight, outcome) {
        if (flight.cpuMs > SLOW_MS) slowPeers.mark(flight.task.peer.key);
        waitingOf.get(flight)?.settle.resolve(outcome);
      },
      moved: () => fill(),
      died(failed, others, reason) {
        for (const flight of others.toReversed()) again(flight);
        if (failed) {
          slowPeers.mark(failed.task.peer.key);
          waitingOf.get(failed)?.settle.resolve(failed.task.failed(reason));
        }
        fill();
      },
      unavailable(flights, reason) {
        // Our fault, not the mail's: nobody may answer with a dead letter to that.
        const error = unavailable(`${options.name} did not start: ${reason}`);
        const lost = flights.flatMap((flight) => waitingOf.get(flight) ?? []);
        for (const waiting of [...lost, ...queue.takeAll()]) waiting.settle.reject(error);
      },
    }),
  );

  function again(flight: Flight<Task<Request, Outcome, Question, Answer>>): void {
    const waiting = waitingOf.get(flight);
    if (!waiting) return;
    if (waiting.attempts < MAX_ATTEMPTS) queue.unshift(waiting.peer, waiting);
    else waiting.settle.reject(unavailable(`${options.name} died too often under others' work`));
  }

  function fill(): void {
    for (const lane of lanes) {
      while (!closed && !queue.isEmpty() && lane.flights().length < MAX_PARKED) {
        const waiting = lane.isFree() ? next() : nextOfHouse(lane);
        if (!waiting) break;
        waiting.attempts += 1;
        const flight = { id: ++lastId, task: waiting, parked: false, spentMs: 0, cpuMs: 0 };
        waitingOf.set(flight, waiting);
        lane.send(flight);
      }
    }
  }

  function next(): Waiting | undefined {
    const flights = lanes.flatMap((lane) => lane.flights());
    const computing = flights.filter(({ parked }) => !parked);
    const bytes = flights.reduce((sum, { task, parked }) => sum + (parked ? PARKED_BYTES : task.bytes), 0);
    const isLarge = ({ peer, bytes: size }: Pick<Waiting, 'peer' | 'bytes'>) => !peer.first && size > LARGE_BYTES;
    const isOfLarge = computing.filter(({ task }) => isLarge(task)).length >= mostLanes;
    const isOfSlow = computing.filter(({ task }) => isSlow(task.peer)).length >= mostLanes;
    const countOf = (list: typeof flights, { key }: Peer) => list.filter(({ task }) => task.peer.key === key).length;
    return queue.take((task, peer, rank) => {
      if (countOf(computing, peer) >= mostLanes || (rank === 2 && isOfSlow)) return false;
      if (isLarge(task) && isOfLarge) return false;
      if (countOf(flights, peer) - countOf(computing, peer) >= MAX_PARKED_PER_PEER) return false;
      return computing.length === 0 || bytes + task.bytes <= options.maxBytes;
    });
  }

  /**
   * The house does not attack itself: its letters may wait in a thread that works for it, so that the thread need not
   * wait for this one, which stands still while a disk flushes.
   */
  function nextOfHouse(lane: (typeof lanes)[number]): Waiting | undefined {
    const busy = lane.flights().filter(({ parked }) => !parked);
    if (busy.length >= MAX_QUEUED || !busy.every(({ task }) => task.peer.first)) return undefined;
    return queue.take((task, _peer, rank) => rank === 0 && task.bytes <= LETTER_BYTES);
  }

  return {
    run(task) {
      if (closed) return Promise.reject(new EngineError('cancelled', `${options.name} is closed`));
      const waiting: Waiting = { ...task, settle: Promise.withResolvers<Outcome>(), attempts: 0 };
      queue.push(task.peer, waiting);
      fill();
      return waiting.settle.promise;
    },
    async close() {
      closed = true;
      const error = new EngineError('cancelled', `${options.name} was closed`);
      const inFlight = lanes.flatMap((lane) => lane.flights()).flatMap((flight) => waitingOf.get(flight) ?? []);
      for (const waiting of [...inFlight, ...queue.takeAll()]) waiting.settle.reject(error);
      await Promise.all(lanes.map((lane) => lane.close()));
    },
  };
}

const unavailable = (message: string) => new EngineError('unavailable', message, { retry: { afterMs: 5000 } });

const SLOW_FOR_MS = 60_000;
const MOST = 10_000;

export interface SlowPeers {
  /** What this peer sent took long just now. */
  mark(key: string): void;
  has(key: string): boolean;
}

/** Remembers for a minute whose work was slow, so that others go before him. Bounded: the oldest are forgotten. */
export function createSlowPeers(now: () => number = () => performance.now()): SlowPeers {
  const until = new Map<string, number>();
  return {
    mark(key) {
      until.delete(key);
      until.set(key, now() + SLOW_FOR_MS);
      const [oldest] = until.keys();
      if (until.size > MOST && oldest !== undefined) until.delete(oldest);
    },
    has(key) {
      const end = until.get(key);
      if (end === undefined) return false;
      if (end > now()) return true;
      until.delete(key);
      return false;
    },
  };
}
