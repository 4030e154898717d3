import { Worker } from 'node:worker_threads';
import { bareEnvironment } from './bare-environment.ts';
import type { Peer } from './fair-queue.ts';
import { watchHeap } from './heap-watch.ts';
import type { FromWorker, ToWorker } from './protocol.ts';

/** Work for a thread. */
export interface Task<Request, Outcome, Question = never, Answer = never> {
  readonly peer: Peer;
  /** What its request weighs. */
  readonly bytes: number;
  /** How long the thread may compute for it: processor time, without the time in which it waits for answers. */
  readonly deadlineMs: number;
  /** Called when a thread is free for it; again when that thread died under another job. */
  make(): { readonly request: Request; readonly transfer: readonly ArrayBuffer[] };
  /** Answers what the thread asks. Must not reject. */
  answer(what: Question): Promise<Answer>;
  /** What becomes of it when it took too long or the thread died of it. */
  failed(reason: string): Outcome;
}

/** A task in a thread. */
export interface Flight<T> {
  readonly id: number;
  readonly task: T;
  /** Waits for an answer, and has had its turn before. */
  parked: boolean;
  spentMs: number;
  cpuMs: number;
}

export interface LaneOptions {
  readonly entry: URL;
  /** What its thread may hold; one that holds more is ended. */
  readonly heapMb: number;
}

/** What a lane tells whoever fills it. */
interface LaneEvents<T, Outcome> {
  done(flight: Flight<T>, outcome: Outcome): void;
  /** A flight was parked, or the thread is ready. */
  moved(): void;
  /** The thread died while it computed for `failed`; the `others` were waiting in it and are tried again. */
  died(failed: Flight<T> | undefined, others: readonly Flight<T>[], reason: string): void;
  /** The thread does not even start, which is no task's fault. */
  unavailable(flights: readonly Flight<T>[], reason: string): void;
}

const START_DEADLINE_MS = 30_000;
/** A task may take this many times its deadline while the machine works for others or the thread waits in vain. */
const MOST_DEADLINES = 5;
/** Between two looks at what a thread has computed. */
const LOOK_MS = 10;
/** The backstop of the heap: one step of a task may overshoot by much before anybody can look. */
const HEAP_BACKSTOP = 4;
/** What is new on a heap; left to itself a thread takes three times as much. */
const YOUNG_MB = 16;
/** A thread that has grown to this gives nothing back while it lives. A new one takes a tenth of a second. */
const RETIRES_AT_MB = 80;
/** What lies outside of its heap after so large a job is given back late, and several threads have that at once. */
const LARGE_BYTES = 8 * 1024 * 1024;

/** One thread, started at its first task and again after it died; stopped when a task computes for too long. */
export function createLane<Request, Outcome, Question, Answer>(
  options: LaneOptions,
  events: LaneEvents<Task<Request, Outcome, Question, Answer>, Outcome>,
) {
  type Own = Flight<Task<Request, Outcome, Question, Answer>>;
  let thread: Worker | null = null;
  let ready = false;
  let isWorn = false;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let unwatchHeap = () => {};
  let failure = 'its thread died';
  let turn: { readonly flight: Own; readonly since: number; readonly beginsAtMs: number } | null = null;
  let inFlight = new Map<number, Own>();

  function start(): Worker {
    ready = false;
    isWorn = false;
    failure = 'its thread died';
    const worker = new Worker(options.entry, {
      env: bareEnvironment(),
      resourceLimits: {
        maxOldGenerationSizeMb: HEAP_BACKSTOP * options.heapMb,
        maxYoungGenerationSizeMb: YOUNG_MB,
      },
    });
    worker.on('message', (message: FromWorker<Outcome, Question>) => {
      if (worker === thread) onMessage(message);
    });
    worker.on('error', (error) => {
      failure = error instanceof Error ? error.message : String(error);
    });
    // By then every message that was sent has arrived, so whose turn it was is known.
    worker.on('exit', () => {
      if (worker === thread) onExit();
    });
    return worker;
  }

  function onMessage(message: FromWorker<Outcome, Question>): void {
    if (message.kind === 'ready') {
      ready = true;
    } else {
      const flight = inFlight.get(message.id);
      if (flight) takePart(flight, message);
    }
    watch();
    events.moved();
  }

  function takePart(flight: Own, message: Exclude<FromWorker<Outcome, Question>, { kind: 'ready' }>): void {
    if (message.kind === 'turn') {
      turn = { flight, since: performance.now(), beginsAtMs: message.beginsAtMs };
      return;
    }
    if (turn?.flight === flight) flight.spentMs += performance.now() - turn.since;
    turn = null;
    flight.cpuMs += message.cpuMs;
    if (message.kind === 'ask') {
      flight.parked = true;
      void answer(flight, message.question, message.what);
    } else {
      inFlight.delete(flight.id);
      isWorn ||= message.heldMb > RETIRES_AT_MB || flight.task.bytes > LARGE_BYTES;
      if (isWorn && inFlight.size === 0) retire();
      events.done(flight, message.outcome);
    }
  }

  function retire(): void {
    const old = thread;
    thread = null;
    void old?.terminate();
  }

  async function answer(flight: Own, question: number, what: Question): Promise<void> {
    const asker = thread;
    const found = await flight.task.answer(what);
    const message: ToWorker<Request, Answer> = { kind: 'answer', question, answer: found };
    if (asker === thread) asker?.postMessage(message);
  }

  function onExit(): void {
    const started = ready;
    const failed = turn?.flight;
    unwatchHeap();
    const others = [...inFlight.values()].filter((flight) => flight !== failed);
    clearTimeout(timer);
    thread = null;
    turn = null;
    inFlight = new Map();
    if (closed) return;
    if (started) events.died(failed, others, failure);
    else events.unavailable(others, failure);
  }

  /** Time counts for the task that the thread computes for, not for those that wait. */
  function watch(): void {
    clearTimeout(timer);
    unwatchHeap();
    if (inFlight.size === 0) {
      thread?.unref();
      return;
    }
    thread?.ref();
    const computes = [...inFlight.values()].some(({ parked }) => !parked);
    if (ready && turn === null && !computes) return;
    const seen = turn;
    const stop = (reason: string) => {
      if (turn !== seen || thread === null) return;
      failure = reason;
      void thread.terminate();
    };
    if (seen === null) {
      timer = setTimeout(
        () => setImmediate(() => stop(`it took longer than ${START_DEADLINE_MS} ms`)),
        START_DEADLINE_MS,
      );
      return;
    }
    if (thread) {
      unwatchHeap = watchHeap(thread, options.heapMb, () => stop(`it took more than ${options.heapMb} MB of memory`));
    }
    watchTime(seen, stop);
  }

  /** On a busy machine a deadline passes while the thread has hardly computed: that is not the task's fault. */
  function watchTime(seen: NonNullable<typeof turn>, stop: (reason: string) => void): void {
    const { flight, since, beginsAtMs } = seen;
    const allowed = flight.task.deadlineMs;
    const late = () => stop(`it took longer than ${allowed} ms`);
    const elapsed = () => flight.spentMs + performance.now() - since;
    // When this thread itself stood still, the answer is already there: it is heard before anybody is blamed.
    const wait = (ms: number, then: () => void) => {
      clearTimeout(timer);
      timer = setTimeout(() => setImmediate(then), Math.max(0, ms));
    };
    const look = () => {
      const worker = thread;
      if (turn !== seen || worker === null) return;
      const most = MOST_DEADLINES * allowed;
      // Also when it does not even tell what it has computed.
      wait(most - elapsed(), late);
      worker.cpuUsage().then(
        ({ user, system }) => {
          if (turn !== seen || thread !== worker) return;
          const left = allowed - flight.cpuMs - ((user + system) / 1000 - beginsAtMs);
          if (left <= 0 || elapsed() >= most) late();
          else wait(Math.min(Math.max(left, LOOK_MS), most - elapsed()), look);
        },
        () => {},
      );
    };
    wait(allowed - elapsed(), look);
  }

  return {
    /** Whether it computes for nobody. */
    isFree: () => turn === null && ![...inFlight.values()].some(({ parked }) => !parked),
    flights: (): readonly Own[] => [...inFlight.values()],
    send(flight: Own): void {
      thread ??= start();
      inFlight.set(flight.id, flight);
      const { request, transfer } = flight.task.make();
      const message: ToWorker<Request, Answer> = { kind: 'job', id: flight.id, request };
      thread.postMessage(message, [...transfer]);
      watch();
    },
    /** Ends the thread; nothing is told of what it had. */
    async close(): Promise<void> {
      closed = true;
      clearTimeout(timer);
      unwatchHeap();
      await thread?.terminate();
      thread = null;
    },
  };
}
