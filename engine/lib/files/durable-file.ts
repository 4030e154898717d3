import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import type { Clock } from '../clock.ts';

interface Durably {
  readonly mode?: number;
  readonly create?: boolean;
  /** Called when the bytes are on disk, under another name. */
  readonly onPrepared?: () => void;
}

/**
 * Atomic and durable: afterwards `path` has all of `bytes`, or is as before. `mode`: for their owner alone unless it
 * says otherwise. `create`: throws EEXIST where there is a file already.
 */
export function writeDurably(
  folder: string,
  path: string,
  bytes: Uint8Array,
  { mode = 0o600, create = false, onPrepared }: Durably = {},
): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const temporary = `${path}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    const file = openSync(temporary, 'wx', mode);
    try {
      let written = 0;
      while (written < bytes.length) written += writeSync(file, bytes, written);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    onPrepared?.();
    // Unlike a rename, a link does not take the place of what is there.
    if (create) linkSync(temporary, path);
    else renameSync(temporary, path);
  } finally {
    // On a full disk every further attempt would leave its half behind and make it fuller.
    rmSync(temporary, { force: true });
  }
  flushFolder(folder);
}

/** Flushes the folder, so that a file that was made, renamed or removed in it survives a power cut. */
export function flushFolder(folder: string): void {
  const directory = openSync(folder, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

/** Of SQLite, with what is added to them (`SQLITE_IOERR_WRITE`), and of the system. */
const CANNOT_WRITE = /^(?:SQLITE_(?:FULL|IOERR|READONLY|CANTOPEN|BUSY|LOCKED)(?:_[A-Z_]+)?|ENOSPC|EDQUOT|EROFS|EIO)$/;
const MAX_CAUSES = 5;

/** Whether something failed because nothing can be written now: the disk is full, or gone, or somebody holds the database. */
export function cannotWrite(error: unknown): boolean {
  let cause = error;
  for (let depth = 0; depth < MAX_CAUSES && cause instanceof Error; depth += 1) {
    if ('code' in cause && typeof cause.code === 'string' && CANNOT_WRITE.test(cause.code)) return true;
    cause = cause.cause;
  }
  return false;
}

/** What found no room to write is tried again within so long: nobody is told when there is room. */
export const ROOM_RETRY_MS = 10_000;

const FIRST_MS = 250;
const MAX_MS = 5000;

/**
 * Writes what is known and must not be lost with this process, however long there is no room for it. Rejects with what
 * `write` rejects with where that is for another reason, or when `signal` aborts.
 */
export async function untilWritten<Result>(
  write: () => Promise<Result>,
  { clock, signal }: { readonly clock: Pick<Clock, 'sleep'>; readonly signal: AbortSignal },
): Promise<Result> {
  for (let waitMs = FIRST_MS; ; waitMs = Math.min(waitMs * 2, MAX_MS)) {
    try {
      return await write();
    } catch (error) {
      if (!cannotWrite(error)) throw error;
      const goOn = await clock.sleep(waitMs, signal).then(
        () => true,
        () => false,
      );
      if (!goOn) throw error;
    }
  }
}
