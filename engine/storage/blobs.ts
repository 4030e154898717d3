import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { flushFolder, writeDurably } from '../lib/durable-file.ts';

export type Blobs = ReturnType<typeof createBlobs>;

/**
 * Bytes by their sha256 in one folder: raw mail, attachments, artifacts. `put` returns when the bytes would
 * survive a power cut: written under another name, flushed, renamed, and the folder flushed.
 *
 * Synchronous on purpose: four small system calls cost less than four trips through the thread pool, and the
 * caller cannot go on without them.
 */
export function createBlobs(folder: string, suffix = '') {
  const pathOf = (sha256: string) => join(folder, `${sha256}${suffix}`);
  return {
    pathOf,
    put(bytes: Uint8Array, sha256 = createHash('sha256').update(bytes).digest('hex')): string {
      const path = pathOf(sha256);
      if (!existsSync(path)) writeDurably(folder, path, bytes);
      return sha256;
    },
    /** Takes over a flushed file of the same disk that has that hash, instead of its bytes. */
    adopt(file: string, sha256: string): void {
      if (existsSync(pathOf(sha256))) return;
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
