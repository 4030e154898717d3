import { Worker } from 'node:worker_threads';
import { EngineError } from '#contract';
import type { GatewayConfig } from '../config/types.ts';
import type { ParseAnswer, ParseRequest } from './parse-protocol.ts';
import type { ParseOutcome } from './types.ts';

export interface LaneOptions {
  readonly limits: GatewayConfig['limits'];
  readonly deadlineMs: number;
  readonly heapMb: number;
  readonly entry: URL;
}

interface Job {
  readonly id: number;
  readonly raw: Uint8Array;
  readonly settle: PromiseWithResolvers<ParseOutcome>;
  /** Set after the full reader failed on it. */
  plain: boolean;
}

/** Enough that the thread never waits for us, few enough that a crash repeats little. */
const MAX_FLYING = 32;
const MAX_FLYING_BYTES = 32 * 1024 * 1024;
const START_DEADLINE_MS = 30_000;

/** One parsing thread and its queue. The thread answers in order, so when it dies the oldest mail in it is to blame. */
export function createParseLane(options: LaneOptions) {
  let thread: Worker | null = null;
  let ready = false;
  let closed = false;
  let lastId = 0;
  let timer: NodeJS.Timeout | undefined;
  let failure = 'the parser thread died';
  let waiting: Job[] = [];
  let flying: Job[] = [];

  function start(): Worker {
    ready = false;
    failure = 'the parser thread died';
    const worker = new Worker(options.entry, {
      // Nothing that parses a stranger's mail needs to see keys.
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: options.heapMb },
    });
    worker.on('message', (answer: ParseAnswer) => {
      if (worker === thread) hear(answer);
    });
    worker.on('error', (error) => {
      failure = error instanceof Error ? error.message : String(error);
    });
    // By then every answer that was sent has arrived, so the oldest unanswered mail is the one it died of.
    worker.on('exit', () => {
      if (worker === thread) bury();
    });
    return worker;
  }

  function hear(answer: ParseAnswer): void {
    if (answer.ready) {
      ready = true;
    } else if (flying[0]?.id === answer.id) {
      const job = flying.shift();
      if (job) finish(job, answer.outcome);
    }
    watch();
    fill();
  }

  function finish(job: Job, outcome: ParseOutcome): void {
    if (!outcome.ok && outcome.code === 'unparsable' && !job.plain) tryPlain(job);
    else job.settle.resolve(outcome);
  }

  function tryPlain(job: Job): void {
    job.plain = true;
    waiting.push(job);
  }

  function bury(): void {
    const started = ready;
    thread = null;
    clearTimeout(timer);
    const lost = flying;
    flying = [];
    if (closed) return;
    if (!started) {
      // Our fault, not the mail's: nobody may answer with a dead letter to that.
      const error = new EngineError('unavailable', `the mail parser did not start: ${failure}`, {
        retry: { afterMs: 5000 },
      });
      for (const job of [...lost, ...waiting.splice(0)]) job.settle.reject(error);
      return;
    }
    const [culprit, ...innocent] = lost;
    waiting = [...innocent, ...waiting];
    if (culprit) finish(culprit, { ok: false, code: 'unparsable', message: failure });
    fill();
  }

  /** Time counts for the mail that the thread is reading, not for those behind it. */
  function watch(): void {
    clearTimeout(timer);
    if (flying.length === 0) {
      thread?.unref();
      return;
    }
    const ms = ready ? options.deadlineMs : START_DEADLINE_MS;
    timer = setTimeout(() => {
      failure = `it took longer than ${ms} ms`;
      void thread?.terminate();
    }, ms);
  }

  function fill(): void {
    if (waiting.length === 0 || closed) return;
    thread ??= start();
    let bytes = flying.reduce((sum, job) => sum + job.raw.byteLength, 0);
    const wasIdle = flying.length === 0;
    while (flying.length < MAX_FLYING && (flying.length === 0 || bytes < MAX_FLYING_BYTES)) {
      const job = waiting.shift();
      if (!job) break;
      // The caller's bytes may lie in a shared pool and are needed again: one exact copy is handed over.
      const raw = new Uint8Array(job.raw);
      bytes += raw.byteLength;
      flying.push(job);
      const request: ParseRequest = { id: job.id, raw, limits: options.limits, plain: job.plain };
      thread.postMessage(request, [raw.buffer]);
    }
    if (!wasIdle) return;
    thread.ref();
    watch();
  }

  return {
    load: () => waiting.length + flying.length,
    parse(raw: Uint8Array): Promise<ParseOutcome> {
      if (closed) return Promise.reject(new EngineError('cancelled', 'the mail parser is closed'));
      const job: Job = { id: ++lastId, raw, settle: Promise.withResolvers<ParseOutcome>(), plain: false };
      waiting.push(job);
      fill();
      return job.settle.promise;
    },
    async close(): Promise<void> {
      closed = true;
      clearTimeout(timer);
      const error = new EngineError('cancelled', 'the mail parser was closed');
      for (const job of [...flying.splice(0), ...waiting.splice(0)]) job.settle.reject(error);
      await thread?.terminate();
      thread = null;
    },
  };
}
