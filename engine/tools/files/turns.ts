import { EngineError } from '#contract';

type Kind = 'shared' | 'alone';

interface Waiting {
  readonly kind: Kind;
  begin(): void;
}

interface Line {
  /** How many work at the moment. */
  working: number;
  kind: Kind;
  readonly waiting: Waiting[];
}

export interface Turn {
  readonly signal: AbortSignal;
  /** Longer than this nobody waits. */
  readonly waitMs: number;
  /** What is said to who waited in vain. */
  readonly busy: string;
}

export interface FileTurns {
  share<Result>(root: string, turn: Turn, work: () => Promise<Result>): Promise<Result>;
  alone<Result>(root: string, turn: Turn, work: () => Promise<Result>): Promise<Result>;
}

/**
 * Who works in a folder at the moment: some side by side, or one alone. First come, first served, so that neither kind
 * can keep the other out. What takes a turn must not take another within it.
 */
export function createFileTurns(): FileTurns {
  const lines = new Map<string, Line>();

  /** Resolves when it is this one's turn; throws `tool_failed` after `waitMs`, and at once when `signal` aborts. */
  function enter(root: string, kind: Kind, turn: Turn): Promise<void> {
    if (turn.signal.aborted) return Promise.reject(busy(turn));
    const line = lines.get(root) ?? { working: 0, kind, waiting: [] };
    lines.set(root, line);
    if (line.waiting.length === 0 && fits(line, kind)) {
      start(line, kind);
      return Promise.resolve();
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = {
      kind,
      begin() {
        stopWaiting();
        resolve();
      },
    };
    const giveUp = () => {
      stopWaiting();
      line.waiting.splice(line.waiting.indexOf(waiting), 1);
      // Those behind may have waited for this one alone.
      goOn(root, line);
      reject(busy(turn));
    };
    const timer = setTimeout(giveUp, turn.waitMs);
    turn.signal.addEventListener('abort', giveUp, { once: true });
    const stopWaiting = () => {
      clearTimeout(timer);
      turn.signal.removeEventListener('abort', giveUp);
    };
    line.waiting.push(waiting);
    return promise;
  }

  function goOn(root: string, line: Line): void {
    for (let next = line.waiting[0]; next && fits(line, next.kind); next = line.waiting[0]) {
      line.waiting.shift();
      start(line, next.kind);
      next.begin();
    }
    if (line.working === 0 && line.waiting.length === 0) lines.delete(root);
  }

  async function during<Result>(root: string, kind: Kind, turn: Turn, work: () => Promise<Result>): Promise<Result> {
    await enter(root, kind, turn);
    try {
      return await work();
    } finally {
      const line = lines.get(root);
      if (line) {
        line.working -= 1;
        goOn(root, line);
      }
    }
  }

  return {
    share: <Result>(root: string, turn: Turn, work: () => Promise<Result>) => during(root, 'shared', turn, work),
    alone: <Result>(root: string, turn: Turn, work: () => Promise<Result>) => during(root, 'alone', turn, work),
  };
}

const fits = (line: Line, kind: Kind): boolean => line.working === 0 || (line.kind === 'shared' && kind === 'shared');

function start(line: Line, kind: Kind): void {
  line.working += 1;
  line.kind = kind;
}

const busy = ({ busy: message }: Turn) => new EngineError('tool_failed', message, { retry: { afterMs: 5000 } });
