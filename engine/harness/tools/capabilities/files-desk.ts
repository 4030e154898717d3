import { EngineError } from '#contract';
import { createFileTurns } from './files-turns.ts';
import { isOver, MAX_ENTRIES, measure, type Used } from './files-usage.ts';

/** Less than most calls may take, so that who waits in vain learns why. */
const WAIT_MS = 45_000;
/** People put files there, too, and take them away. */
const KNOWN_MS = 60_000;
const MAX_KNOWN = 1000;

export type FilesDesk = ReturnType<typeof createFilesDesk>;

/**
 * What this process knows of the personas' `files/`, by their path: who works in which at the moment, and how much
 * there is. One for all runs, so that a shell command of one and a file tool of another never work side by side.
 */
export function createFilesDesk({ now }: { readonly now: () => number }) {
  const turns = createFileTurns();
  const known = new Map<string, { readonly used: Used; readonly at: number }>();

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

  /** What is made, or with minus signs what was not made after all. */
  function changed(root: string, by: Used): void {
    const last = known.get(root);
    if (!last) return;
    const used = { bytes: last.used.bytes + by.bytes, entries: last.used.entries + by.entries };
    know(root, used, last.at);
  }

  return {
    /** Beside other file tools, while no command works there. Throws `tool_failed` where that lasts too long. */
    share: <Result>(root: string, signal: AbortSignal, work: () => Promise<Result>) =>
      turns.share(root, { signal, waitMs: WAIT_MS, busy: SHELL_WORKS }, work),
    /** While nobody else works there. */
    alone: <Result>(root: string, signal: AbortSignal, work: () => Promise<Result>) =>
      turns.alone(root, { signal, waitMs: WAIT_MS, busy: OTHERS_WORK }, work),
    changed,
    /** Something was taken away: what there is now is looked at when somebody wants to know. */
    forget: (root: string): void => void known.delete(root),
    /** What somebody has just measured. */
    know: (root: string, used: Used) => know(root, used),
    /** Counts in what is about to be made. Throws `tool_failed` where there is no room for it. */
    async reserve(root: string, more: Used, maxBytes: number): Promise<void> {
      const after = ({ bytes, entries }: Used) => ({ bytes: bytes + more.bytes, entries: entries + more.entries });
      const grows = more.bytes > 0 || more.entries > 0;
      // Before anybody is refused: they may have made room by hand a moment ago.
      for (const maxAgeMs of grows ? [KNOWN_MS, 0] : []) {
        if (!isOver(after(await usedIn(root, maxAgeMs)), maxBytes)) break;
        if (maxAgeMs === 0) throw full(await usedIn(root, KNOWN_MS), maxBytes);
      }
      changed(root, more);
    },
  };
}

const SHELL_WORKS = 'a shell command works on the files at the moment; try again when it has ended';
const OTHERS_WORK = 'the files are being worked on at the moment; try again later';

/** In words for a model. */
export const full = ({ bytes, entries }: Used, maxBytes: number): EngineError =>
  new EngineError(
    'tool_failed',
    `there is no room left in files/: ${bytes} of ${maxBytes} bytes and ${Math.min(entries, MAX_ENTRIES)} of ` +
      `${MAX_ENTRIES} entries are used; delete files first`,
  );
