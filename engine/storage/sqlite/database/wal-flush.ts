import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';

/** What a request for a flush became. */
interface Flushing {
  /** Time that the whole process stood still for it, ms. */
  readonly ms: number;
  /** Resolves when all that was committed before the request would survive a power cut; rejects when it might not. */
  readonly done: Promise<void>;
}

export interface WalFlush {
  /** `isAlone`: nobody else waits for the process meanwhile, so where the disk is quick it is not left to another thread. */
  request(isAlone: boolean): Flushing;
  /** Resolves when what was requested before is on disk; for who changed nothing, but may have read it. */
  requested(): Promise<void>;
  /** When nothing of it is under way. */
  close(): Promise<void>;
}

/** Flushes that are as quick as this cost less than the way to another thread and back. */
const QUICK_MS = 1;
/** After a slow one so many are made beside, until the disk is tried again. */
const BESIDE = 64;

/**
 * Flushes the write-ahead log of one database, in which each commit stands before it is anywhere else. SQLite itself
 * would do that within COMMIT and stop the whole process for it; here it happens on another thread, once for all who ask
 * while one is under way. SQLite still flushes whatever a checkpoint needs.
 *
 * After one that failed, none succeeds: the system may have forgotten what it could not write, and then tells of
 * success. What was committed is seen by this process, but nobody is promised anything until it starts anew.
 */
export function createWalFlush(walFile: string): WalFlush {
  let handle: number | null = null;
  let broken: Error | null = null;
  let besides = 0;
  let isFlushing = false;
  let waiting: PromiseWithResolvers<void> | null = null;
  let newest: Promise<void> = Promise.resolve();

  // There is a log once something was committed, and the same file until the database is closed.
  const opened = (): number => {
    handle ??= openSync(walFile, 'r');
    return handle;
  };

  const flushNow = (): Flushing => {
    const began = performance.now();
    try {
      fdatasyncSync(opened());
    } catch (error) {
      broken = asError(error);
    }
    const ms = performance.now() - began;
    if (ms > QUICK_MS) besides = BESIDE;
    return { ms, done: broken === null ? Promise.resolve() : Promise.reject(broken) };
  };

  const flushBeside = (): void => {
    const asked = waiting;
    if (asked === null) return;
    waiting = null;
    isFlushing = true;
    const ended = (error: unknown) => {
      isFlushing = false;
      if (error) broken ??= asError(error);
      if (broken === null) asked.resolve();
      else asked.reject(broken);
      flushBeside();
    };
    try {
      fdatasync(opened(), ended);
    } catch (error) {
      ended(error);
    }
  };

  const request = (isAlone: boolean): Flushing => {
    if (broken !== null) return { ms: 0, done: Promise.reject(broken) };
    if (isAlone && !isFlushing && besides === 0) return flushNow();
    besides = Math.max(0, besides - 1);
    waiting ??= Promise.withResolvers<void>();
    const done = waiting.promise;
    if (!isFlushing) flushBeside();
    return { ms: 0, done };
  };

  return {
    request(isAlone) {
      const flushing = request(isAlone);
      newest = flushing.done;
      newest.catch(() => {});
      return flushing;
    },
    requested: () => newest,
    async close() {
      await newest.catch(() => {});
      if (handle !== null) closeSync(handle);
      handle = null;
    },
  };
}

/** For a database in memory. */
export const noFlush: WalFlush = {
  request: () => ({ ms: 0, done: Promise.resolve() }),
  requested: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
