import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { flushFolder, writeDurably } from '../lib/files/durable-file.ts';

/** Bytes by their sha256: raw mail, attachments, artifacts. */
export interface Blobs {
  pathOf(sha256: string): string;
  /**
   * The hash of the bytes, once they would survive a power cut: written under another name, flushed, renamed, and the
   * folder flushed.
   */
  put(bytes: Uint8Array, sha256?: string): string;
  /** For what no row names: removes it unless it was put after `before`, when somebody may be about to name it. */
  removeUnnamed(sha256: string, before: number): boolean;
  /** Takes over a flushed file of the same disk that has that hash, instead of its bytes. */
  adopt(file: string, sha256: string): void;
  remove(sha256: string): void;
  has(sha256: string): boolean;
  get(sha256: string): Promise<Uint8Array>;
  getSync(sha256: string): Uint8Array;
}

/**
 * In one folder. Synchronous on purpose: four small system calls cost less than four trips through the thread pool, and
 * the caller cannot go on without them.
 */
export function createBlobs(folder: string, suffix = ''): Blobs {
  const pathOf = (sha256: string) => join(folder, `${sha256}${suffix}`);
  return {
    pathOf,
    put(bytes: Uint8Array, sha256 = createHash('sha256').update(bytes).digest('hex')): string {
      const path = pathOf(sha256);
      if (!isRenewed(path)) writeDurably(folder, path, bytes);
      return sha256;
    },
    removeUnnamed(sha256: string, before: number): boolean {
      const path = pathOf(sha256);
      // In one turn of the event loop with the removal, or a `put` could come in between.
      const found = statSync(path, { throwIfNoEntry: false });
      if (!found || found.mtimeMs >= before) return false;
      rmSync(path, { force: true });
      return true;
    },
    adopt(file: string, sha256: string): void {
      if (isRenewed(pathOf(sha256))) return;
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      renameSync(file, pathOf(sha256));
      flushFolder(folder);
    },
    remove: (sha256: string): void => rmSync(pathOf(sha256), { force: true }),
    has: (sha256: string): boolean => existsSync(pathOf(sha256)),
    get: (sha256: string): Promise<Uint8Array> => readFile(pathOf(sha256)),
    getSync: (sha256: string): Uint8Array => readFileSync(pathOf(sha256)),
  };
}

/** Whether it is there already; its time then says that somebody is about to name it. */
function isRenewed(path: string): boolean {
  if (!existsSync(path)) return false;
  try {
    const now = Date.now() / 1000;
    utimesSync(path, now, now);
    return true;
  } catch {
    // Gone, or not ours to touch: written anew it is surely there.
    return false;
  }
}
