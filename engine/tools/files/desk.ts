import { EngineError } from '#contract';
import { isOver, MAX_ENTRIES, measure, type Used } from './usage.ts';

/** Less than most calls may take, so that who waits in vain learns why. */
const WAIT_MS = 45_000;
/** People put files there, too, and take them away. */
const KNOWN_MS = 60_000;
const MAX_KNOWN = 1000;

export interface FilesDesk {
  /** Beside other file tools, while no command works there. Throws `tool_failed` where that lasts too long. */
  share<Result>(root: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result>;
  /** While nobody else works there. */
  alone<Result>(root: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result>;
  /** Something was taken away: what there is now is looked at when somebody wants to know. */
  forget(root: string): void;
  /** What somebody has just measured. */
  know(root: string, used: Used): void;
  /** Makes that much more, or with minus signs less. Throws `tool_failed` where there is no room for it. */
  withRoom<Result>(root: string, more: Used, maxBytes: number, make: () => Promise<Result>): Promise<Result>;
}

/**
 * What this process knows of the personas' `files/`, by their path: who works in which at the moment, and how much
 * there is. One for all runs, so that a shell command of one and a file tool of another never work side by side.
 */
export function createFilesDesk({ now }: { readonly now: () => number }): FilesDesk {
  const turns = createFileTurns();
  const known = new Map<string, { readonly used: Used; readonly at: number }>();
  /** What is being made and not on the disk yet, so that many calls at once do not all take the last room. */
  const promised = new Map<string, Used>();

  function know(root: string, used: Used, at = now()): void {
    known.delete(root);
    known.set(root, { used, at });
    const [oldest] = known.keys();
    if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
  }

  /** `maxAgeMs` 0 asks the disk in any case. */
  async function usedIn(root: string, maxAgeMs: number): Promise<Used> {
    const last = known.get(root);
    if (last && now() - last.at < maxAgeMs) return last.used;
    const used = await measure(root);
    know(root, used);
    return used;
  }

  /** Sets room aside. Throws `tool_failed` where there is none. */
  async function reserve(root: string, more: Used, maxBytes: number): Promise<void> {
    // The disk is asked before anybody is refused: they may have made room by hand a moment ago.
    for (const maxAgeMs of [KNOWN_MS, 0]) {
      const found = await usedIn(root, maxAgeMs);
      const used = plus(known.get(root)?.used ?? found, promised.get(root) ?? NONE);
      const grows = more.bytes > 0 || more.entries > 0;
      if (!grows || !isOver(plus(used, more), maxBytes)) return promise(root, more);
      if (maxAgeMs === 0) throw full(used, maxBytes);
    }
  }

  function promise(root: string, more: Used): void {
    const sum = plus(promised.get(root) ?? NONE, more);
    if (sum.bytes === 0 && sum.entries === 0) promised.delete(root);
    else promised.set(root, sum);
  }

  return {
    share: <Result>(root: string, signal: AbortSignal, work: () => Promise<Result>) =>
      turns.share(root, { signal, waitMs: WAIT_MS, busy: SHELL_WORKS }, work),
    alone: <Result>(root: string, signal: AbortSignal, work: () => Promise<Result>) =>
      turns.alone(root, { signal, waitMs: WAIT_MS, busy: OTHERS_WORK }, work),
    forget: (root: string): void => void known.delete(root),
    know: (root: string, used: Used) => know(root, used),
    async withRoom<Result>(root: string, more: Used, maxBytes: number, make: () => Promise<Result>): Promise<Result> {
      await reserve(root, more, maxBytes);
      try {
        const made = await make();
        const last = known.get(root);
        if (last) know(root, plus(last.used, more), last.at);
        return made;
      } finally {
        promise(root, { bytes: -more.bytes, entries: -more.entries });
      }
    },
  };
}

const NONE: Used = { bytes: 0, entries: 0 };
const plus = (one: Used, other: Used): Used => ({
  bytes: one.bytes + other.bytes,
  entries: one.entries + other.entries,
});

const SHELL_WORKS = 'a shell command works on the files at the moment; try again when it has ended';
const OTHERS_WORK = 'the files are being worked on at the moment; try again later';

/** In words for a model. */
export const full = ({ bytes, entries }: Used, maxBytes: number): EngineError =>
  new EngineError(
    'tool_failed',
    `there is no room left in files/: ${bytes} of ${maxBytes} bytes and ${Math.min(entries, MAX_ENTRIES)} of ` +
      `${MAX_ENTRIES} entries are used; delete files first`,
  );

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

interface Turn {
  readonly signal: AbortSignal;
  /** Longer than this nobody waits. */
  readonly waitMs: number;
  /** What is said to who waited in vain. */
  readonly busy: string;
}

interface FileTurns {
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
