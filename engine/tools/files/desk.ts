import { EngineError } from '#contract';
import { createFileTurns } from './turns.ts';
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
