import { getHeapStatistics } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import type { FromWorker, ToWorker } from './protocol.ts';

interface Served<Outcome> {
  readonly outcome: Outcome;
  /** Handed over, not copied. */
  readonly transfer: readonly ArrayBuffer[];
}

/**
 * The worker's side of a lane. `work` may ask the main thread (`ask`) and waits meanwhile without the turn, so that
 * others are worked on; apart from that the thread computes for one job at a time, and the main thread is told for which.
 * When `work` rejects, the thread ends, and its job is to blame.
 */
export function serveJobs<Request, Outcome, Question = never, Answer = never>(
  work: (request: Request, ask: (what: Question) => Promise<Answer>) => Promise<Served<Outcome>>,
): void {
  const port = parentPort;
  if (port === null) throw new Error('this file runs in a worker thread');
  const send = (message: FromWorker<Outcome, Question>, transfer: readonly ArrayBuffer[] = []) =>
    port.postMessage(message, [...transfer]);
  const takeTurn = createTurns((id, beginsAtMs) => send({ kind: 'turn', id, beginsAtMs }));
  const open = new Map<number, (answer: Answer) => void>();
  let lastQuestion = 0;

  const start = async (id: number, request: Request): Promise<void> => {
    let turn = await takeTurn(id);
    const askOne = async (what: Question): Promise<Answer> => {
      lastQuestion += 1;
      const answered = Promise.withResolvers<Answer>();
      open.set(lastQuestion, answered.resolve);
      send({ kind: 'ask', id, question: lastQuestion, what, cpuMs: turn.end() });
      const answer = await answered.promise;
      turn = await takeTurn(id);
      return answer;
    };
    // One after the other, however a job asks: with two open questions it would be unclear whose turn it is.
    let asked: Promise<unknown> = Promise.resolve();
    const ask = (what: Question): Promise<Answer> => {
      const next = asked.then(() => askOne(what));
      asked = next;
      return next;
    };
    const { outcome, transfer } = await work(request, ask);
    send({ kind: 'done', id, outcome, cpuMs: turn.end(), heldMb: heldMb() }, transfer);
  };

  port.on('message', (message: ToWorker<Request, Answer>) => {
    if (message.kind === 'job') {
      void start(message.id, message.request);
    } else {
      open.get(message.question)?.(message.answer);
      open.delete(message.question);
    }
  });
  send({ kind: 'ready' });
}

function heldMb(): number {
  const { total_heap_size: heap, external_memory: external } = getHeapStatistics();
  return (heap + external) / 1024 / 1024;
}

/** One job computes at a time, in the order of asking for it. `end` gives the turn up and tells its processor time. */
function createTurns(announce: (id: number, beginsAtMs: number) => void) {
  let free: Promise<void> = Promise.resolve();
  return async (id: number): Promise<{ end(): number }> => {
    const before = free;
    const over = Promise.withResolvers<void>();
    free = over.promise;
    await before;
    const begun = computedMs();
    announce(id, begun);
    return {
      end() {
        const cpuMs = computedMs() - begun;
        // Whatever this job has left to do in this turn of the event loop still belongs to it.
        setImmediate(over.resolve);
        return cpuMs;
      },
    };
  };
}

function computedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
