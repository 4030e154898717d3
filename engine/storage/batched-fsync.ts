import { randomBytes } from 'node:crypto';
import { closeSync, fsync, mkdirSync, open, rename, rmSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';

/**
 * Writes a file that is named after its bytes. When the promise resolves it would survive a power cut. Writing it again
 * changes nothing.
 */
export type WriteDurably = (folder: string, path: string, bytes: Uint8Array) => Promise<void>;

/** File handles that are open at once. */
const MAX_GROUP = 64;

interface Waiting {
  readonly folder: string;
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Length of the bytes when they were given. */
  readonly length: number;
  readonly settle: PromiseWithResolvers<void>;
}

// Off the main thread is what may wait for the disk: a flush, and also whatever changes a folder, because the file
// system lets that wait while it flushes for somebody else.
const flush = promisify(fsync);
const openFile = promisify(open);
const renameFile = promisify(rename);

/**
 * As `writeDurably`, for the files of many mails at once: the files that are asked for in one turn of the event loop
 * are flushed side by side, off the main thread, and those of one folder share the flush of that folder. With a file
 * each after the other, a disk that takes a millisecond to flush would take in no more than 500 mails a second.
 */
export function createBatchedFsync(): WriteDurably {
  let waiting: Waiting[] = [];
  let flushing = false;
  const underWay = new Map<string, Promise<void>>();

  /** One group at a time: those that come while it is flushed make the next one, and the larger the less each costs. */
  const flushAll = async () => {
    flushing = true;
    try {
      while (waiting.length > 0) await flushGroup();
    } finally {
      flushing = false;
    }
  };

  const flushGroup = async () => {
    const group = waiting.slice(0, MAX_GROUP);
    waiting = waiting.slice(MAX_GROUP);
    const written = await Promise.all(group.map(writeFile));
    const folders = new Set(written.flatMap((file) => file?.folder ?? []));
    const flushed = new Map(
      await Promise.all([...folders].map(async (folder) => [folder, await flushFolder(folder)] as const)),
    );
    for (const file of written) {
      if (!file) continue;
      const failure = flushed.get(file.folder);
      if (failure === null) file.settle.resolve();
      else file.settle.reject(failure);
    }
  };

  return (folder, path, bytes) => {
    // The same mail twice at once: the second must not take a name for bytes that are not on the disk yet.
    const before = underWay.get(path);
    if (before !== undefined) return before;
    const settle = Promise.withResolvers<void>();
    waiting.push({ folder, path, bytes, length: bytes.length, settle });
    if (waiting.length === 1 && !flushing) setImmediate(() => void flushAll());
    const ended = settle.promise.finally(() => underWay.delete(path));
    underWay.set(path, ended);
    return ended;
  };
}

/** Null when it failed, which was told to whoever asked for it. */
async function writeFile(file: Waiting): Promise<Waiting | null> {
  const temporary = `${file.path}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    const handle = await openNew(file.folder, temporary);
    try {
      let written = 0;
      // Somebody freed them too early. An empty file under the name of a mail would pass for it.
      if (file.bytes.length !== file.length) throw new Error(`the bytes of ${file.path} are gone`);
      while (written < file.bytes.length) written += writeSync(handle, file.bytes, written);
      await flush(handle);
    } finally {
      closeSync(handle);
    }
    await renameFile(temporary, file.path);
    return file;
  } catch (error) {
    file.settle.reject(error);
    removeHalf(temporary);
    return null;
  }
}

/** The folder is made when it turns out to be missing, which is at a persona's first mail. */
async function openNew(folder: string, path: string): Promise<number> {
  try {
    return await openFile(path, 'wx', 0o600);
  } catch {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return openFile(path, 'wx', 0o600);
  }
}

/** On a full disk every further attempt would leave its half behind and make it fuller. */
function removeHalf(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The first error is the one to tell of.
  }
}

async function flushFolder(folder: string): Promise<unknown> {
  try {
    const handle = await openFile(folder, 'r');
    try {
      await flush(handle);
    } finally {
      closeSync(handle);
    }
    return null;
  } catch (error) {
    return error;
  }
}
